// What the phases of all kinds of barrier share: tokens, parities, limits, and the bits of a phase word.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_BITS_H
#define CUDASYNC_BACKEND_PHASE_BITS_H

#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

inline constexpr uint64 parity_bit = uint64{1} << 63;
inline constexpr uint64 sleepers_bit = uint64{1} << 31;  // host threads sleep in the kernel until the word flips

// No limit on a wait.
inline constexpr uint64 forever = ~uint64{0};

[[nodiscard]] CUDASYNC_API constexpr bool has_flipped(uint64 before, uint64 now) {
  return ((before ^ now) & parity_bit) != 0;
}

// The default completion function: nothing happens between the last arrival and the release of the waiters.
struct empty_completion {
  CUDASYNC_API void operator()() const noexcept {}
};

// A wait names its phase by the token of an arrive or by its parity; valid for the current and the preceding phase only.
struct phase_token {
  uint64 value;
};
struct phase_parity {
  bool odd;
};

// A phase word of that phase.
[[nodiscard]] CUDASYNC_API constexpr uint64 to_phase_word(phase_token phase) {
  return phase.value;
}
[[nodiscard]] CUDASYNC_API constexpr uint64 to_phase_word(phase_parity phase) {
  return phase.odd ? parity_bit : 0;
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
