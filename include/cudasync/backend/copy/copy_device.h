// Copies on the device: by assignment, from global to shared memory by cp.async, and in bulk by the copy engine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COPY_COPY_DEVICE_H
#define CUDASYNC_BACKEND_COPY_COPY_DEVICE_H

#include <cudasync/core/target.h>

#if CUDASYNC_DEVICE_PASS

#include <cudasync/backend/copy/copy.h>
#include <cudasync/backend/order/proxy_device.h>
#include <cudasync/backend/phase/block_phase.h>
#include <cudasync/backend/phase/cluster_phase.h>
#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/cp_async.h>
#include <cudasync/ptx/cp_async_bulk.h>

// A copy moves units of 16 bytes if both pointers are aligned to 16 bytes. For bytes and small types this is tested at
// run time, once per copy, because an array is often aligned better than its element type, and units of 4 bytes take
// four times as many instructions. The loops for the remaining odd bytes and for smaller alignments are not unrolled,
// because each call contains them. They are no functions of their own: docs/design/decisions/setmaxnreg_calls.md.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

using copy_target = target::here_or_minimum<target::sm70>::type;

// A copy_job from global to this block's shared memory.
template <size_t Alignment, size_t SizeAlignment, bool HasGroup>
struct shared_copy_job {
  enum : size_t { alignment = Alignment, size_alignment = SizeAlignment };
  enum : bool { has_group = HasGroup };

  ptx::shared_address destination;
  const char* source;
  uint32 size;
  uint32 rank;
  uint32 threads;
};

template <class Job>
CUDASYNC_DEVICE auto to_shared(const Job& job) {
  return shared_copy_job<Job::alignment, Job::size_alignment, Job::has_group>{
      ptx::to_shared(job.destination), job.source, static_cast<uint32>(job.size), job.rank, job.threads};
}

template <class Job>
CUDASYNC_DEVICE bool is_global_to_shared(const Job& job) {
  return ptx::is_shared(job.destination) && ptx::is_global(job.source);
}

CUDASYNC_DEVICE uint32 low_bits(const void* pointer) {
  return static_cast<uint32>(reinterpret_cast<uintptr>(pointer));
}
CUDASYNC_DEVICE uint32 low_bits(ptx::shared_address address) {
  return address.value;
}

template <class Job>
CUDASYNC_DEVICE bool is_aligned(const Job& job, uint32 unit) {
  return Job::alignment >= unit || ((low_bits(job.destination) | low_bits(job.source)) & (unit - 1)) == 0;
}

// Whether the job is whole units, aligned to a unit: one test of all three values.
template <class Job>
CUDASYNC_DEVICE bool is_whole_units(const Job& job, uint32 unit) {
  const uint32 addresses = Job::alignment >= unit ? 0 : low_bits(job.destination) | low_bits(job.source);
  const uint32 size = Job::size_alignment >= unit ? 0 : job.size;
  return ((addresses | size) & (unit - 1)) == 0;
}

template <class Bytes>
CUDASYNC_DEVICE constexpr Bytes round_down(Bytes bytes, uint32 unit) {
  return bytes & ~static_cast<Bytes>(unit - 1);
}

// The number of bytes of the job that are whole units.
template <class Job>
CUDASYNC_DEVICE auto whole_units(const Job& job, uint32 unit) {
  return Job::size_alignment >= unit ? job.size : round_down(job.size, unit);
}

template <uint32 Unit>
CUDASYNC_DEVICE void copy_unit(char* destination, const char* source) {
  using type = typename word_of_size<Unit>::type;
  *reinterpret_cast<type*>(destination) = *reinterpret_cast<const type*>(source);
}

template <uint32 Unit>
CUDASYNC_DEVICE void copy_unit(ptx::shared_address destination, const char* source) {
  if constexpr (Unit == 1)
    *static_cast<char*>(ptx::to_generic(destination)) = *source;
  else
    ptx::cp_async(ptx::n32_t<Unit>{}, destination, source);
}

