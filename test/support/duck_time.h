// Durations and a clock for device code: no library's, but of the shape that cudasync asks for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_DUCK_TIME_H
#define CUDASYNC_TEST_SUPPORT_DUCK_TIME_H

#include "gpu_test.h"

template <class Count, long Numerator, long Denominator>
struct duration_of {
  struct period {
    static constexpr long num = Numerator;
    static constexpr long den = Denominator;
  };
  __host__ __device__ constexpr Count count() const { return value; }
  Count value;
};
using nanoseconds = duration_of<long, 1, 1000000000>;
using microseconds = duration_of<long, 1, 1000000>;
using milliseconds = duration_of<int, 1, 1000>;
using seconds = duration_of<double, 1, 1>;

struct device_clock {
  struct time_point {
    using clock = device_clock;
    unsigned long long value;
    friend __device__ nanoseconds operator-(time_point left, time_point right) {
      return {static_cast<long>(left.value - right.value)};
    }
  };
  static __device__ time_point now() { return {gpu_test::nanoseconds()}; }
  static __device__ time_point in(long nanoseconds_from_now) {
    return {now().value + static_cast<unsigned long long>(nanoseconds_from_now)};
  }
};

#endif
