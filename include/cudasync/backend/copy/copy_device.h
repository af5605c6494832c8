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
// run time, once per copy, because an array is often aligned better than its element type. There are no functions out
// of line: docs/design/decisions/setmaxnreg_calls.md.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

using copy_target = target::here_or_minimum<target::sm70>::type;
using bulk_copy_target = target::here_or_minimum<target::sm90>::type;

template <class Job>
CUDASYNC_DEVICE bool is_global_to_shared(const Job& job) {
  return ptx::is_shared(job.destination) && ptx::is_global(job.source);
}

template <size_t Alignment, size_t SizeAlignment, bool HasGroup, bool IsZeroFilled>
CUDASYNC_DEVICE auto to_shared(const copy_job<Alignment, SizeAlignment, HasGroup, IsZeroFilled>& job) {
  return copy_job<Alignment, SizeAlignment, HasGroup, IsZeroFilled, ptx::shared_address, uint32>{
      ptx::to_shared(job.destination), job.source, static_cast<uint32>(job.size),
      static_cast<uint32>(job.valid),  job.rank,   job.threads};
}

CUDASYNC_DEVICE uint32 low_bits(const void* pointer) {
  return static_cast<uint32>(reinterpret_cast<uintptr>(pointer));
}
CUDASYNC_DEVICE uint32 low_bits(ptx::shared_address address) {
  return address.value;
}

template <class Bytes>
CUDASYNC_DEVICE constexpr Bytes round_down(Bytes bytes, uint32 unit) {
  return bytes & ~static_cast<Bytes>(unit - 1);
}

// --- Units ---

CUDASYNC_DEVICE void store_byte(char* destination, char byte) {
  *destination = byte;
}
CUDASYNC_DEVICE void store_byte(ptx::shared_address destination, char byte) {
  *static_cast<char*>(ptx::to_generic(destination)) = byte;
}

template <uint32 Unit>
CUDASYNC_DEVICE void copy_unit(char* destination, const char* source) {
  using type = typename word_of_size<Unit>::type;
  *reinterpret_cast<type*>(destination) = *reinterpret_cast<const type*>(source);
}

template <uint32 Unit>
CUDASYNC_DEVICE void copy_unit(ptx::shared_address destination, const char* source) {
  if constexpr (Unit == 1)
    store_byte(destination, *source);
  else
    ptx::cp_async(ptx::n32_t<Unit>{}, destination, source);
}

// Reads only the first valid bytes of the source. The other bytes become zeros.
template <uint32 Unit>
CUDASYNC_DEVICE void copy_and_fill_unit(ptx::shared_address destination, const char* source, uint32 valid) {
  if constexpr (Unit == 1)
    store_byte(destination, valid == 0 ? char{0} : *source);
  else
    ptx::cp_async(ptx::n32_t<Unit>{}, destination, source, valid < Unit ? valid : Unit);
}

// The offset is added last, so that it becomes part of the instruction.
template <uint32 Unit, class Job, class Bytes>
CUDASYNC_DEVICE void copy_unit_at(const Job& job, Bytes at, Bytes offset) {
  if constexpr (Job::is_zero_filled)
    copy_and_fill_unit<Unit>(job.destination + at + offset, job.source + at + offset,
                             at + offset < job.valid ? job.valid - at - offset : 0);
  else
    copy_unit<Unit>(job.destination + at + offset, job.source + at + offset);
}

// Copies units from byte first to byte end. A thread alone copies blocks of units at one address each, because an
// address that changes has to wait for the copies which use it. No loop remains of a few units if the compiler knows
// the size.
template <uint32 Unit, class Job, class Bytes>
CUDASYNC_DEVICE void copy_units(const Job& job, Bytes first, Bytes end) {
  constexpr uint32 count = Job::has_group ? 1 : 4;
  constexpr uint32 block = 8 * Unit;
  constexpr bool has_blocks = !Job::has_group && !Job::is_zero_filled;
  const Bytes step = Bytes{job.threads} * Unit;
#pragma unroll 1
  for (; has_blocks && end - first >= block; first += block) {
#pragma unroll
    for (uint32 offset = 0; offset < block; offset += Unit)
      copy_unit_at<Unit>(job, first, Bytes{offset});
  }
#pragma unroll 1
  for (Bytes at = first + Bytes{job.rank} * Unit; at < end; at += count * step) {
#pragma unroll
    for (uint32 index = 0; index < count; ++index)
      if (at + index * step < end) copy_unit_at<Unit>(job, at, index * step);
  }
}

