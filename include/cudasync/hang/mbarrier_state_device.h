// The state of an mbarrier, decoded from its opaque bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_MBARRIER_STATE_DEVICE_H
#define CUDASYNC_HANG_MBARRIER_STATE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/mbarrier.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// The state of an mbarrier, from its 64 bits. Their format is opaque, so init tests whether it is known
// (object_record::is_readable).
struct barrier_state {
  uint64 bits;
  uint32 pending;
  uint32 expected;  // 0: not known
  int32 bytes;      // outstanding; negative: more have been copied than expected
  bool parity;      // of the current phase
  // For the report:
  uint32 early;   // arrivals before any init
  bool is_known;  // whether pending and parity are known
  bool is_whole;  // whether bytes is known, too
};

// The parity is the top bit. On sm_80 there are two words: 2^30 minus the expected count, and 2^31 minus the pending
// count.
CUDASYNC_DEVICE uint64 bits_of(target::sm80, ptx::shared_address bar) {
  return ptx::read_mbarrier_word(bar);
}
CUDASYNC_DEVICE barrier_state state_of(target::sm80 here, ptx::shared_address bar) {
  const uint64 bits = bits_of(here, bar);
  const uint32 pending = (uint32{1} << 31) - (static_cast<uint32>(bits >> 32) & 0x7fffffff);
  return {bits, pending, (uint32{1} << 30) - static_cast<uint32>(bits), 0, bits >> 63 != 0, 0, false, false};
}

// On sm_90, an arrival with a count of 0 returns the state, without the expected count and with only the upper bits of
// the byte count. Bits 62..43 are 2^20 minus the pending count. The word in memory is not up to date.
CUDASYNC_DEVICE uint64 bits_of(target::sm90, ptx::shared_address bar) {
  return ptx::mbarrier_arrive_none(bar);
}
CUDASYNC_DEVICE uint32 pending_of(uint64 bits) {
  return (0 - static_cast<uint32>(bits >> 43)) & 0xfffff;
}
CUDASYNC_DEVICE barrier_state state_of(target::sm90 here, ptx::shared_address bar) {
  const uint64 bits = bits_of(here, bar);
  return {bits, pending_of(bits), 0, 0, bits >> 63 != 0, 0, false, false};
}

CUDASYNC_DEVICE bool are_missing(target::sm80, uint64 bits, uint32 arrivals) {
  return (static_cast<uint32>(bits >> 32) & 0x7fffffff) + arrivals <= uint32{1} << 31;
}
CUDASYNC_DEVICE bool are_missing(target::sm90, uint64 bits, uint32 arrivals) {
  return (static_cast<uint32>(bits >> 32) & 0x7ffff800) + (arrivals << 11) <= uint32{1} << 31;
}

// Invalidating an mbarrier brings its word in memory up to date: bits 20..1 are 2^20 minus the expected count, bits
// 41..21 the outstanding bytes, negated, bits 62..43 2^20 minus the pending count, and bit 63 is the parity. Only the
// report of a hang does this.
CUDASYNC_DEVICE barrier_state whole_state_of(target::sm80 here, ptx::shared_address bar) {
  return state_of(here, bar);
}
CUDASYNC_DEVICE barrier_state whole_state_of(target::sm90 here, ptx::shared_address bar) {
  const barrier_state quick = state_of(here, bar);
  ptx::mbarrier_inval(bar);
  const uint64 bits = ptx::read_mbarrier_word(bar);
  const uint32 expected = (0 - static_cast<uint32>(bits >> 1)) & 0xfffff;
  const int32 bytes = -(static_cast<int32>(static_cast<uint32>(bits >> 21) << 11) >> 11);
  if (pending_of(bits) != quick.pending || (bits >> 63 != 0) != quick.parity) return quick;
  return {bits, quick.pending, expected, bytes, quick.parity, 0, false, true};
}

using barrier_target = target::here_or_minimum<target::sm80>::type;

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