// Copies the whole units of the job from byte first on, if a unit begins there. Returns the end of the last unit.
template <uint32 Unit, class Job, class Bytes>
CUDASYNC_DEVICE Bytes copy_units(const Job& job, Bytes first) {
  const Bytes end = whole_units(job, Unit);
  if (first % Unit != 0) return first;
  for (Bytes at = first + Bytes{job.rank} * Unit; at < end; at += Bytes{job.threads} * Unit)
    copy_unit<Unit>(job.destination + at, job.source + at);
  return end;
}

// The same, in fewer instructions.
template <uint32 Unit, class Job, class Bytes>
CUDASYNC_DEVICE Bytes copy_rest(const Job& job, Bytes first) {
  const Bytes end = whole_units(job, Unit);
  if (first % Unit != 0) return first;
#pragma unroll 1
  for (Bytes at = first + Bytes{job.rank} * Unit; at < end; at += Bytes{job.threads} * Unit)
    copy_unit<Unit>(job.destination + at, job.source + at);
  return end;
}

// Copies whole units with the widest unit that the alignment of the type allows, or 16 bytes if the pointers allow it.
template <class Job>
CUDASYNC_DEVICE auto copy_units(const Job& job) {
  const decltype(job.size) none = 0;
  if (Job::alignment >= 16 || (job.size >= 16 && is_aligned(job, 16))) return copy_units<16>(job, none);
  if constexpr (Job::alignment >= 8) return copy_units<8>(job, none);
  if constexpr (Job::alignment >= 4) return copy_units<4>(job, none);
  return none;
}

// --- Odd bytes and smaller alignments ---

template <class Job>
CUDASYNC_DEVICE copied assign_from(size_t first, const Job& job) {
  if (is_aligned(job, 16)) first = copy_rest<16>(job, first);
  if (is_aligned(job, 4)) first = copy_rest<4>(job, first);
  static_cast<void>(copy_rest<1>(job, first));
  return copied::at_once;
}

enum : uint32 { no_barrier = ~uint32{0} };

// If there is a barrier, its phase does not complete before the copies.
template <class Job>
CUDASYNC_DEVICE void copy_from(uint32 first, const Job& job, ptx::shared_address bar = {no_barrier}) {
  const uint32 begin = first;
  if (is_aligned(job, 16)) first = copy_rest<16>(job, first);
  if (is_aligned(job, 8)) first = copy_rest<8>(job, first);
  if (is_aligned(job, 4)) first = copy_rest<4>(job, first);
  if (first != begin && bar.value != no_barrier) ptx::cp_async_mbarrier_arrive(bar);
  static_cast<void>(copy_rest<1>(job, first));
}

// Writes zeros from byte first on.
template <class Job>
CUDASYNC_DEVICE void fill_from(target::sm70, size_t first, const Job& job) {
  const size_t odd = 16 - low_bits(job.destination + first) % 16;
  const size_t middle = first + (odd % 16 < job.size - first ? odd % 16 : job.size - first);
  const size_t end = middle + round_down(job.size - middle, 16);
#pragma unroll 1
  for (size_t at = first + job.rank; at < middle; at += job.threads)
    job.destination[at] = 0;
#pragma unroll 1
  for (size_t at = middle + job.rank * size_t{16}; at < end; at += job.threads * size_t{16})
    *reinterpret_cast<uint128*>(job.destination + at) = uint128{0, 0};
#pragma unroll 1
  for (size_t at = end + job.rank; at < job.size; at += job.threads)
    job.destination[at] = 0;
}

// --- By assignment or cp.async ---

template <class Job>
CUDASYNC_DEVICE copied copy(target::sm70, const Job& job) {
  const size_t done = copy_units(job);
  if (done != job.size) assign_from(done, job);
  return copied::at_once;
}

