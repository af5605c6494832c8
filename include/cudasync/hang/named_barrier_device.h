// The checked build's model of named barriers, which records the arrivals of each warp; it is empty in other builds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_NAMED_BARRIER_DEVICE_H
#define CUDASYNC_HANG_NAMED_BARRIER_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/hang/watch.h>

#if CUDASYNC_CHECKED
#include <cudasync/core/target.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/record_words_device.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/arithmetic.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/ld_st.h>
#include <cudasync/ptx/special_registers.h>
#endif

// The hardware does not show which warps have arrived, counts a warp that arrives twice as two warps, and does not let
// a waiting warp give up. So the checked build has its own named barriers: an object of the registry for each block and
// id, in which each warp of the block has a word (warp_arrival). A warp writes only its own word, with release. It
// reads the words of all warps, relaxed, and model_sync ends with a fence. The latest phase that it finds is the
// current phase, unless all warps of that phase have arrived. The L1 cache of one multiprocessor serves all accesses.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// The id of a barrier, and the number of warps that it expects; 0 for all threads of the block.
struct warp_count {
  uint32 id;
  uint32 warps;

  // Not constexpr: cicc (13.0) would load the constants from memory.
  CUDASYNC_DEVICE warp_count(uint32 the_id, uint32 the_warps) : id(the_id), warps(the_warps) {}
  CUDASYNC_DEVICE bool is_modelled() const { return is_checked && id != 0 && warps != 0; }
};

#if CUDASYNC_CHECKED

// What the lanes of a converged warp find in the words of all warps.
struct phase_of_warps {
  uint32 phase;     // the latest
  uint32 arrived;   // warps in it
  uint32 expected;  // the number of warps that they expect; 0 if they do not agree
};

class named_barrier_model {
 public:
  CUDASYNC_DEVICE named_barrier_model(warp_count expected, object_record& record, uint32 lanes)
      : expected_(expected), record_(record), check_(check_of(address_of(expected.id))), lanes_(lanes) {}

  // For a converged warp without exited threads: the record is not searched. If another object has it, no word counts.
  CUDASYNC_DEVICE static named_barrier_model of_whole_warp(warp_count expected) {
    return {expected, *place_of(address_of(expected.id), 0), all_lanes};
  }
  // The record is made if there is none.
  CUDASYNC_DEVICE static named_barrier_model of_other_warp(warp_count expected) {
    return {expected, *record_at(address_of(expected.id)), __ballot_sync(all_lanes, true)};
  }

  // Arrives if the warp has arrived in the latest phase or the one before, and all expect one number. The phase, or 0.
  CUDASYNC_DEVICE uint32 try_arrive() const {
    const uint32 own = own_arrival().phase();
    const warp_arrival each = arrival_of(ptx::get_sreg_laneid());
    const uint32 age = each.phase() - own;
    const bool differs = each.expected() != expected_.warps;
    const bool is_odd = is_ahead(age) & ((age > 1) | differs);  // without branches
    const uint32 newer = number_of_lanes(age == 1);
    const uint32 same = number_of_lanes(age == 0);
    if (own == 0 || __any_sync(all_lanes, is_odd) != 0 || (newer == 0 && same < expected_.warps)) return 0;
    const uint32 phase = newer < expected_.warps ? own + 1 : own + 2;
    store(phase);
    return phase;
  }

  // Polls a few times. Returns whether all warps of the phase have arrived, as many as it expects.
  CUDASYNC_DEVICE bool try_wait(uint32 phase) const {
    uint32 age = ~uint32{0};  // of the word of one warp; not read again after its arrival
    CUDASYNC_NO_UNROLL
    for (uint32 looks = 0; looks < 64; ++looks) {
      if (!is_ahead(age)) age = arrival_of(ptx::get_sreg_laneid()).phase() - phase;
      const uint32 arrived = number_of_lanes(age == 0);
      if (arrived > expected_.warps) return false;
      if (__any_sync(all_lanes, is_ahead(age) && age != 0) != 0 || arrived == expected_.warps) return true;
    }
    return false;
  }

