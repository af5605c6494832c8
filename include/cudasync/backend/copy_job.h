// What the backends of copies share: a copy as the threads of a group see it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COPY_JOB_H
#define CUDASYNC_BACKEND_COPY_JOB_H

#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// How a thread's part of a copy is made. What cp.async makes is in flight until the thread waits for it or commits it;
// what the copy engine makes counts as bytes that a barrier's phase expects.
enum class copied { at_once, by_cp_async, in_bulk };

// A copy of size bytes, a multiple of SizeAlignment, between pointers aligned to Alignment. Of the threads that share
// it, this is the one of that rank. Nothing is read or written beyond size bytes.
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
