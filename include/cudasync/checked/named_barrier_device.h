// The checked build's model of named barriers: which warps have arrived, twice or not at all. In other builds it is nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_NAMED_BARRIER_DEVICE_H
#define CUDASYNC_CHECKED_NAMED_BARRIER_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/checked/watch.h>
#include <cudasync/core/integers.h>

#if CUDASYNC_CHECKED
#include <cudasync/backend/word_device.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/bits.h>
#include <cudasync/ptx/special_registers.h>
#endif

// The hardware does not say who has arrived, and a warp that arrives twice counts as two. So the checked build keeps its own
// barriers, in global memory: for each place that a multiprocessor has for a warp, and each id, a word with the phase that the
// warp has last arrived in (bits 26..0), the number of warps, less one, that it expects there (31..27), and a tag of its block
// (63..32). A warp writes its own word alone and reads those of the 64 places; words of other blocks do not count. The latest
// phase that is found is the current one, unless it has all its warps.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

// A barrier's id and how many warps it expects; 0 for all of the block.
struct warp_count {
  uint32 id;
  uint32 warps;
};

#if CUDASYNC_CHECKED

inline constexpr uint32 warps_of_multiprocessor = 64;

CUDASYNC_DEVICE_VARIABLE uint64
    named_barriers[CUDASYNC_CHECKED_WARPS / warps_of_multiprocessor][16][warps_of_multiprocessor];

CUDASYNC_DEVICE bool is_modelled(warp_count expected) {
  return expected.id != 0 && expected.warps != 0;
}

// What the lanes of a converged warp see together.
struct phase_of_warps {
  uint32 phase;     // the latest
  uint32 arrived;   // warps in it
  uint32 expected;  // by them; 0 if they do not agree
};

class named_barrier_model {
 public:
  CUDASYNC_DEVICE explicit named_barrier_model(warp_count expected)
      : expected_(expected),
        words_(named_barriers[ptx::get_sreg_smid() % (CUDASYNC_CHECKED_WARPS / warps_of_multiprocessor)]
                             [expected.id % 16]),
        lanes_(__ballot_sync(0xffffffff, true)),  // exited threads do not count
        tag_(static_cast<uint32>(tag_of_block())) {}

  // Returns the phase.
  CUDASYNC_DEVICE uint32 arrive() {
    uint64& mine = words_[ptx::get_sreg_warpid() % warps_of_multiprocessor];
    const phase_of_warps found = look();
    const bool is_complete = found.phase == 0 || (found.expected != 0 && found.arrived >= found.expected);
    const uint32 phase = is_complete ? found.phase + 1 : found.phase;
    if (!is_complete && found.expected != expected_.warps)
      report_named_barrier("warps of one phase expect different numbers of threads",
                           "give the same number wherever this id is used", expected_.id, found.arrived,
                           expected_.warps, found.expected);
    if (is_mine(mine, phase))
      report_named_barrier("this warp arrives a second time before the phase is complete",
                           "let it wait for the other side in between", expected_.id, found.arrived, expected_.warps,
                           found.expected);
    __syncwarp(lanes_);  // all have looked, and what they did comes before the arrival
    if (is_leader()) {
      backend::store_release<thread_scope_block>(target::sm70{}, mine,
                                                 uint64{tag_} << 32 | uint64{expected_.warps - 1} << 27 | phase);
    }
    __syncwarp(lanes_);
    return phase;
  }

  CUDASYNC_DEVICE void wait(uint32 phase) {
    watch guard(subject::of(kind::named_barrier, expected_.id));
    for (uint32 looks = 1;; ++looks) {
      const phase_of_warps found = look();
      if (found.phase == phase && found.arrived > expected_.warps)
        report_named_barrier("more threads arrive in one phase than it expects, as where two groups use one id",
                             "take another id for each group, or let one group wait for the other in between",
                             expected_.id, found.arrived, expected_.warps, expected_.warps);
      if (found.phase != phase || found.arrived >= expected_.warps) break;
      if (looks % 32 != 0) continue;
      const bool gives_up = is_leader() && guard.has_given_up(uint64{found.arrived} << 37 | expected_.warps * 32);
      if (__any_sync(lanes_, gives_up)) break;
    }
    __threadfence_block();
    __syncwarp(lanes_);
  }