  CUDASYNC_DEVICE uint32 arrive_slowly() const {
    const phase_of_warps found = look();
    const bool is_complete = found.phase == 0 || (found.expected != 0 && found.arrived >= found.expected);
    const uint32 phase = is_complete ? found.phase + 1 : found.phase;
    if (!is_complete && found.expected != expected_.warps)
      report_named_barrier(
          {"warps of one phase expect different numbers of threads",
           "if they are of two groups, give each group an id of its own; otherwise pass the same number in all of them",
           expected_.id, found.arrived, expected_.warps, found.expected});
    if (!is_complete && own_arrival().phase() == phase)
      report_named_barrier(
          {"this warp arrives a second time before the phase is complete",
           "let it wait for the other side between its arrivals: by sync in place of arrive, or at another barrier",
           expected_.id, found.arrived, expected_.warps, found.expected});
    store(phase);
    return phase;
  }

  CUDASYNC_DEVICE void wait_slowly(uint32 phase) const {
    watch guard(subject::of(kind::named_barrier, expected_.id), explain_named_barrier);
    for (uint32 looks = 1; !is_complete(phase); ++looks) {
      if (looks % 32 != 0) continue;
      const uint64 value = uint64{look().arrived} << 37 | expected_.warps * 32;
      if (__any_sync(lanes_, is_leader() && guard.has_given_up(value)) != 0) return;
    }
  }

 private:
  CUDASYNC_DEVICE void store(uint32 phase) const {
    __syncwarp(lanes_);  // all lanes have read the words, and their accesses come before the arrival
    if (is_leader())
      ptx::st(ptx::sem_release_t{}, ptx::scope_cta_t{}, ptx::to_global_pointer(&own_word()),
              warp_arrival::word_of(check_, phase, expected_.warps));
  }

  CUDASYNC_DEVICE static uint32 address_of(uint32 id) { return address_of_named_barriers + 8 * id; }

  CUDASYNC_DEVICE uint64& word_at(uint32 warp) const { return record_.warps[warp].at_named_barrier; }
  CUDASYNC_DEVICE uint64& own_word() const { return word_at(backend::rank_in_block() / 32 % 32); }

  CUDASYNC_DEVICE warp_arrival own_arrival() const { return warp_arrival::of(read_near(own_word()), check_); }
  CUDASYNC_DEVICE warp_arrival arrival_of(uint32 warp) const {
    return warp * 32 < threads_of_block() ? warp_arrival::of(read_near(word_at(warp)), check_) : warp_arrival{0};
  }

  CUDASYNC_DEVICE bool is_leader() const { return (lanes_ & ptx::get_sreg_lanemask_lt()) == 0; }

  // Calls a function with the arrivals of all warps: each lane with its own, or with several in a smaller warp.
  template <class Function>
  CUDASYNC_DEVICE void for_all_warps(warp_arrival mine, Function function) const {
    if (lanes_ == all_lanes) return function(mine);
    const uint32 lanes = ptx::popc(lanes_);
    const uint32 rank = ptx::popc(lanes_ & ptx::get_sreg_lanemask_lt());
    CUDASYNC_NO_UNROLL
    for (uint32 base = 0; base < 32; base += lanes)
      function(base + rank < 32 ? arrival_of(base + rank) : warp_arrival{0});
  }

  CUDASYNC_DEVICE uint32 number_of_lanes(bool is_counted) const { return ptx::popc(__ballot_sync(lanes_, is_counted)); }

  CUDASYNC_DEVICE uint32 greatest(target::sm70, uint32 value) const {
    uint32 result = value;
    CUDASYNC_NO_UNROLL
    for (uint32 left = lanes_; left != 0; left &= left - 1) {
      const uint32 other = __shfl_sync(lanes_, value, static_cast<int>(ptx::lowest_bit(left)));
      result = result < other ? other : result;
    }
    return result;
  }
  CUDASYNC_DEVICE uint32 greatest(target::sm80, uint32 value) const { return ptx::redux_max(value, lanes_); }

