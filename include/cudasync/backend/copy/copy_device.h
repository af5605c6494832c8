// Copies on the device: by assignment, from global to shared memory by cp.async, and in bulk by the copy engine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COPY_COPY_DEVICE_H
#define CUDASYNC_BACKEND_COPY_COPY_DEVICE_H

#include <cudasync/core/target.h>

#if CUDASYNC_DEVICE_PASS

#include <cudasync/backend/copy/copy.h>
#include <cudasync/backend/order/access_device.h>
#include <cudasync/backend/order/proxy_device.h>
#include <cudasync/backend/phase/block_phase.h>
#include <cudasync/backend/phase/cluster_phase.h>
#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/cp_async.h>
#include <cudasync/ptx/cp_async_bulk.h>

// A copy moves units of 16 bytes if both pointers are aligned to 16, which is tested at run time: an array is often
// aligned better than its element type. There are no functions out of line: docs/design/decisions/setmaxnreg_calls.md.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

using copy_target = target::here_or_minimum<target::sm70>::type;

template <class Job>
CUDASYNC_DEVICE bool is_global_to_shared(const Job& job) {
  return ptx::is_shared(job.destination) && ptx::is_global(job.source);
}

template <size_t Alignment, size_t SizeAlignment, uint32 Threads, bool IsZeroFilled>
CUDASYNC_DEVICE auto to_shared(const copy_job<Alignment, SizeAlignment, Threads, IsZeroFilled>& job) {
  return copy_job<Alignment, SizeAlignment, Threads, IsZeroFilled, ptx::shared_address, uint32>{
      ptx::to_shared(job.destination), job.source, static_cast<uint32>(job.size),
      static_cast<uint32>(job.valid),  job.rank,   job.threads};
}

CUDASYNC_DEVICE uint32 low_bits(const void* pointer) {
  return static_cast<uint32>(reinterpret_cast<uintptr>(pointer));
}
CUDASYNC_DEVICE uint32 low_bits(ptx::shared_address address) {
  return address.value;
}
CUDASYNC_DEVICE void* to_generic(void* pointer) {
  return pointer;
}

template <class Job>
inline constexpr bool is_to_shared = sizeof(Job::destination) == sizeof(ptx::shared_address);

// The widest units that the type allows.
template <class Job>
inline constexpr uint32 unit_of = Job::alignment >= 16 ? 16
                                  : Job::alignment < 8 ? 4
                                                       : 8;

// --- Units, and jobs as a whole ---

// The offset is added last, so that it becomes part of the instruction. Bytes that are not valid become zeros.
template <uint32 Unit, class Job, class Bytes>
CUDASYNC_DEVICE void copy_unit_at(const Job& job, Bytes at, Bytes offset) {
  const char* const source = job.source + at + offset;
  if constexpr (is_to_shared<Job>) {
    const ptx::shared_address to = job.destination + at + offset;
    if constexpr (Job::is_zero_filled) {
      const Bytes valid = at + offset < job.valid ? job.valid - at - offset : 0;
      ptx::cp_async(ptx::n32_t<Unit>{}, to, source, valid < Unit ? valid : Unit);
    } else {
      ptx::cp_async(ptx::n32_t<Unit>{}, to, source);
    }
  } else {
    using place = alias<typename word_of_size<Unit>::type>;
    reinterpret_cast<place*>(job.destination + at + offset)->word = reinterpret_cast<const place*>(source)->word;
  }
}

// Copies Block units of this thread, from byte at on, or fewer if they are what is left. A thread waits for units of
// one or two bytes, so it loads all of them first. If zeros follow the valid bytes, Block is 1 for these units. The
// source is opaque where the compiler would compute that of each unit left for a thread from the beginning.
template <uint32 Unit, uint32 Block, class Job, class Bytes>
CUDASYNC_DEVICE void copy_block(Job job, Bytes at, Bytes end, bool is_left = false) {
  using type = typename word_of_size<Unit>::type;
  const Bytes step = Bytes{job.threads} * Unit;
  const Bytes tested = Job::has_group ? at : 0, limit = Job::has_group ? end : end - at;
  if (is_to_shared<Job> && !Job::has_group && is_left) job.source = ptx::opaque(job.source);
  [[maybe_unused]] type loaded[Block];
#pragma unroll
  for (uint32 index = 0; index + is_left < Block; ++index)
    if (!is_left || index == 0 || tested + index * step < limit) {
      if constexpr (Unit >= 4)
        copy_unit_at<Unit>(job, at, index * step);
      else if (Job::is_zero_filled && at >= job.valid)
        loaded[index] = 0;
      else
        loaded[index] = reinterpret_cast<const alias<type>*>(job.source + at + index * step)->word;
    }
  if constexpr (Unit < 4)
#pragma unroll
    for (uint32 index = 0; index + is_left < Block; ++index)
      if (!is_left || index == 0 || tested + index * step < limit)
        static_cast<alias<type>*>(to_generic(job.destination + at + index * step))->word = loaded[index];
}

// Copies this thread's units from byte at to byte end, Block of them before the address changes, which has to wait for
// the copies that use it. IsOfRing: by a thread alone, in a loop of the user. The compiler unrolls that loop only if it
// contains no other, so the first three units that are left are not a loop.
template <uint32 Unit, uint32 Block, bool IsOfRing = false, class Job, class Bytes>
CUDASYNC_DEVICE void copy_blocks(const Job& job, Bytes at, Bytes end) {
  const Bytes step = Bytes{job.threads} * Unit;
#pragma unroll 1
  for (; at + (Block - 1) * step < end; at += Block * step)
    copy_block<Unit, Block>(job, at, end);
  if constexpr (Unit < 4 && Block > 4)
    copy_blocks<Unit, 4>(job, at, end);
  else if constexpr (IsOfRing && Unit >= 4 && Block > 1) {
    if (at >= end) return;
    copy_unit_at<Unit>(job, at, Bytes{0});
    if (at + Unit < end) copy_unit_at<Unit>(job, at, Bytes{Unit});
    if (at + 2 * Unit < end) copy_unit_at<Unit>(job, at, Bytes{2 * Unit});
    if (at + 3 * Unit < end) copy_block<Unit, Block - 3>(job, at + 3 * Unit, end, true);
  } else if (Block > 1 && at < end)
    copy_block<Unit, Block>(job, at, end, true);
}

template <uint32 Unit, class Job>
CUDASYNC_DEVICE bool is_aligned(const Job& job) {
  return Job::alignment >= Unit || (low_bits(job.destination) | low_bits(job.source)) % Unit == 0;
}

// The number of bytes of the job that are whole units.
template <uint32 Unit, class Job>
CUDASYNC_DEVICE auto whole_units(const Job& job) {
  return Job::size_alignment >= Unit ? job.size : job.size / Unit * Unit;
}

// Whether a job is so small that the widest units of the type take less time than units of 16 bytes and their test.
template <class Job>
CUDASYNC_DEVICE bool is_small(const Job& job) {
  constexpr uint32 unit = unit_of<Job>;
  __builtin_assume(job.threads != 0);
  if constexpr (Job::alignment >= 16 && !Job::is_in_warp)
    return false;
  else if constexpr (Job::has_group)
    return (uint32{(job.size - 1) / unit < job.threads * Job::own_units} & uint32{whole_units<unit>(job) == job.size} &
            uint32{is_aligned<unit>(job)}) != 0;
  else
    return is_to_shared<Job> && Job::alignment >= 4 && job.size <= 16 * unit;
}

// Whether to copy 16 bytes at a time. What is left takes another way, which all of a short copy takes, too: lanes that
// copy alone often differ in the alignment, and then wait for each other.
template <uint32 LeastPerThread, class Job>
CUDASYNC_DEVICE bool is_wide(const Job& job) {
  if constexpr (Job::alignment >= 16) return true;
  constexpr bool is_free = !is_to_shared<Job> || Job::is_zero_filled;
  return (is_aligned<16>(job) & (job.size >= 16)) != 0 &&
         (is_free || ((whole_units<16>(job) == job.size) | (job.size > LeastPerThread * job.threads)) != 0);
}

// Of a small job of a group: copies this thread's units. Returns whether it has one.
template <class Job>
CUDASYNC_DEVICE bool copy_own_unit(const Job& job) {
  const auto at = decltype(job.size){job.rank} * unit_of<Job>;
  constexpr uint32 own = Job::own_units;
  if (at < job.size) copy_block<unit_of<Job>, (own > 1 ? own + 1 : 1)>(job, at, job.size, own > 1);
  return at < job.size;
}

// Whether the pointers are aligned to no unit, or a thread alone has less than 16 bytes. Then copies elements.
template <class Job>
CUDASYNC_DEVICE bool copy_as_elements(const Job& job) {
  if constexpr (Job::alignment < 4) {
    if ((Job::has_group || !is_to_shared<Job> || job.size >= 16) && is_aligned<4>(job)) return false;
    constexpr uint32 width = Job::alignment == 2 && !Job::is_zero_filled ? 2 : 1;
    const auto rank = decltype(job.size){job.rank};
    const auto end = whole_units<width>(job);
    if (Job::has_group && !Job::is_zero_filled && job.size <= job.threads) {
      if (rank < job.size) copy_block<1, 1>(job, rank, job.size);
      return true;
    }
    copy_blocks<width, (Job::is_zero_filled ? 1 : Job::has_group ? 4 : 16)>(job, rank * width, end);
    if (end != job.size) copy_blocks<1, 1>(job, end + rank, job.size);
    return true;
  }
  return false;
}

// Copies from byte first on: the widest units that the type allows, then bytes. Block 0: for a thread, below 16 bytes.
template <uint32 Block, bool IsOfRing = false, class Job, class Bytes>
CUDASYNC_DEVICE copied copy_from(const Job& job, Bytes first) {
  constexpr uint32 unit = unit_of<Job>;
  if constexpr (unit < 16) {
    const Bytes end = whole_units<unit>(job);
    if constexpr (Block != 0)
      copy_blocks<unit, Block, IsOfRing>(job, first + Bytes{job.rank} * unit, end);
    else if (first < end)
      copy_block<unit, 16 / unit>(job, first, end, true);
    first = end;
  }
  if constexpr (Job::size_alignment < unit)
    if (first != job.size) copy_blocks<1, 1>(job, first + Bytes{job.rank}, job.size);
  return copied::by_cp_async;
}

// Copies units of 16 bytes if the pointers allow it and it pays, and the rest in smaller ones. Most: the largest number
// of bytes in units of 16, or 0 if it is not known. Block: the number of units in each iteration of a group.
template <uint32 Most = 0, bool IsOfRing = false, uint32 Block = 1, class Job>
CUDASYNC_DEVICE copied copy_units(const Job& job) {
  constexpr uint32 block = Job::has_group ? Block : Job::is_zero_filled ? 4 : is_to_shared<Job> ? 16 : 8;
  decltype(job.size) first = 0;
  if (Job::has_group && is_small(job)) return copy_own_unit(job) ? copied::by_cp_async : copied::at_once;
  if (!is_small(job) && is_wide<(Job::is_in_warp ? 64 : Job::has_group ? 16 : 127)>(job)) {
    first = whole_units<16>(job);
    __builtin_assume(Most == 0 || first <= Most);
    copy_blocks<16, block, IsOfRing>(job, decltype(first){job.rank} * 16, first);
    if (first == job.size) return copied::by_cp_async;
    if constexpr (!Job::has_group && is_to_shared<Job> && !Job::is_zero_filled) return copy_from<0>(job, first);
  } else if (copy_as_elements(job)) {
    return copied::at_once;
  }
  constexpr uint32 narrow = Job::has_group && !Job::is_zero_filled ? 4 : unit_of<Job> == 8 && block > 8 ? 8 : block;
  return copy_from<narrow, IsOfRing>(job, first);
}

// --- By assignment or cp.async ---

// Beside cp.async, the source is opaque: the compiler otherwise computes it again in these loops, and for both ways.
template <bool IsOfRing = false, class Job>
CUDASYNC_DEVICE copied copy(target::sm70, const Job& job) {
  const uint32 zero = Job::has_group && target::is_at_least<copy_target, target::sm80> ? ptx::zero_of_ptxas() : 0;
  const copy_job<Job::alignment, Job::is_zero_filled ? 1 : Job::size_alignment, Job::most_threads, false> valid{
      job.destination, job.source + zero, job.valid, job.valid, job.rank, job.threads};
  copy_units<0, IsOfRing>(valid);
  if constexpr (Job::is_zero_filled)
#pragma unroll 1
    for (size_t at = job.valid + job.rank; at < job.size; at += job.threads)
      job.destination[at] = 0;
  return copied::at_once;
}

template <uint32 Block = 1, class Job>
CUDASYNC_DEVICE copied copy(target::sm80, const Job& job) {
  if (is_global_to_shared(job)) return copy_units<0, !Job::has_group, Block>(to_shared(job));
  if constexpr (!Job::has_group) __nanosleep(0);  // ptxas predicates small ways, whose loads then cost each copy
  return copy<!Job::has_group>(target::sm70{}, job);
}

// --- For a barrier, whose phase counts the bytes of a bulk copy ---

template <class Job, class Phase>
CUDASYNC_DEVICE copied copy(target::sm70, const Job& job, Phase&) {
  return copy(copy_target{}, job);
}

// Begins a bulk copy whose bytes the phase expects. bytes: a multiple of 16.
CUDASYNC_DEVICE void copy_in_bulk(target::sm90 here, ptx::shared_address destination, const char* source, uint32 bytes,
                                  ptx::shared_address bar) {
  fence_before_copies(here);
  ptx::cp_async_bulk(destination, source, bytes, bar);
  ptx::mbarrier_expect_tx(bar, bytes);
}

// For a group and an mbarrier, from global to shared memory. Of a small job, the threads with a unit hold the phase.
template <class Job>
CUDASYNC_DEVICE copied copy_by_group(target::sm90 here, const Job& job, ptx::shared_address bar) {
  if (is_small(job)) {
    if (copy_own_unit(job)) ptx::cp_async_mbarrier_arrive(bar);
  } else if (!Job::is_zero_filled && is_wide<64>(job)) {
    const uint32 end = whole_units<16>(job);
    if ((job.rank == 0) & (end != 0)) copy_in_bulk(here, job.destination, ptx::in_global(job.source), end, bar);
    if constexpr (Job::size_alignment < 16)
      if (end != job.size) copy_blocks<1, 1>(job, end + job.rank, job.size);
  } else if (!copy_as_elements(job)) {
    return Job::is_zero_filled ? copy_units(job) : copy_from<4>(job, uint32{0});
  }
  return copied::in_bulk;
}

// A bulk copy is one instruction per thread, not per warp: cp.async is faster for an element of each thread. Without a
// zero in its barrier's address, ptxas has the address in a register for cp.async, too, and loops over lanes.
template <class Job>
CUDASYNC_DEVICE copied copy_by_thread(target::sm90 here, const Job& job, ptx::shared_address bar) {
  if (!(is_aligned<16>(job) & (job.size >= 256))) return copy_units<240>(job);
  const uint32 end = whole_units<16>(job);
  copy_in_bulk(here, job.destination, job.source, end, bar + (Job::alignment < 16 && threadIdx.x >= blockDim.x));
  return end == job.size ? copied::in_bulk : copy_from<0>(job, end);
}

// A source of unknown space in registers of each thread: ptxas otherwise tests it in uniform ones, which takes longer.
template <class Job>
CUDASYNC_DEVICE Job with_own_source(Job job) {
  if (Job::has_group && !Job::is_in_warp && !knows_space(job.source)) job.source += threadIdx.x >= blockDim.x;
  return job;
}

// For a cluster's barrier, the bytes also go to the block that contains the barrier.
template <class Job, class Phase>
CUDASYNC_DEVICE copied copy(target::sm90 here, const Job& any, Phase& phase) {
  const Job job = Job::alignment < 16 ? with_own_source(any) : any;
  if (!is_global_to_shared(job)) return copy(target::sm70{}, job);
  if constexpr (__is_base_of(block_phase, Phase) && Job::has_group) {
    if (is_mbarrier(phase) && !(Job::is_in_warp && job.size <= 64 * job.threads))
      return copy_by_group(here, to_shared(job), ptx::to_shared(&phase));
  } else if constexpr (__is_base_of(block_phase, Phase) && !Job::is_zero_filled) {
    if (is_mbarrier(phase)) return copy_by_thread(here, to_shared(job), ptx::to_shared(&phase));
  }
  return copy_units(to_shared(job));
}

