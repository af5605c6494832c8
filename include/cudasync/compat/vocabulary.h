// Names of cuda::std that programs use after including only a synchronization header: integers, move, chrono.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_VOCABULARY_H
#define CUDASYNC_COMPAT_VOCABULARY_H

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/thread/time.h>

#if CUDASYNC_HAS_HOST
#include <stdint.h>
#include <time.h>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI { namespace compat {
namespace vocabulary {

using cudasync::move;
using cudasync::ptrdiff_t;
using cudasync::size_t;

// The type of nullptr.
using nullptr_t = decltype(nullptr);

using int8_t = int8;
using int16_t = int16;
using int32_t = int32;
using int64_t = int64;
using uint8_t = uint8;
using uint16_t = uint16;
using uint32_t = uint32;
using uint64_t = uint64;
using intptr_t = ptrdiff_t;
using uintptr_t = uintptr;

}  // namespace vocabulary

// Durations, time points and clocks, for timed waits. Source: [time], with one restriction: an operator takes two types
// only if one of them converts to the other exactly.

// The number of seconds in a tick, as a fraction.
template <int64 Numerator, int64 Denominator>
struct tick {
  static constexpr int64 num = Numerator;
  static constexpr int64 den = Denominator;
};

template <class Rep>
inline constexpr bool is_floating_point = static_cast<Rep>(0.5) != 0;

template <class To, class From>
inline constexpr bool converts_exactly =
    is_floating_point<typename To::rep> ||
    (!is_floating_point<typename From::rep> &&
     From::period::num * To::period::den % (From::period::den * To::period::num) == 0);

[[nodiscard]] CUDASYNC_API constexpr int64 greatest_common_divisor(int64 left, int64 right) {
  return right == 0 ? left : greatest_common_divisor(right, left % right);
}

namespace chrono {

// Converts a duration to another type. Rounds toward zero.
template <class To, class From>
[[nodiscard]] CUDASYNC_API constexpr To duration_cast(const From& from) {
  constexpr int64 multiplier = From::period::num * To::period::den;
  constexpr int64 divisor = From::period::den * To::period::num;
  constexpr int64 common = greatest_common_divisor(multiplier, divisor);
  using number = decltype(from.count() + typename To::rep() + int64());  // the ratio may have more bits than the counts
  const number ticks = static_cast<number>(from.count()) * static_cast<number>(multiplier / common);
  return To(static_cast<typename To::rep>(ticks / static_cast<number>(divisor / common)));
}

// The smallest and the greatest value of an integer type.
template <class Integer>
struct limits_of {
  static constexpr bool is_signed = static_cast<Integer>(-1) < Integer();
  static constexpr Integer greatest =
      static_cast<Integer>(~uint64{0} >> (64 - 8 * sizeof(Integer) + (is_signed ? 1 : 0)));
  static constexpr Integer least = is_signed ? static_cast<Integer>(-greatest - 1) : Integer();
};

// A number of ticks, each of Period seconds.
template <class Rep, class Period = tick<1, 1>>
class duration {
 public:
  // The type of the number of ticks.
  using rep = Rep;
  // The number of seconds in a tick, as a fraction.
  using period = Period;

  // Not initialized.
  duration() = default;
  // A duration of this number of ticks. A floating-point number makes no integer.
  template <class Number, class = decltype(static_cast<Rep>(Number())),
            class = typename enable_if<is_floating_point<Rep> || !is_floating_point<decltype(+Number())>>::type>
  CUDASYNC_API explicit constexpr duration(const Number& ticks) : ticks_(static_cast<Rep>(ticks)) {}
  // The same duration in other ticks, if it converts exactly.
  template <class Rep2, class Period2,
            class = typename enable_if<converts_exactly<duration, duration<Rep2, Period2>>>::type>
  CUDASYNC_API constexpr duration(const duration<Rep2, Period2>& other)
      : ticks_(duration_cast<duration>(other).count()) {}

  // Returns the number of ticks.
  [[nodiscard]] CUDASYNC_API constexpr Rep count() const { return ticks_; }

  // Returns a duration of zero ticks.
  [[nodiscard]] static CUDASYNC_API constexpr duration zero() { return duration(Rep()); }
  // Returns the smallest duration. For integers only.
  [[nodiscard]] static CUDASYNC_API constexpr duration(min)() { return duration(limits_of<Rep>::least); }
  // Returns the largest duration. For integers only.
  [[nodiscard]] static CUDASYNC_API constexpr duration(max)() { return duration(limits_of<Rep>::greatest); }

  CUDASYNC_API constexpr duration& operator+=(duration other) { return *this = *this + other; }
  CUDASYNC_API constexpr duration& operator-=(duration other) { return *this = *this - other; }

  friend CUDASYNC_API constexpr duration operator-(duration right) { return duration(-right.ticks_); }
  friend CUDASYNC_API constexpr duration operator+(duration left, duration right) {
    return duration(left.ticks_ + right.ticks_);
  }
  friend CUDASYNC_API constexpr duration operator-(duration left, duration right) {
    return duration(left.ticks_ - right.ticks_);
  }
  template <class Number, class = decltype(static_cast<Rep>(Number()))>
  friend CUDASYNC_API constexpr auto operator*(duration left, Number factor) {
    using number = decltype(left.ticks_ * factor);
    return chrono::duration<number, Period>(static_cast<number>(left.ticks_) * static_cast<number>(factor));
  }
  template <class Number, class = decltype(static_cast<Rep>(Number()))>
  friend CUDASYNC_API constexpr auto operator*(Number factor, duration right) {
    return right * factor;
  }
  template <class Number, class = decltype(static_cast<Rep>(Number()))>
  friend CUDASYNC_API constexpr auto operator/(duration left, Number divisor) {
    using number = decltype(left.ticks_ / divisor);
    return chrono::duration<number, Period>(static_cast<number>(left.ticks_) / static_cast<number>(divisor));
  }
  friend CUDASYNC_API constexpr Rep operator/(duration left, duration right) { return left.ticks_ / right.ticks_; }

  friend CUDASYNC_API constexpr bool operator==(duration left, duration right) { return left.ticks_ == right.ticks_; }
  friend CUDASYNC_API constexpr bool operator!=(duration left, duration right) { return left.ticks_ != right.ticks_; }
  friend CUDASYNC_API constexpr bool operator<(duration left, duration right) { return left.ticks_ < right.ticks_; }
  friend CUDASYNC_API constexpr bool operator>(duration left, duration right) { return left.ticks_ > right.ticks_; }
  friend CUDASYNC_API constexpr bool operator<=(duration left, duration right) { return left.ticks_ <= right.ticks_; }
  friend CUDASYNC_API constexpr bool operator>=(duration left, duration right) { return left.ticks_ >= right.ticks_; }

 private:
  Rep ticks_;
};

// The representation types of these durations are those of libcu++.

// A duration in nanoseconds.
using nanoseconds = duration<long long, tick<1, 1000000000>>;
// A duration in microseconds.
using microseconds = duration<long long, tick<1, 1000000>>;
// A duration in milliseconds.
using milliseconds = duration<long long, tick<1, 1000>>;
// A duration in seconds.
using seconds = duration<long long>;
// A duration in minutes.
using minutes = duration<long, tick<60, 1>>;
// A duration in hours.
using hours = duration<long, tick<3600, 1>>;

// A point in time, as the duration since the epoch of a clock.
template <class Clock, class Duration = typename Clock::duration>
class time_point {
 public:
  // The clock.
  using clock = Clock;
  // The type of the duration since the epoch.
  using duration = Duration;
  // The type of the number of ticks.
  using rep = typename Duration::rep;
  // The number of seconds in a tick, as a fraction.
  using period = typename Duration::period;

  // The epoch.
  CUDASYNC_API constexpr time_point() : since_epoch_(0) {}
  // The time this duration after the epoch.
  CUDASYNC_API explicit constexpr time_point(const Duration& since_epoch) : since_epoch_(since_epoch) {}
  // The same time in other ticks, if the duration converts exactly.
  template <class Duration2, class = typename enable_if<converts_exactly<Duration, Duration2>>::type>
  CUDASYNC_API constexpr time_point(const time_point<Clock, Duration2>& other)
      : since_epoch_(other.time_since_epoch()) {}