// The same for bytes. A thread waits for the bytes that it loads. If there may be many, it loads several at a time.
template <class Job, class Bytes>
CUDASYNC_DEVICE void copy_bytes(const Job& job, Bytes first, Bytes end) {
  constexpr bool are_many = Job::alignment < 4 && !Job::is_zero_filled;
  constexpr uint32 count = Job::has_group ? 4 : 16;
  const Bytes step = Bytes{job.threads};
#pragma unroll 1
  for (; are_many && first + count * step <= end; first += count * step) {
    char loaded[count];
#pragma unroll
    for (uint32 index = 0; index < count; ++index)
      loaded[index] = (job.source + first + job.rank)[index * step];
#pragma unroll
    for (uint32 index = 0; index < count; ++index)
      store_byte(job.destination + first + job.rank + index * step, loaded[index]);
  }
#pragma unroll 1
  for (Bytes at = first + job.rank; at < end; at += step)
    copy_unit_at<1>(job, at, Bytes{0});
}

// --- A job as a whole ---

template <uint32 Unit, class Job>
CUDASYNC_DEVICE bool is_aligned(const Job& job) {
  return Job::alignment >= Unit || (low_bits(job.destination) | low_bits(job.source)) % Unit == 0;
}

// The number of bytes of the job that are whole units.
template <uint32 Unit, class Job>
CUDASYNC_DEVICE auto whole_units(const Job& job) {
  return Job::size_alignment >= Unit ? job.size : round_down(job.size, Unit);
}

struct no_bulk {
  template <class Job>
  CUDASYNC_DEVICE bool operator()(const Job&, size_t) const {
    return false;
  }
};

// Copies units of 16 bytes if the pointers allow it, then the widest units that the type allows, and then bytes.
// copy_in_bulk: passes the units of 16 bytes to the copy engine and returns true, or returns false.
template <class Job, class Bulk = no_bulk>
CUDASYNC_DEVICE copied copy_units(const Job& job, Bulk copy_in_bulk = {}) {
  using bytes = decltype(job.size);
  constexpr uint32 unit = Job::alignment >= 16 ? 16 : Job::alignment >= 8 ? 8 : 4;
  bytes first = 0;
  if (is_aligned<16>(job) & ((Job::size_alignment >= 16) | (job.size >= 16))) {
    const bytes end = whole_units<16>(job);
    const bool is_bulk = copy_in_bulk(job, end);
    if (!is_bulk) copy_units<16>(job, first, end);
    if (end == job.size) return is_bulk ? copied::in_bulk : copied::by_cp_async;
    first = end;
  }
  const bool has_units = is_aligned<unit>(job);
  if (unit < 16 && has_units) {
    const bytes end = whole_units<unit>(job);
    copy_units<unit>(job, first, end);
    first = end;
  }
  if constexpr (Job::size_alignment < unit) copy_bytes(job, first, job.size);
  return has_units ? copied::by_cp_async : copied::at_once;
}

// --- By assignment or cp.async ---

template <class Job>
CUDASYNC_DEVICE copied copy(target::sm70, const Job& job) {
  const copy_job<Job::alignment, Job::is_zero_filled ? 1 : Job::size_alignment, Job::has_group, false> valid{
      job.destination, job.source, job.valid, job.valid, job.rank, job.threads};
  copy_units(valid);
  if constexpr (Job::is_zero_filled)
#pragma unroll 1
    for (size_t at = job.valid + job.rank; at < job.size; at += job.threads)
      job.destination[at] = 0;
  return copied::at_once;
}

template <class Job>
CUDASYNC_DEVICE copied copy(target::sm80, const Job& job) {
  return is_global_to_shared(job) ? copy_units(to_shared(job)) : copy(target::sm70{}, job);
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
  ptx::mbarrier_expect_tx(bar, bytes);
  ptx::cp_async_bulk(destination, source, bytes, bar);
}