// --- For a stage of a pipeline, whose producers arrive after their copies ---

template <class Job, class Phase>
CUDASYNC_DEVICE copied copy_to_stage(target::sm70, const Job& job, Phase& phase) {
  return copy(target::here{}, job, phase);
}

// Stages are large: four units in each iteration take half of the time, though small copies take 1.3 times as long.
template <class Job, class Phase>
CUDASYNC_DEVICE copied copy_to_stage(target::sm80, const Job& job, Phase&) {
  return copy<4>(target::sm80{}, job);
}

// If the compiler does not know the alignment, the code does not have both ways and their tests. A group copies up to
// eight units per thread by cp.async: the fences, count and branch of the engine take longer. The compiler unrolls this
// loop, and each iteration leaves it. A loop that is not unrolled takes up to twice as long.
template <class Job>
CUDASYNC_DEVICE copied copy_to_stage(target::sm90 here, const Job& any, block_phase& phase) {
  constexpr uint32 most = 8;
  const Job job = with_own_source(any);
  if (Job::has_group ? Job::alignment < 16 || Job::is_zero_filled : job.size < 256) return copy(target::sm80{}, job);
  const bool is_few = ((whole_units<16>(job) == job.size) & (job.size <= most * 16 * job.threads)) != 0;
  if (!Job::has_group || !is_few || !is_global_to_shared(job)) return copy(here, job, phase);
  const auto shared = to_shared(job);
  const uint32 step = job.threads * 16;
  uint32 at = job.rank * 16;
  ptx::shared_address destination = shared.destination + at;
  const char* source = shared.source + at;
#pragma unroll
  for (uint32 count = 0; count < most && at < shared.size; ++count, at += step) {
    ptx::cp_async(ptx::n32_t<16>{}, destination, source);
    destination = destination + step;
    source += step;
  }
  return copied::by_cp_async;
}

// --- Completion of asynchronous copies ---

CUDASYNC_DEVICE void commit_copies(target::sm70) {}
CUDASYNC_DEVICE void await_copies(target::sm70, uint32) {}
CUDASYNC_DEVICE void await_all_copies(target::sm70) {}

CUDASYNC_DEVICE void commit_copies(target::sm80) {
  ptx::cp_async_commit_group();
}

// The instruction takes an immediate. For a count that the compiler does not know, a tree of comparisons is faster than
// a jump table; for a count that it knows, a single wait remains. Waiting for more groups than requested is correct.
template <int Fewest, int Most>
CUDASYNC_DEVICE void await_copies_among(uint32 groups) {
  constexpr int middle = (Fewest + Most + 1) / 2;
  if constexpr (Fewest == Most)
    ptx::cp_async_wait_group<Fewest>();
  else if (groups < middle)
    await_copies_among<Fewest, middle - 1>(groups);
  else
    await_copies_among<middle, Most>(groups);
}

template <class Unused = void>
CUDASYNC_DEVICE void await_copies(target::sm80, uint32 groups) {
  await_copies_among<0, 7>(groups);
}

CUDASYNC_DEVICE void await_all_copies(target::sm80) {
  ptx::cp_async_wait_all();
}

CUDASYNC_DEVICE const void* place_of_bytes(target::sm70, const void* bytes) {
  return ptx::tested_address(bytes).value;
}

template <class Target, class Phase>
CUDASYNC_DEVICE copied hold_for_copies(Target here, Phase& phase) {
  if constexpr (target::is_at_least<Target, target::sm80> && __is_base_of(block_phase, Phase)) {
    if (is_mbarrier(phase)) {
      ptx::cp_async_mbarrier_arrive(ptx::to_shared(&phase));
      return copied::by_cp_async;
    }
  }
  await_all_copies(here);
  return copied::at_once;
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_DEVICE_PASS

#endif