// In other memory. If the types state that the copy is whole units of 16 bytes, the loop is shorter than a call.
template <class Job>
CUDASYNC_DEVICE copied assign(const Job& job) {
  if constexpr (Job::alignment >= 16 && Job::size_alignment >= 16)
    return copy(target::sm70{}, job);
  else
    return assign_from(0, job);
}

// A job from global to shared memory.
template <class Job>
CUDASYNC_DEVICE copied copy_by_cp_async(const Job& job) {
  const uint32 done = copy_units(job);
  if (done != job.size) copy_from(done, job);
  return copied::by_cp_async;
}

template <class Job>
CUDASYNC_DEVICE copied copy(target::sm80, const Job& job) {
  return is_global_to_shared(job) ? copy_by_cp_async(to_shared(job)) : assign(job);
}

// --- For a barrier, whose phase counts the bytes of a bulk copy ---

// A bulk copy of any size takes less time than cp.async. But it takes one instruction per thread, not per warp: if the
// threads of a warp each copy a small element, cp.async is faster.
template <bool HasGroup>
inline constexpr uint32 least_bulk_size = HasGroup ? 16 : 256;

template <class Job, class Phase>
CUDASYNC_DEVICE copied copy(target::sm70, const Job& job, Phase&) {
  return copy(copy_target{}, job);
}

using bulk_copy_target = target::here_or_minimum<target::sm90>::type;

// Begins a bulk copy whose bytes the phase expects. bytes: a multiple of 16.
CUDASYNC_DEVICE void copy_in_bulk(target::sm90 here, ptx::shared_address destination, const char* source, uint32 bytes,
                                  ptx::shared_address bar) {
  fence_before_copies(here);
  ptx::mbarrier_expect_tx(bar, bytes);
  ptx::cp_async_bulk(destination, source, bytes, bar);
}

// For sizes that are not a multiple of 16 and for other alignments.
template <class Job>
CUDASYNC_DEVICE void copy_parts(const Job& job, ptx::shared_address bar) {
  const bool is_in_bulk = job.size >= 16 && is_aligned(job, 16);
  const uint32 in_bulk = is_in_bulk ? round_down(job.size, 16) : 0;
  if (is_in_bulk && job.rank == 0) copy_in_bulk(bulk_copy_target{}, job.destination, job.source, in_bulk, bar);
  copy_from(in_bulk, job, bar);
}

// A job of a group, from global to shared memory, for an mbarrier.
template <class Job>
CUDASYNC_DEVICE copied copy_by_group(target::sm90 here, const Job& job, ptx::shared_address bar) {
  const bool is_large = job.size >= least_bulk_size<true>;
  // A copy whose alignment the compiler knows begins before the test for remaining bytes. Otherwise one test decides
  // whether the copy engine makes the whole copy. & makes one branch: the copy starts 30 cycles earlier.
  constexpr bool is_known_aligned = Job::alignment >= 16;
  const bool is_whole = is_whole_units(job, 16);
  const uint32 in_bulk = is_known_aligned ? whole_units(job, 16) : job.size;
  if ((is_known_aligned || is_whole) & is_large & (job.rank == 0))
    copy_in_bulk(here, job.destination, job.source, in_bulk, bar);
  if constexpr (Job::size_alignment < 16) {  // otherwise no bytes remain
    if (!is_whole && is_known_aligned) copy_from(is_large ? in_bulk : 0, job, bar);
    if (!is_whole && !is_known_aligned) copy_parts(job, bar);
  }
  return copied::in_bulk;
}

// A job of one thread, from global to shared memory. If it is small or not aligned, it is made by cp.async.
template <class Job>
CUDASYNC_DEVICE copied copy_by_thread(target::sm90 here, const Job& job, const block_phase& phase) {
  const bool is_large = job.size >= least_bulk_size<false>;
  const bool is_in_bulk = is_mbarrier(phase) & is_large & is_aligned(job, 16);
  const ptx::shared_address bar = is_in_bulk ? ptx::to_shared(&phase) : ptx::shared_address{no_barrier};
  uint32 done = whole_units(job, 16);
  if (is_in_bulk)
    copy_in_bulk(here, job.destination, job.source, done, bar);
  else
    done = copy_units(job);
  if (done != job.size) copy_from(done, job, bar);
  return is_in_bulk ? copied::in_bulk : copied::by_cp_async;
}