// A bulk copy of any size takes less time than cp.async. But it takes one instruction per thread, not per warp: if the
// threads of a warp each copy a small element, cp.async is faster.
struct bulk_if_it_pays {
  block_phase& phase;

  template <class Job>
  CUDASYNC_DEVICE bool operator()(const Job& job, uint32 bytes) const {
    if (Job::is_zero_filled || !is_mbarrier(phase) || !(Job::has_group || bytes >= 256)) return false;
    if ((job.rank == 0) & (bytes != 0))
      copy_in_bulk(bulk_copy_target{}, job.destination, job.source, bytes, ptx::to_shared(&phase));
    return true;
  }
};

// Whether a job is whole units of 16 bytes: one test of both pointers and the size.
template <class Job>
CUDASYNC_DEVICE bool is_whole_units(const Job& job) {
  const uint32 addresses = Job::alignment >= 16 ? 0 : low_bits(job.destination) | low_bits(job.source);
  return ((addresses | (Job::size_alignment >= 16 ? 0 : job.size)) & 15) == 0;
}

// A job of a group, from global to shared memory, for an mbarrier, whose phase waits for all of it. A copy of whole
// units begins before all other tests: a copy from L2 takes 400 cycles instead of 500. & makes one branch.
template <class Job>
CUDASYNC_DEVICE copied copy_by_group(target::sm90 here, const Job& job, block_phase& phase) {
  const ptx::shared_address bar = ptx::to_shared(&phase);
  const bool is_whole = is_whole_units(job);
  if (is_whole & (job.size != 0) & (job.rank == 0)) copy_in_bulk(here, job.destination, job.source, job.size, bar);
  if constexpr (Job::alignment < 16 || Job::size_alignment < 16)
    if (__builtin_expect(!is_whole, false) && copy_units(job, bulk_if_it_pays{phase}) == copied::by_cp_async)
      ptx::cp_async_mbarrier_arrive(bar);
  return copied::in_bulk;
}

template <class Job>
CUDASYNC_DEVICE copied copy(target::sm90 here, const Job& job, block_phase& phase) {
  if (!is_global_to_shared(job)) return copy(target::sm70{}, job);
  if constexpr (Job::has_group && !Job::is_zero_filled)
    if (is_mbarrier(phase)) return copy_by_group(here, to_shared(job), phase);
  return copy_units(to_shared(job), bulk_if_it_pays{phase});
}

// The same as for a block's barrier: the bytes go to the block that contains the barrier.
template <class Job>
CUDASYNC_DEVICE copied copy(target::sm90 here, const Job& job, cluster_phase& phase) {
  return copy(here, job, static_cast<block_phase&>(phase));
}

// --- For a stage of a pipeline, whose producers arrive after their copies ---

template <class Job, class Phase>
CUDASYNC_DEVICE copied copy_to_stage(target::sm70, const Job& job, Phase& phase) {
  return copy(target::here{}, job, phase);
}

// A group copies up to this number of units per thread by cp.async. The copy engine needs fences, a count of bytes and
// a branch to one thread, which take longer.
enum : uint32 { most_units_per_thread = 8 };

// The compiler unrolls the loop, and each iteration leaves it. A loop that is not unrolled takes up to twice as long.
template <class Job>
CUDASYNC_DEVICE copied copy_few_units(const Job& job) {
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
  return copied::by_cp_async;
}

// If the compiler does not know the alignment, the code does not contain both ways and their tests.
template <class Job>
CUDASYNC_DEVICE copied copy_to_stage(target::sm90 here, const Job& job, block_phase& phase) {
  constexpr bool is_known = Job::alignment >= 16 && Job::size_alignment >= 16 && !Job::is_zero_filled;
  if constexpr (Job::has_group && !is_known) return copy(target::sm80{}, job);
  if constexpr (Job::has_group)
    if (job.size <= most_units_per_thread * 16 * job.threads && is_global_to_shared(job))
      return copy_few_units(to_shared(job));
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

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_DEVICE_PASS

#endif