  __device__ __noinline__ phase_of_warps look() const {
    for (;;) {
      uint32 latest = 0;
      const warp_arrival mine = arrival_of(ptx::get_sreg_laneid());
      for_all_warps(mine, [&latest](warp_arrival each) { latest = latest < each.phase() ? each.phase() : latest; });
      phase_of_warps found{greatest(here_or_oldest{}, latest), 0, 0};
      bool has_newer = false;  // words that a warp with fewer lanes reads twice may change in between
      uint32 most = 0;         // warps expected
      uint32 beyond = 0;       // 32 minus the fewest
      for_all_warps(mine, [&](warp_arrival each) {
        const uint32 expected = each.phase() == found.phase ? each.expected() : 0;
        found.arrived += number_of_lanes(expected != 0);
        has_newer = has_newer || each.phase() > found.phase;
        most = most < expected ? expected : most;
        beyond = expected != 0 && beyond < 32 - expected ? 32 - expected : beyond;
      });
      if (lanes_ != all_lanes && __any_sync(lanes_, has_newer) != 0) continue;
      most = greatest(here_or_oldest{}, most);
      found.expected = most + greatest(here_or_oldest{}, beyond) == 32 ? most : 0;
      return found;
    }
  }

  // Whether all warps of the phase have arrived, or a later phase has begun.
  __device__ __noinline__ bool is_complete(uint32 phase) const {
    bool is_over = false;
    uint32 arrived = 0;
    for_all_warps(arrival_of(ptx::get_sreg_laneid()), [this, phase, &is_over, &arrived](warp_arrival each) {
      is_over = is_over || each.phase() > phase;
      arrived += number_of_lanes(each.phase() == phase);
    });
    if (__any_sync(lanes_, is_over) != 0) return true;
    if (arrived > expected_.warps)
      report_named_barrier(
          {"more threads arrive in one phase than it expects, for example because two groups use one id",
           "use a different id for each group, or let one group wait for the other before it uses the id", expected_.id,
           arrived, expected_.warps, expected_.warps});
    return arrived == expected_.warps;
  }

  // How far a phase is from another one. Phases wrap around, so a greater one is less than half of the numbers ahead.
  CUDASYNC_DEVICE static bool is_ahead(uint32 distance) { return distance < 0x80000000; }

  using here_or_oldest = target::here_or_minimum<target::sm70>::type;

  warp_count expected_;
  object_record& record_;
  uint32 check_;
  uint32 lanes_;
};

inline __device__ __noinline__ uint32 arrive_at_model(warp_count expected) {
  return named_barrier_model::of_other_warp(expected).arrive_slowly();
}
inline __device__ __noinline__ void wait_at_model(warp_count expected, uint32 phase) {
  named_barrier_model::of_other_warp(expected).wait_slowly(phase);
}

// phase: of an arrival that has been made, or 0.
inline __device__ __noinline__ void model_sync_slowly(uint32 id, uint32 count, uint32 phase) {
  if (phase == 0) phase = pointer_to<arrive_at_model>()({id, count});
  pointer_to<wait_at_model>()({id, count}, phase);
}
inline __device__ __noinline__ void model_arrive_slowly(uint32 id, uint32 count) {
  static_cast<void>(pointer_to<arrive_at_model>()({id, count}));
}

CUDASYNC_DEVICE void model_arrive(warp_count expected) {
  __syncwarp();
  CUDASYNC_LANES_HERE(lanes);
  if (lanes != all_lanes || named_barrier_model::of_whole_warp(expected).try_arrive() == 0)
    model_arrive_slowly(expected.id, expected.warps);
}

CUDASYNC_DEVICE void model_sync(warp_count expected) {
  __syncwarp();
  uint32 phase = 0;
  bool is_over = false;
  CUDASYNC_LANES_HERE(lanes);
  if (lanes == all_lanes) {
    const auto model = named_barrier_model::of_whole_warp(expected);
    phase = model.try_arrive();
    is_over = phase != 0 && model.try_wait(phase);
  }
  if (!is_over) model_sync_slowly(expected.id, expected.warps, phase);
  // Accesses of all warps before the phase completed come before the accesses that follow.
  ptx::fence(ptx::sem_acq_rel_t{}, ptx::scope_cta_t{});
  __syncwarp();
}

#else

CUDASYNC_DEVICE void model_arrive(warp_count) {}
CUDASYNC_DEVICE void model_sync(warp_count) {}

#endif

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA

#endif
