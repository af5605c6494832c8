// Copies that the threads of a group share: each thread makes its part, synchronously or asynchronously.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COPY_COPY_H
#define CUDASYNC_BACKEND_COPY_COPY_H

#include <cudasync/core/config.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// How a thread's part of a copy is made: synchronously, by cp.async, or by the copy engine. The thread must wait for
// copies by cp.async or commit them. The bytes of the copy engine count as bytes that the phase of a barrier expects.
enum class copied { at_once, by_cp_async, in_bulk };

// The size of a group if its type says it, as a tile of a warp does, or that of the largest block.
template <class Group, class = void>
inline constexpr uint32 most_threads = 1024;
template <class Group>
inline constexpr uint32 most_threads<Group, typename enable_if<(Group::size() > 0)>::type> = Group::size();

// A copy of size bytes, a multiple of SizeAlignment, between pointers aligned to Alignment. This thread has this rank
// among the threads that share the copy, at most MostThreads, which is 1 for a thread alone. Nothing is read or written
// beyond size bytes. If it is zero-filled, only the first valid bytes are read, and the others become zeros.
template <size_t Alignment, size_t SizeAlignment, uint32 MostThreads, bool IsZeroFilled, class Address = char*,
          class Bytes = size_t>
struct copy_job {
  enum : size_t { alignment = Alignment, size_alignment = SizeAlignment };
  enum : bool { has_group = MostThreads > 1, is_in_warp = has_group && MostThreads <= 32 };
  enum : bool { is_zero_filled = IsZeroFilled };
  enum : uint32 { most_threads = MostThreads, own_units = is_in_warp ? (MostThreads + 7) / 8 : 1 };

  Address destination;
  const char* source;
  Bytes size;
  Bytes valid;
  uint32 rank;
  uint32 threads;
};

}}}  // namespace cudasync::CUDASYNC_ABI::backend

// Each backend provides, as functions overloaded on the target:
//   copy(here, job)                  this thread's part of the job; returns how it is made: at_once or by_cp_async
//   copy(here, job, phase)           the same for a barrier; can also return in_bulk, if the phase expects the bytes
//   copy_to_stage(here, job, phase)  the same for the phase of a pipeline's stage
//   commit_copies(here)              makes a group of the copies that this thread started by_cp_async
//   await_copies(here, groups)       waits until at most that many of this thread's latest groups are incomplete
//   await_all_copies(here)           waits for all of them
//   place_of_bytes(here, bytes)      the same address, without what the compiler knows of the class that has the bytes
//   hold_for_copies(here, phase)     keeps the phase from completing before them; returns at_once if it had to wait
#if CUDASYNC_DEVICE_PASS
#include <cudasync/backend/copy/copy_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/backend/copy/copy_host.h>
#endif

#endif