template <class Job>
CUDASYNC_DEVICE copied copy(target::sm90 here, const Job& job, block_phase& phase) {
  if (!is_global_to_shared(job)) return assign(job);
  const auto shared = to_shared(job);
  if constexpr (!Job::has_group) return copy_by_thread(here, shared, phase);
  if (is_mbarrier(phase)) return copy_by_group(here, shared, ptx::to_shared(&phase));
  copy_from(0, shared);
  return copied::by_cp_async;
}

// The same as for a block's barrier: the bytes go to the block that contains the barrier.
template <class Job>
CUDASYNC_DEVICE copied copy(target::sm90 here, const Job& job, cluster_phase& phase) {
  return copy(here, job, static_cast<block_phase&>(phase));
}

// --- For a stage of a pipeline, whose producers arrive after their copies ---

// A group copies up to this number of units per thread by cp.async. The copy engine needs fences, a count of bytes and
// a branch to one thread, which take longer.
enum : uint32 { most_units_per_thread = 8 };

template <class Job, class Phase>
CUDASYNC_DEVICE copied copy_to_stage(target::sm70, const Job& job, Phase& phase) {
  return copy(target::here{}, job, phase);
}

// The compiler unrolls the loop, and each iteration leaves it. A loop that is not unrolled takes up to 1.7 times as
// long.
template <class Job>
CUDASYNC_DEVICE void copy_few_units(const Job& job) {
  const uint32 step = job.threads * 16;
  uint32 at = job.rank * 16;
  ptx::shared_address destination = job.destination + at;
  const char* source = job.source + at;
#pragma unroll
  for (uint32 count = 0; count < most_units_per_thread && at < job.size; ++count) {
    copy_unit<16>(destination, source);
    at += step;
    destination = destination + step;
    source += step;
  }
}

// Only if the compiler knows the alignment. Otherwise the code would contain both ways and their tests, and a ring
// would take 1.6 times as long.
template <class Job>
CUDASYNC_DEVICE copied copy_to_stage(target::sm90 here, const Job& job, block_phase& phase) {
  if constexpr (Job::has_group && Job::alignment >= 16 && Job::size_alignment >= 16)
    if (job.size <= most_units_per_thread * 16 * job.threads && is_global_to_shared(job)) {
      copy_few_units(to_shared(job));
      return copied::by_cp_async;
    }
  return copy(here, job, phase);
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

template <class Phase>
CUDASYNC_DEVICE copied hold_for_copies(target::sm70, Phase&) {
  await_all_copies(copy_target{});
  return copied::at_once;
}

template <class Unused = void>
CUDASYNC_DEVICE copied hold_for_copies(target::sm80 here, block_phase& phase) {
  if (is_mbarrier(phase)) {
    ptx::cp_async_mbarrier_arrive(ptx::to_shared(&phase));
    return copied::by_cp_async;
  }
  await_all_copies(here);
  return copied::at_once;
}

template <class Unused = void>
CUDASYNC_DEVICE copied hold_for_copies(target::sm90 here, cluster_phase& phase) {
  return hold_for_copies(here, static_cast<block_phase&>(phase));
}

template <class Unused = void>
CUDASYNC_DEVICE void arrive_after_copies(target::sm70, block_phase& phase) {
  static_cast<void>(arrive(target::here{}, phase, 1));
}

template <class Unused = void>
CUDASYNC_DEVICE void arrive_after_copies(target::sm80 here, block_phase& phase) {
  if (is_mbarrier(phase)) return ptx::cp_async_mbarrier_arrive_noinc(ptx::to_shared(&phase));
  await_all_copies(here);
  static_cast<void>(arrive(target::any{}, counter_of(phase), 1));
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_DEVICE_PASS

#endif
