// to_nanoseconds, time_left and duration_cast: durations and times of every representation and period.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"

#include <cudasync/compat/vocabulary.h>
#include <cudasync/thread/time.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

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
  __extension__ using wide = __int128;
  CHECK(to_nanoseconds(duration<wide, std::nano>(wide{1} << 64)) == limit);
  CHECK(to_nanoseconds(duration<wide>(wide{5} << 32)) == limit);
  CHECK(to_nanoseconds(duration<wide, std::micro>(7)) == 7000);
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

// A clock that shows what the test sets.
template <class Duration>
struct set_clock {
  using duration = Duration;
  using rep = typename Duration::rep;
  using period = typename Duration::period;
  using time_point = std::chrono::time_point<set_clock>;
  static constexpr bool is_steady = false;

  static time_point now() { return time_point(shown); }
  static inline Duration shown{};
};

template <class Clock, class Duration>
std::uint64_t left_until(const std::chrono::time_point<Clock, Duration>& time) {
  return to_nanoseconds(cudasync::backend::time_left(time));
}
template <class Duration, class Clock, class Shown>
std::uint64_t left_at(Shown shown, Duration time) {
  Clock::shown = std::chrono::duration_cast<typename Clock::duration>(shown);
  return left_until(std::chrono::time_point<Clock, Duration>(time));
}

TEMPLATE_TEST_CASE("what is left until a time", "", std::chrono::nanoseconds, std::chrono::microseconds,
                   std::chrono::seconds, (duration<int, std::ratio<1, 100>>), (duration<double>),
                   (duration<float, std::milli>)) {
  using clock = set_clock<TestType>;
  const auto until = [](auto shown, auto time) {
    return left_at<TestType, clock>(shown, std::chrono::duration_cast<TestType>(time));
  };
  CHECK(until(1000s, 1003s) == 3000000000u);
  CHECK(until(1000s, 1000s) == 0);
  CHECK(until(1000s, 900s) == 0);
  CHECK(until(-50s, -48s) == 2000000000u);
  CHECK(left_at<TestType, clock>(1000s, TestType::min()) == 0);
  CHECK(left_at<TestType, clock>(-1000s, TestType::min()) == 0);
  CHECK(left_at<TestType, clock>(1000s, TestType::max()) > 3600u * 24 * 200 * 1000000000);
  CHECK(left_at<TestType, clock>(-1000s, TestType::max()) > 3600u * 24 * 200 * 1000000000);
}

TEST_CASE("what is left until a time of another representation than the clock's") {
  using clock = set_clock<std::chrono::nanoseconds>;
  using days = duration<std::int64_t, std::ratio<86400>>;
  constexpr auto shown = 1700000000s;
  CHECK(left_at<std::chrono::seconds, clock>(shown, 1700000002s) == 2000000000u);
  CHECK(left_at<duration<double>, clock>(shown, duration<double>(1700000000.5)) == 500000000u);
  CHECK(left_at<days, clock>(shown, days(1)) == 0);
  CHECK(left_at<days, clock>(shown, days::min()) == 0);
  CHECK(left_at<days, clock>(shown, days::max()) == limit);
  CHECK(left_at<std::chrono::hours, clock>(shown, std::chrono::hours::min()) == 0);
  CHECK(left_at<std::chrono::hours, clock>(shown, std::chrono::hours::max()) == limit);
  const std::uint64_t two_days = left_at<std::chrono::seconds, clock>(shown, 1700172800s);
  CHECK(two_days > 172799999999999u);
  CHECK(two_days < 172800000000001u);
}

// Known by their difference alone.
struct bare_time {
  struct clock {
    static bare_time now() { return {100}; }
  };
  std::int64_t value;
  friend std::chrono::nanoseconds operator-(bare_time left, bare_time right) {
    return std::chrono::nanoseconds(left.value - right.value);
  }
};
TEST_CASE("times without an epoch are subtracted") {
  CHECK(to_nanoseconds(cudasync::backend::time_left(bare_time{130})) == 30);
  CHECK(to_nanoseconds(cudasync::backend::time_left(bare_time{70})) == 0);
}

