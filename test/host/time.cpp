// to_nanoseconds: durations of every representation and period, at their limits too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"

#include <cudasync/backend/time.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>

using namespace std::chrono_literals;
using cudasync::backend::to_nanoseconds;
template <class Count, class Period = std::ratio<1>>
using duration = std::chrono::duration<Count, Period>;

constexpr std::uint64_t limit = std::uint64_t{1} << 63;

static_assert(to_nanoseconds(1ns) == 1);
static_assert(to_nanoseconds(7us) == 7000);
static_assert(to_nanoseconds(7ms) == 7000000);
static_assert(to_nanoseconds(7s) == 7000000000);
static_assert(to_nanoseconds(2min) == 120000000000);
static_assert(to_nanoseconds(100h) == 360000000000000);

TEST_CASE("durations that are multiples of a nanosecond are exact") {
  CHECK(to_nanoseconds(std::chrono::nanoseconds::max()) == limit - 1);
  CHECK(to_nanoseconds(duration<std::int64_t, std::micro>(9007199254740993)) == 9007199254740993000u);
  CHECK(to_nanoseconds(duration<std::uint32_t, std::milli>(0xffffffff)) == 4294967295000000u);
  CHECK(to_nanoseconds(duration<std::int8_t>(100)) == 100000000000u);
  CHECK(to_nanoseconds(duration<int, std::ratio<1, 64>>(3)) == 46875000);
}

TEST_CASE("negative durations and zero count as zero") {
  CHECK(to_nanoseconds(0s) == 0);
  CHECK(to_nanoseconds(-1ns) == 0);
  CHECK(to_nanoseconds(std::chrono::hours::min()) == 0);
  CHECK(to_nanoseconds(duration<double>(-0.0)) == 0);
  CHECK(to_nanoseconds(duration<double>(-1e300)) == 0);
  CHECK(to_nanoseconds(duration<float>(std::numeric_limits<float>::quiet_NaN())) == 0);
}

TEST_CASE("long durations end at 2^63 ns") {
  CHECK(to_nanoseconds(std::chrono::hours::max()) == limit);
  CHECK(to_nanoseconds(std::chrono::seconds::max()) == limit);
  CHECK(to_nanoseconds(duration<std::uint64_t>(std::numeric_limits<std::uint64_t>::max())) == limit);
  CHECK(to_nanoseconds(duration<double>(1e30)) == limit);
  CHECK(to_nanoseconds(duration<float>(std::numeric_limits<float>::infinity())) == limit);
  CHECK(to_nanoseconds(duration<double, std::nano>(9223372036854775808.0)) == limit);
  CHECK(to_nanoseconds(duration<std::int64_t, std::ratio<1, 3>>(std::numeric_limits<std::int64_t>::max())) == limit);
}

TEST_CASE("floating-point durations are rounded down") {
  CHECK(to_nanoseconds(duration<double>(0.5)) == 500000000);
  CHECK(to_nanoseconds(duration<float, std::milli>(0.25f)) == 250000);
  CHECK(to_nanoseconds(duration<double, std::nano>(1.999)) == 1);
  CHECK(to_nanoseconds(duration<double, std::nano>(0.999)) == 0);
}

TEST_CASE("periods that are no multiple of a nanosecond") {
  CHECK(to_nanoseconds(duration<std::int64_t, std::pico>(1999)) == 1);
  CHECK(to_nanoseconds(duration<std::int64_t, std::pico>(5000000000000)) == 5000000000);
  CHECK(to_nanoseconds(duration<int, std::ratio<1, 3>>(3)) == 1000000000);
  CHECK(to_nanoseconds(duration<int, std::ratio<1, 30>>(1)) == 33333333);
}
