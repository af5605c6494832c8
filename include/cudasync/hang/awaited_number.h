// What a wait of a peer_signal or a peer_mailbox awaits, and what it has found, for reports of hangs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_AWAITED_NUMBER_H
#define CUDASYNC_HANG_AWAITED_NUMBER_H

#include <cudasync/core/integers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// What a wait of a peer_signal found in place of the number that it awaits, as the number that is watched and reported.
struct awaited_number {
  uint32 awaited;
  uint32 found;

  [[nodiscard]] CUDASYNC_API constexpr uint64 packed() const { return uint64{awaited} << 32 | found; }
  [[nodiscard]] CUDASYNC_API static constexpr awaited_number of(uint64 number) {
    return {static_cast<uint32>(number >> 32), static_cast<uint32>(number)};
  }
};

// The same of a peer_mailbox. found: 0, or at most 2^15 - 1 messages before or after the awaited one.
struct awaited_message {
  uint32 awaited;
  uint32 index;
  uint32 found;

  [[nodiscard]] CUDASYNC_API constexpr bool is_overwritten() const {
    return found != 0 && static_cast<int32>(found - awaited) > 0;
  }
  [[nodiscard]] CUDASYNC_API constexpr uint64 packed() const {
    const uint32 distance = found - awaited + 0x8000;
    return uint64{awaited} << 32 | (index & 0xffff) << 16 | (found == 0 || distance > 0xffff ? 0 : distance);
  }
  [[nodiscard]] CUDASYNC_API static constexpr awaited_message of(uint64 number) {
    const uint32 awaited = static_cast<uint32>(number >> 32);
    const uint32 distance = static_cast<uint32>(number) & 0xffff;
    return {awaited, static_cast<uint32>(number) >> 16, distance == 0 ? 0 : awaited + distance - 0x8000};
  }
};

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif
