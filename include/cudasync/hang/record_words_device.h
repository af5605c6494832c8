// Packed words: what each bit means in the checked build's records, and in an mbarrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_RECORD_WORDS_DEVICE_H
#define CUDASYNC_HANG_RECORD_WORDS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/kind.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/mbarrier.h>

// Each is one word, because it is written by one store and read by one load: no reader sees half of it, and no lock is
// needed. Members of records are plain integers; these structs read and make them.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// What a thread waits for. Written by the waiting thread, read by the thread that writes the report.
struct subject {
  uint64 bits;  // 47..0 address, 51..48 kind, 52 parity, 53 is_parity_known, 56..54 role, 63..57 stage

  CUDASYNC_DEVICE static subject of(kind what, uint64 address, bool parity = false, bool is_parity_known = false,
                                    role who = role::none, uint32 stage = 0) {
    return {(address & 0xffffffffffff) | uint64{static_cast<uint32>(what)} << 48 | uint64{parity} << 52 |
            uint64{is_parity_known} << 53 | uint64{static_cast<uint32>(who)} << 54 | uint64{stage & 0x7f} << 57};
  }
  // Of threads that meet by an instruction: the line of their call in the upper 12 bits, the file's name below 2^47.
  CUDASYNC_DEVICE static subject of_meeting(bool is_of_cluster, caller where) {
    return {(reinterpret_cast<uintptr>(where.file) & 0x7fffffffffff) | uint64{is_of_cluster} << 47 |
            uint64{static_cast<uint32>(kind::group)} << 48 | uint64{where.line < 0xfff ? where.line : 0xfff} << 52};
  }
  CUDASYNC_DEVICE uint64 address() const { return bits & 0xffffffffffff; }
  CUDASYNC_DEVICE kind what() const { return static_cast<kind>(bits >> 48 & 15); }
  CUDASYNC_DEVICE bool parity() const { return (bits >> 52 & 1) != 0; }
  CUDASYNC_DEVICE bool is_parity_known() const { return (bits >> 53 & 1) != 0; }
  CUDASYNC_DEVICE role who() const { return static_cast<role>(bits >> 54 & 7); }
  CUDASYNC_DEVICE uint32 stage() const { return static_cast<uint32>(bits >> 57); }
  // Of a group: all threads of the cluster. Otherwise, those of a block or a warp.
  CUDASYNC_DEVICE bool is_cluster() const { return what() == kind::group && address() != 0; }
  // Of one address and one kind: named barrier 8 is not the barrier at shared address 8.
  CUDASYNC_DEVICE bool is_same_object(subject other) const { return (bits ^ other.bits) << 12 == 0; }
  // A wait for a value that is not a phase has no parity: the bit tells whether a predicate tests the value.
  CUDASYNC_DEVICE bool is_by_predicate() const { return what() == kind::atomic_value && parity(); }
  // An object without a role is in local memory if its stage is 1: 48 bits of the address need not tell it.
  CUDASYNC_DEVICE bool is_local() const { return who() == role::none && stage() != 0; }
};

// A line of the user's code.
struct site {
  uint64 bits;  // 47..0 address of the file's name, 63..48 line

  CUDASYNC_DEVICE static site of(caller where) {
    return {reinterpret_cast<uintptr>(where.file) | uint64{where.line < 0xffff ? where.line : 0xffff} << 48};
  }
  CUDASYNC_DEVICE const char* file() const { return reinterpret_cast<const char*>(bits & 0xffffffffffff); }
  CUDASYNC_DEVICE uint32 line() const { return static_cast<uint32>(bits >> 48); }
};

// Replaces the subject of a meeting by the one for a report. Returns the site of the call, or no bits.
CUDASYNC_DEVICE site take_site(subject& what) {
  if (what.what() != kind::group || what.address() == 0) return {0};
  const site found{(what.bits & 0x7fffffffffff) | what.bits >> 52 << 48};
  what = subject::of(kind::group, what.bits >> 47 & 1);
  return found;
}

// How a thread, or all threads of a warp together, arrive at a barrier. Written by that thread, or by lane 0, and read
// by it and by the report. Each init of the barrier begins an epoch: a word of another epoch counts as empty, so that
// init need not clear the words of all threads.
struct attendance {
  uint64 bits;  // 63..32 arrivals since init, 31 parity of the last phase with one, 30..8 epoch, 5..0 flags

  static constexpr uint32 twice_in_a_phase = 1;
  static constexpr uint32 has_dropped = 2;
  static constexpr uint32 arrived_after_drop = 4;
  static constexpr uint32 is_mixed = 8;     // of a warp: lanes have also arrived separately
  static constexpr uint32 is_ready = 16;    // the next arrival can take the fast path
  static constexpr uint32 is_checked = 32;  // of an object_state alone: no arrival takes the fast path
  static constexpr uint32 epoch = 0x7fffff00;
  static constexpr uint32 last_phase = uint32{1} << 31;
  static constexpr uint64 one = uint64{1} << 32;

  CUDASYNC_DEVICE uint32 arrivals() const { return static_cast<uint32>(bits >> 32); }
  CUDASYNC_DEVICE uint32 number() const { return arrivals(); }
  CUDASYNC_DEVICE bool has(uint32 flags) const { return (bits & flags) != 0; }
  CUDASYNC_DEVICE attendance with(uint32 flags) const { return {bits | flags}; }
  CUDASYNC_DEVICE attendance without(uint32 flags) const { return {bits & ~uint64{flags}}; }
  CUDASYNC_DEVICE attendance with_one_more() const { return {bits + one}; }

  // Whether the last arrival was in this phase: last_phase for parity 1, 0 for parity 0.
  CUDASYNC_DEVICE bool has_arrived(uint32 phase) const {
    return arrivals() != 0 && (static_cast<uint32>(bits) & last_phase) == phase;
  }
  // With what another arrival in this phase shows about the earlier ones.
  CUDASYNC_DEVICE attendance with_misuse(uint32 phase) const {
    attendance after = *this;
    if (has_arrived(phase)) after = after.with(twice_in_a_phase);
    if (has(has_dropped)) after = after.with(arrived_after_drop);
    return after;
  }
  // The next word of an arrival on the fast path, whose phase is the one after the last.
  CUDASYNC_DEVICE attendance after_plain_arrival() const { return {(bits ^ last_phase) + one}; }
};

// Which barrier a record is of, and which epoch. Written by init; each arrival compares it with its own word.
struct object_state {
  uint64 bits;  // 63..32 check_of(address), 30..8 epoch; the other bits as in a word that is ready for the first phase

  CUDASYNC_DEVICE static object_state first_of(uint32 check, uint32 epoch) {
    return {uint64{check} << 32 | epoch | attendance::is_ready | attendance::last_phase};
  }
  CUDASYNC_DEVICE uint64 check() const { return bits >> 32; }
  CUDASYNC_DEVICE uint32 epoch() const { return static_cast<uint32>(bits) & attendance::epoch; }
  CUDASYNC_DEVICE uint32 next_epoch() const { return (static_cast<uint32>(bits) + 0x100) & attendance::epoch; }
};

// The parities for which a thread, or a warp together, waits. A wait continues the word of the last one.
struct wait_history {
  // 31 of_second_pair, 30..8 epoch, 7 changed, 6 began_odd, 5 continued, 4 has_kept, 3..1 waits in a row, 0 parity
  uint32 bits;

  static constexpr uint32 of_second_pair = uint32{1}
                                           << 31;  // of phases, in each four; the one before the first is in it
  static constexpr uint32 changed = 0x80;          // the thread has waited for both parities
  static constexpr uint32 began_odd = 0x40;        // its first wait was for parity 1
  static constexpr uint32 continued = 0x20;        // its last wait is in the other word
  static constexpr uint32 has_kept = 0x10;         // the thread has waited for one parity twice in a row
  static constexpr uint32 in_a_row = 0x0e;
  static constexpr uint32 last_parity = 1;