// Each conversion between these representations and periods, as the standard library makes it. The ratios of periods
// include fractions that are greater than one and not integers.
template <class... Types>
struct list {};

template <class To, class ToPeriod, class From, class FromPeriod>
constexpr bool converts_as_in_the_standard() {
  namespace own = cudasync::compat::chrono;
  for (int ticks : {0, 1, 2, 3, 7, 59, 60, 61, 1000, 100003, -1, -7, -61, -100003}) {
    const auto found = own::duration_cast<own::duration<To, ToPeriod>>(own::duration<From, FromPeriod>(ticks));
    const duration<From, FromPeriod> from(static_cast<From>(ticks));
    if (found.count() != std::chrono::duration_cast<duration<To, ToPeriod>>(from).count()) return false;
  }
  return true;
}
template <class To, class From, class FromPeriod, class... Periods>
constexpr bool converts_to_all(list<Periods...>) {
  return (converts_as_in_the_standard<To, Periods, From, FromPeriod>() && ...);
}
template <class To, class From, class... Periods>
constexpr bool converts_all(list<Periods...> periods) {
  return (converts_to_all<To, From, Periods>(periods) && ...);
}
using periods = list<std::micro, std::milli, std::ratio<1, 60>, std::ratio<1, 3>, std::ratio<2, 3>, std::ratio<1>,
                     std::ratio<7, 5>, std::ratio<7>, std::ratio<60>>;
static_assert(converts_all<std::int64_t, std::int64_t>(periods()));
static_assert(converts_all<std::int64_t, double>(periods()));
static_assert(converts_all<double, std::int64_t>(periods()));
static_assert(converts_all<float, float>(periods()));

// Factors and divisors of each type, and construction from them.
template <class Count, class Number>
constexpr bool scales_as_in_the_standard() {
  namespace own = cudasync::compat::chrono;
  using found = own::duration<Count, std::milli>;
  using wanted = duration<Count, std::milli>;
  constexpr Count ticks = 7;
  for (const Number number : {Number(2), Number(0.5) != 0 ? Number(0.5) : Number(3), Number(-4)})
    if ((found(ticks) * number).count() != (wanted(ticks) * number).count() ||
        (number * found(ticks)).count() != (number * wanted(ticks)).count() ||
        (found(ticks) / number).count() != (wanted(ticks) / number).count())
      return false;
  return std::is_constructible_v<found, Number> == std::is_constructible_v<wanted, Number>;
}
template <class Count, class... Numbers>
constexpr bool scales_by_all(list<Numbers...>) {
  return (scales_as_in_the_standard<Count, Numbers>() && ...);
}
template <class... Counts>
constexpr bool all_scale(list<Counts...> numbers) {
  return (scales_by_all<Counts>(numbers) && ...);
}
static_assert(all_scale(list<int, std::int64_t, float, double>()));

// A time after another by a duration with ticks of any kind to which those of the time convert.
struct own_clock {
  using duration = cudasync::compat::chrono::milliseconds;
};
struct standard_clock {
  using duration = std::chrono::milliseconds;
};
template <class Count, class Period>
constexpr bool adds_as_in_the_standard() {
  namespace own = cudasync::compat::chrono;
  const auto found = own::time_point<own_clock>(own::milliseconds(1500)) + own::duration<Count, Period>(Count(3));
  const auto wanted = std::chrono::time_point<standard_clock>(std::chrono::milliseconds(1500)) +
                      std::chrono::duration<Count, Period>(Count(3));
  return found.time_since_epoch().count() == wanted.time_since_epoch().count() &&
         std::is_floating_point_v<typename decltype(found)::rep> == std::is_floating_point_v<Count>;
}
static_assert(adds_as_in_the_standard<std::int64_t, std::milli>());
static_assert(adds_as_in_the_standard<std::int64_t, std::micro>());
static_assert(adds_as_in_the_standard<std::int64_t, std::ratio<1>>());
static_assert(adds_as_in_the_standard<double, std::milli>());
static_assert(adds_as_in_the_standard<double, std::micro>());
