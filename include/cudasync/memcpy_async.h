// cuda::memcpy_async: asynchronous copies that a phase of a barrier tracks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MEMCPY_ASYNC_H
#define CUDASYNC_MEMCPY_ASYNC_H

#include <cudasync/aligned_size.h>
#include <cudasync/backend/copy/copy.h>
#include <cudasync/barrier.h>
#include <cudasync/checked/phase.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/trace/span.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// How a copy is carried out: this thread's part is complete when the call returns (none), or may not be (async).
enum async_contract_fulfillment {
  // This thread's part of the copy is complete.
  none,
  // This thread's part of the copy may still be in progress.
  async
};

// A size of which only the first bytes are copied. The others are set to zero. Use it for the last tile of an array.
template <size_t Alignment = 1>
struct zero_filled_size {
  // The bytes of the destination that are written.
  size_t value;  // bytes
  // The bytes of the source that are read.
  size_t valid_bytes;

  // A size of which only the first valid bytes are copied. valid: 0 to bytes; the checked build reports more.
  CUDASYNC_API constexpr zero_filled_size(size_t bytes, size_t valid) : value(bytes), valid_bytes(valid) {
    CUDASYNC_ASSERT(valid <= bytes, "zero_filled_size: there can be no more valid bytes than bytes");
  }
  // A size with a promise about the alignment, of which only the first valid bytes are copied. valid: 0 to bytes.
  CUDASYNC_API constexpr zero_filled_size(aligned_size_t<Alignment> bytes, size_t valid)
      : zero_filled_size(bytes.value, valid) {}
};

// --- From the arguments of memcpy_async to the backend's job ---

template <size_t Alignment, bool IsZeroFilled>
struct copy_extent {
  size_t size;
  size_t valid_bytes;
};

template <class Integer>
CUDASYNC_API copy_extent<1, false> extent_of(Integer bytes) {
  return {static_cast<size_t>(bytes), static_cast<size_t>(bytes)};
}
template <size_t Alignment>
CUDASYNC_API copy_extent<Alignment, false> extent_of(aligned_size_t<Alignment> bytes) {
  return {bytes.value, bytes.value};
}
template <size_t Alignment>
CUDASYNC_API copy_extent<Alignment, true> extent_of(zero_filled_size<Alignment> bytes) {
  return {bytes.value, bytes.valid_bytes};
}

// In place of a group: only the calling thread.
struct no_group {
  CUDASYNC_API static uint32 thread_rank() { return 0; }
  CUDASYNC_API static constexpr uint32 size() { return 1; }
  CUDASYNC_API static void sync() {}
};

CUDASYNC_EXEC_CHECK_DISABLE
template <size_t Alignment, bool IsZeroFilled, size_t SizeAlignment, class Group>
CUDASYNC_API auto copy_job_of(const Group& group, void* destination, const void* source,
                              copy_extent<SizeAlignment, IsZeroFilled> bytes) {
  return backend::copy_job<Alignment, SizeAlignment, backend::most_threads<Group>, IsZeroFilled>{
      static_cast<char*>(destination),          static_cast<const char*>(source), bytes.size, bytes.valid_bytes,
      static_cast<uint32>(group.thread_rank()), static_cast<uint32>(group.size())};
}

template <size_t Alignment>
CUDASYNC_API void check_copy(const void* destination, const void* source, [[maybe_unused]] size_t size) {
  [[maybe_unused]] const uintptr to = reinterpret_cast<uintptr>(destination);
  [[maybe_unused]] const uintptr from = reinterpret_cast<uintptr>(source);
  CUDASYNC_ASSERT(least_aligned<Alignment>(destination, source) % Alignment == 0,
                  "memcpy_async: destination and source must be aligned as their type and aligned_size_t promise");
  CUDASYNC_ASSERT(from >= to + size || to >= from + size, "memcpy_async: destination and source must not overlap");
}

template <class Job, thread_scope Scope, class Completion>
CUDASYNC_API backend::copied begin_copy(const Job& job, barrier<Scope, Completion>& bar) {
  const trace::span traced(trace::action::copy, {&phase_of(bar), job.size / job.threads});
  checked::note_copies(phase_of(bar));
  const backend::copied how = backend::copy(target::here{}, job, phase_of(bar));
  return how == backend::copied::by_cp_async ? backend::hold_for_copies(target::here{}, phase_of(bar)) : how;
}