  CUDASYNC_DEVICE bool is_empty() const { return bits == 0; }
  CUDASYNC_DEVICE bool has(uint32 flags) const { return (bits & flags) != 0; }
  CUDASYNC_DEVICE bool parity() const { return has(last_parity); }
  CUDASYNC_DEVICE uint32 waits_in_a_row() const { return (bits & in_a_row) / 2; }
  CUDASYNC_DEVICE uint32 number() const { return waits_in_a_row(); }
  // The number of the phase of the last wait, modulo 4, if the thread has waited once for each.
  CUDASYNC_DEVICE uint32 phase() const { return bits >> 31 << 1 | (bits & last_parity); }
  // Of a thread's own word and its warp's, the one with the last wait.
  CUDASYNC_DEVICE wait_history later(wait_history other) const {
    return !other.is_empty() && (is_empty() || has(continued)) ? other : *this;
  }
  // With a further wait. The count of waits in a row stops at its maximum.
  CUDASYNC_DEVICE wait_history after_wait(bool parity, uint32 epoch) const {
    const uint32 pair = (bits ^ bits << 31) & of_second_pair;  // if the parity is another one
    const uint32 kept = is_empty() ? epoch | (parity ? began_odd | of_second_pair : 0)
                        : (bits & last_parity) == parity
                            ? bits | has_kept
                            : (bits & (attendance::epoch | began_odd | has_kept)) | changed | pair;
    const uint32 count = kept & in_a_row;
    return {(kept & ~(continued | in_a_row | last_parity)) | (count != in_a_row ? count + 2 : count) | parity};
  }
  // The next word of a wait on the fast path, for the other parity than the last.
  CUDASYNC_DEVICE wait_history after_usual_wait() const {
    return {((bits ^ last_parity ^ bits << 31) & ~in_a_row) | 2};
  }
};

// The last call that expects bytes and does not arrive.
struct lone_expectation {
  uint64 bits;  // 63..32 bytes, 31..11 arrivals of the thread before it, 10..1 thread, 0 parity of the phase

  CUDASYNC_DEVICE static lone_expectation of(uint32 bytes, uint32 arrivals, uint32 rank, bool parity) {
    return {uint64{bytes} << 32 | arrivals << 11 | rank << 1 | (parity ? 1 : 0)};
  }
  CUDASYNC_DEVICE uint32 bytes() const { return static_cast<uint32>(bits >> 32); }
  CUDASYNC_DEVICE uint32 rank() const { return bits >> 1 & 1023; }
  // Whether it was in a phase of this parity, in which the thread has not arrived yet. arrivals: since init.
  CUDASYNC_DEVICE bool is_last_of(uint32 arrivals, bool parity) const {
    return bits != 0 && static_cast<uint32>(bits) == static_cast<uint32>(of(0, arrivals, rank(), parity).bits);
  }
};

// The last arrival of a warp at a named barrier: the lower half of its word. The upper one is a hash of block and id.
struct warp_arrival {
  uint32 bits;  // 31..27 warps that it expects in the phase, minus one; 26..0 phase, from 1 on; 0: none

  CUDASYNC_DEVICE static uint64 word_of(uint32 check, uint32 phase, uint32 expected) {
    return uint64{check} << 32 | (expected - 1) << 27 | phase;
  }
  CUDASYNC_DEVICE static warp_arrival of(uint64 word, uint32 check) {
    return {word >> 32 == check ? static_cast<uint32>(word) : 0};
  }
  CUDASYNC_DEVICE uint32 phase() const { return bits & 0x7ffffff; }
  CUDASYNC_DEVICE uint32 expected() const { return (bits >> 27) + 1; }
};

// --- The state of an mbarrier ---

// The state of an mbarrier, from its 64 bits, whose format is opaque: init sets object_record::is_readable.
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

// The top bit is the parity. On sm_80, the words are 2^30 minus the expected and 2^31 minus the pending count.
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
// 41..21 the outstanding bytes, negated, bits 62..43 2^20 minus the pending count, bit 63 the parity. For reports.
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