 private:
  CUDASYNC_DEVICE bool is_leader() const { return (lanes_ & ptx::get_sreg_lanemask_lt()) == 0; }

  CUDASYNC_DEVICE bool is_mine(const uint64& word, uint32 phase) const {
    const uint64 found = backend::load_relaxed<thread_scope_block>(target::sm70{}, word);
    return found >> 32 == tag_ && phase_of(found) == phase;
  }
  CUDASYNC_DEVICE static uint32 phase_of(uint64 word) { return static_cast<uint32>(word) & 0x7ffffff; }

  // Of all lanes' values.
  template <class Operation>
  CUDASYNC_DEVICE uint32 together(uint32 value, Operation operation) const {
    uint32 result = value;
    CUDASYNC_NO_UNROLL
    for (uint32 left = lanes_; left != 0; left &= left - 1)
      result = operation(result, __shfl_sync(lanes_, value, static_cast<int>(ptx::lowest_bit(left))));
    return result;
  }
  CUDASYNC_DEVICE uint32 greatest(target::sm70, uint32 value) const {
    return together(value, [](uint32 left, uint32 right) { return left < right ? right : left; });
  }
  CUDASYNC_DEVICE uint32 greatest(target::sm80, uint32 value) const { return ptx::redux_max(value, lanes_); }

  CUDASYNC_DEVICE phase_of_warps look() const {
    const uint32 rank = static_cast<uint32>(ptx::popc(lanes_ & ptx::get_sreg_lanemask_lt()));
    const uint32 lanes = static_cast<uint32>(ptx::popc(lanes_));
    uint32 phase = 0;
    uint32 arrived = 0;
    uint32 most = 0;
    uint32 fewest = 32;
    CUDASYNC_NO_UNROLL
    for (uint32 place = rank; place < warps_of_multiprocessor; place += lanes) {
      const uint64 word = backend::load_relaxed<thread_scope_block>(target::sm70{}, words_[place]);
      if (word >> 32 != tag_ || phase_of(word) < phase) continue;
      const uint32 expects = static_cast<uint32>(word >> 27) & 31;
      if (phase_of(word) > phase) {
        arrived = 0;
        most = 0;
        fewest = 32;
      }
      phase = phase_of(word);
      ++arrived;
      most = most < expects ? expects : most;
      fewest = fewest < expects ? fewest : expects;
    }
    const uint32 latest = greatest(here_or_oldest{}, phase);
    uint32 number = 0;
    const uint32 mine = phase == latest ? arrived : 0;
    number = static_cast<uint32>(ptx::popc(__ballot_sync(lanes_, (mine & 1) != 0)) +
                                 2 * ptx::popc(__ballot_sync(lanes_, (mine & 2) != 0)));
    CUDASYNC_NO_UNROLL
    for (uint32 bit = 2; bit < 7 && lanes < 32; ++bit)
      number += static_cast<uint32>(ptx::popc(__ballot_sync(lanes_, (mine >> bit & 1) != 0))) << bit;
    const bool counts = phase == latest && arrived != 0;
    const uint32 highest = greatest(here_or_oldest{}, counts ? most : 0);
    const uint32 lowest = 32 - greatest(here_or_oldest{}, counts ? 32 - fewest : 0);
    return {latest, number, highest == lowest ? highest + 1 : 0};
  }

  using here_or_oldest = target::here_or_minimum<target::sm70>::type;

  warp_count expected_;
  uint64 (&words_)[warps_of_multiprocessor];
  uint32 lanes_;
  uint32 tag_;
};

inline __device__ __noinline__ void model_arrive(warp_count expected) {
  __syncwarp();
  static_cast<void>(named_barrier_model(expected).arrive());
}

inline __device__ __noinline__ void model_sync(warp_count expected) {
  __syncwarp();
  named_barrier_model model(expected);
  model.wait(model.arrive());
}

#else

CUDASYNC_DEVICE constexpr bool is_modelled(warp_count) {
  return false;
}
CUDASYNC_DEVICE void model_arrive(warp_count) {}
CUDASYNC_DEVICE void model_sync(warp_count) {}

#endif

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