// The copy as a whole. Tracker: a barrier or a pipeline.
template <size_t ValueAlignment, class Group, size_t SizeAlignment, bool IsZeroFilled, class Tracker>
CUDASYNC_API async_contract_fulfillment copy_tracked_by(Tracker& tracker, const Group& group, void* destination,
                                                        const void* source,
                                                        copy_extent<SizeAlignment, IsZeroFilled> bytes) {
  constexpr size_t alignment = ValueAlignment > SizeAlignment ? ValueAlignment : SizeAlignment;
  check_copy<alignment>(destination, source, bytes.size);
  if constexpr (ValueAlignment == 1) {
    destination = const_cast<void*>(backend::place_of_bytes(target::here{}, destination));
    source = backend::place_of_bytes(target::here{}, source);
  }
  const auto job = copy_job_of<alignment, IsZeroFilled, SizeAlignment>(group, destination, source, bytes);
  const backend::copied how = begin_copy(job, tracker);
  return how == backend::copied::at_once ? none : async;
}

template <class Value>
CUDASYNC_API constexpr void check_copied_type() {
  static_assert(
      is_trivially_copyable<Value>,
      "memcpy_async needs a trivially copyable type, because it copies bytes; copy other types by assignment");
}

// --- memcpy_async ---

// Copies size bytes, shared by the threads of the group. The current phase of bar does not complete before the copy.
// Call it before this thread's arrival in that phase. Between the call and the completion of the phase, no thread may
// access the destination or write the source. Source and destination must not overlap, must be aligned as Value is (and
// as aligned_size_t promises), and may be in any memory. The checked build reports overlap and wrong alignment.
//
// size: an integer, aligned_size_t<n>, which promises alignment to n bytes, or zero_filled_size.
// group: the threads that share the copy. All of them call the function with the same arguments. The group is not
// synchronized. A type with thread_rank() and size(), such as this_thread_block() or a group of cooperative groups.
//
// From global to shared memory, for a block's or cluster's barrier in shared memory, no thread waits for the copy: the
// copy engine makes it on sm_90 and newer if both pointers are aligned to 16 bytes and it is not small; otherwise it is
// cp.async on sm_80 and newer, in units of 16, 8 or 4 bytes. Bytes beyond such units, and copies with other memories,
// other barriers, older targets or on the host, are made before it returns: by assignment, or cp.async and a wait.
//
// Ordering: the bytes are visible to threads that waited for the phase. Source: libcu++, except zero_filled_size.
template <class Group, class Value, class Size, thread_scope Scope, class Completion>
CUDASYNC_API async_contract_fulfillment memcpy_async(const Group& group, Value* destination, const Value* source,
                                                     Size size, barrier<Scope, Completion>& bar) {
  check_copied_type<Value>();
  return copy_tracked_by<alignof(Value)>(bar, group, destination, source, extent_of(size));
}
// Copies size bytes, shared by the threads of the group, without a promise about the alignment.
template <class Group, class Size, thread_scope Scope, class Completion>
CUDASYNC_API async_contract_fulfillment memcpy_async(const Group& group, void* destination, const void* source,
                                                     Size size, barrier<Scope, Completion>& bar) {
  return copy_tracked_by<1>(bar, group, destination, source, extent_of(size));
}
// Copies size bytes, in the calling thread alone. Otherwise, it is the same as with a group: call it before this thread
// arrives, and until the phase completes, no thread may access the destination or write the source.
template <class Value, class Size, thread_scope Scope, class Completion>
CUDASYNC_API async_contract_fulfillment memcpy_async(Value* destination, const Value* source, Size size,
                                                     barrier<Scope, Completion>& bar) {
  check_copied_type<Value>();
  return copy_tracked_by<alignof(Value)>(bar, no_group{}, destination, source, extent_of(size));
}
// Copies size bytes in the calling thread alone, without a promise about the alignment.
template <class Size, thread_scope Scope, class Completion>
CUDASYNC_API async_contract_fulfillment memcpy_async(void* destination, const void* source, Size size,
                                                     barrier<Scope, Completion>& bar) {
  return copy_tracked_by<1>(bar, no_group{}, destination, source, extent_of(size));
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif
