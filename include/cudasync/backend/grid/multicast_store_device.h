// A store through a multicast address: multimem.st, which sm_90 and newer have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_MULTICAST_STORE_DEVICE_H
#define CUDASYNC_BACKEND_GRID_MULTICAST_STORE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/isa.h>
#include <cudasync/ptx/multimem.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

template <class Word, class Here = target::here, bool HasIsa = ptx::has_isa<81>>
CUDASYNC_DEVICE void store_release_everywhere(target::sm70, Word& word, Word value) {
  static_assert(
      !target::lacks<Here, target::sm90>,
      "stores through a multicast address need sm_90: pass the addresses of all GPUs' parts or signals on older "
      "architectures, or compile with -arch=sm_90 or newer");
  static_assert(HasIsa, "stores through a multicast address need PTX ISA 8.1: compile with CUDA 12.1 or newer");
  ptx::multimem_st(ptx::sem_release_t{}, ptx::scope_sys_t{}, ptx::to_global_pointer(&word), value);
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
