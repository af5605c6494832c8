// Copies on the host: the first thread of the group makes the whole copy, synchronously.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COPY_COPY_HOST_H
#define CUDASYNC_BACKEND_COPY_COPY_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/backend/copy/copy.h>
#include <cudasync/core/target.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

template <class Job, class... Phase>
inline copied copy(target::host, const Job& job, Phase&...) {
  if (job.rank == 0 && job.valid != 0) __builtin_memcpy(job.destination, job.source, job.valid);
  if (job.rank == 0 && job.size != job.valid) __builtin_memset(job.destination + job.valid, 0, job.size - job.valid);
  return copied::at_once;
}

template <class Job, class Phase>
inline copied copy_to_stage(target::host here, const Job& job, Phase&) {
  return copy(here, job);
}

inline void commit_copies(target::host) {}
inline void await_copies(target::host, uint32) {}
inline void await_all_copies(target::host) {}

inline const void* place_of_bytes(target::host, const void* bytes) {
  return bytes;
}

template <class Phase>
inline copied hold_for_copies(target::host, Phase&) {
  return copied::at_once;
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_HAS_HOST

#endif
