// Durations by their members alone: those of std::chrono and cuda::std::chrono fit, and neither is included.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_DURATION_H
#define CUDASYNC_CORE_DURATION_H

#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

// Nanoseconds in a duration, rounded down; a negative duration counts as zero, one beyond 2^63 ns (292 years) as that.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Duration>
[[nodiscard]] CUDASYNC_API constexpr uint64 to_nanoseconds(const Duration& duration) {
  using period = typename Duration::period;
  constexpr uint64 limit = uint64{1} << 63;
  constexpr bool is_floating = static_cast<decltype(duration.count())>(0.5) > 0;
  constexpr bool is_whole = 1000000000 % period::den == 0 && period::num <= static_cast<int64>(limit / 1000000000);
  const auto count = duration.count();
  if (!(count > 0)) return 0;
  if constexpr (!is_floating && is_whole) {
    constexpr uint64 tick = static_cast<uint64>(1000000000 / period::den) * static_cast<uint64>(period::num);
    return static_cast<uint64>(count) <= limit / tick ? static_cast<uint64>(count) * tick : limit;
  } else {
    const double nanoseconds =
        static_cast<double>(count) * 1e9 * static_cast<double>(period::num) / static_cast<double>(period::den);
    return nanoseconds < static_cast<double>(limit) ? static_cast<uint64>(nanoseconds) : limit;
  }
}

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
