// The description of a copy that the threads of a group share, for the backends of copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COPY_COPY_JOB_H
#define CUDASYNC_BACKEND_COPY_COPY_JOB_H

#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// How a thread's part of a copy is made: synchronously, by cp.async, or by the copy engine. The thread must wait for
// copies by cp.async or commit them. The bytes of the copy engine count as bytes that the phase of a barrier expects.
enum class copied { at_once, by_cp_async, in_bulk };

// A copy of size bytes, a multiple of SizeAlignment, between pointers aligned to Alignment. This thread has this rank
// among the threads that share the copy. Nothing is read or written beyond size bytes.
template <size_t Alignment, size_t SizeAlignment, bool HasGroup>
struct copy_job {
  enum : size_t { alignment = Alignment, size_alignment = SizeAlignment };
  enum : bool { has_group = HasGroup };

  char* destination;
  const char* source;
  size_t size;
  uint32 rank;
  uint32 threads;
};

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