  // Returns the duration since the epoch.
  [[nodiscard]] CUDASYNC_API constexpr Duration time_since_epoch() const { return since_epoch_; }

  // Returns the earliest time. For integers only.
  [[nodiscard]] static CUDASYNC_API constexpr time_point(min)() { return time_point((Duration::min)()); }
  // Returns the latest time. For integers only.
  [[nodiscard]] static CUDASYNC_API constexpr time_point(max)() { return time_point((Duration::max)()); }

  CUDASYNC_API constexpr time_point& operator+=(Duration step) { return *this = *this + step; }
  CUDASYNC_API constexpr time_point& operator-=(Duration step) { return *this = *this - step; }

  friend CUDASYNC_API constexpr time_point operator+(time_point left, Duration right) {
    return time_point(left.since_epoch_ + right);
  }
  friend CUDASYNC_API constexpr time_point operator+(Duration left, time_point right) { return right + left; }
  // With a finer duration, such as one of fractions, the time has its ticks.
  template <class Rep2, class Period2, class Finer = chrono::duration<Rep2, Period2>,
            class = typename enable_if<converts_exactly<Finer, Duration> && !converts_exactly<Duration, Finer>>::type>
  friend CUDASYNC_API constexpr auto operator+(time_point left, const chrono::duration<Rep2, Period2>& right) {
    return time_point<Clock, Finer>(left.since_epoch_ + right);
  }
  friend CUDASYNC_API constexpr time_point operator-(time_point left, Duration right) {
    return time_point(left.since_epoch_ - right);
  }
  friend CUDASYNC_API constexpr Duration operator-(time_point left, time_point right) {
    return left.since_epoch_ - right.since_epoch_;
  }

  friend CUDASYNC_API constexpr bool operator==(time_point left, time_point right) {
    return left.since_epoch_ == right.since_epoch_;
  }
  friend CUDASYNC_API constexpr bool operator!=(time_point left, time_point right) { return !(left == right); }
  friend CUDASYNC_API constexpr bool operator<(time_point left, time_point right) {
    return left.since_epoch_ < right.since_epoch_;
  }
  friend CUDASYNC_API constexpr bool operator>(time_point left, time_point right) { return right < left; }
  friend CUDASYNC_API constexpr bool operator<=(time_point left, time_point right) { return !(right < left); }
  friend CUDASYNC_API constexpr bool operator>=(time_point left, time_point right) { return !(left < right); }

 private:
  Duration since_epoch_;
};

}  // namespace chrono

// Nanoseconds since 1970. The device's timer is not adjusted while the machine runs.
#if CUDASYNC_HAS_HOST
inline int64 calendar_time(target::host) {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return int64{time.tv_sec} * 1000000000 + time.tv_nsec;
}
#endif
#if CUDASYNC_CUDA
CUDASYNC_DEVICE int64 calendar_time(target::sm70 here) {
  return static_cast<int64>(backend::now(here));
}
#endif

// A clock that counts nanoseconds: the steady clock, or the calendar's.
template <bool IsSteady>
struct nanosecond_clock {
  using duration = chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = chrono::time_point<nanosecond_clock>;
  static constexpr bool is_steady = IsSteady;

  // Returns the current time.
  [[nodiscard]] static CUDASYNC_API time_point now() {
    if constexpr (IsSteady)
      return time_point(duration(backend::now(target::here{})));
    else
      return time_point(duration(calendar_time(target::here{})));
  }
};

namespace chrono {

// A clock that never goes back. On the device, it is the global timer.
using steady_clock = nanosecond_clock<true>;
// The steady clock.
using high_resolution_clock = steady_clock;
// The calendar's clock: nanoseconds since 1970.
using system_clock = nanosecond_clock<false>;

}  // namespace chrono
}}}  // namespace cudasync::CUDASYNC_ABI::compat

// CCCL's declarations hide these names: see the end of ptx.h.
namespace cuda::std { inline namespace __4 {
using namespace cudasync::compat::vocabulary;
namespace chrono {
using namespace cudasync::compat::chrono;
}  // namespace chrono
}}  // namespace cuda::std::__4

#endif
