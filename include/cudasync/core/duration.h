// Durations and time points by their members alone: std::chrono and cuda::std::chrono both fit, and neither is
// included. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_DURATION_H
#define CUDASYNC_CORE_DURATION_H

#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

// Nanoseconds in a duration, rounded down; a negative duration counts as zero, one beyond 2^63 ns (292 years) as that.
template <class Duration>
[[nodiscard]] CUDASYNC_API constexpr uint64 to_nanoseconds(const Duration& duration) {
  using period = typename Duration::period;
  constexpr uint64 limit = uint64{1} << 63;
  const auto count = duration.count();
  if (!(count > 0)) return 0;
  if constexpr (static_cast<decltype(duration.count())>(0.5) != 0) {  // a floating-point representation
    const double nanoseconds = static_cast<double>(count) * 1e9 * period::num / period::den;
    return nanoseconds < static_cast<double>(limit) ? static_cast<uint64>(nanoseconds) : limit;
  } else {
    constexpr uint64 whole = static_cast<uint64>(1000000000) * period::num / period::den;
    const uint64 ticks = static_cast<uint64>(count);
    if constexpr (whole * period::den == static_cast<uint64>(1000000000) * period::num)
      return ticks <= limit / whole ? ticks * whole : limit;
    else  // finer than a nanosecond, or no multiple of one
      return static_cast<uint64>(static_cast<double>(ticks) * 1e9 * period::num / period::den);
  }
}

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
