// Fences between ordinary accesses and those of the copy engine, and between changes of a tensor map and its use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BULK_FENCE_H
#define CUDASYNC_BULK_FENCE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/order/proxy_device.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/qualifiers.h>

// As in cuda.h.
typedef struct CUtensorMap_st CUtensorMap;

namespace cudasync { inline namespace CUDASYNC_ABI { namespace device {

template <class Here>
CUDASYNC_DEVICE void require_bulk_copies() {
  static_assert(
      !target::lacks<Here, target::sm90>,
      "bulk copies need sm_90: older architectures have no copy engine; copy by assignment there, or compile with "
      "-arch=sm_90 or newer");
}

// Orders ordinary loads and stores in global memory and in this block's shared memory before the bulk copies that this
// thread begins next. This includes the loads and stores of this thread and of all threads that have synchronized with
// it. So copies read what was written, and do not overwrite what is still being read. Only the copying thread calls it,
// after it has synchronized with the others and before it copies. For copies into the shared memory of another block,
// the threads of that block call it, before they synchronize with the copying thread.
template <class Here = target::here>
CUDASYNC_DEVICE void fence_before_bulk_copy() {
  require_bulk_copies<Here>();
  backend::fence_before_copies(typename target::here_or_minimum<target::sm90>::type{});
}

template <class Here>
CUDASYNC_DEVICE void require_tensor_map_fences() {
  require_bulk_copies<Here>();
  static_assert(
      ptx::has_tensormap_fences() || !target::is_at_least<Here, target::sm70>,
      "tensor maps that change on the device need PTX ISA 8.3: compile with CUDA 12.3 or newer, or encode the "
      "maps on the host");
}

// Publishes this thread's stores to a tensor map in global memory that changes on the device. Releases at Scope. Each
// thread that has written to it calls it, then synchronizes at Scope with the copying thread. sm_90 and newer.
template <thread_scope Scope = thread_scope_device, class Here = target::here>
CUDASYNC_DEVICE void release_tensor_map() {
  require_tensor_map_fences<Here>();
  ptx::fence_proxy_tensormap_generic(ptx::sem_release_t{}, typename ptx::scope_of<Scope>::type{});
}

// Makes the current contents of a tensor map visible to the copies that this thread begins next. Acquires at Scope. The
// copying thread calls it after it has synchronized with the threads that changed the map. map: in global memory,
// aligned to 128 bytes; the checked build reports other alignments. sm_90 and newer.
template <thread_scope Scope = thread_scope_device, class Here = target::here>
CUDASYNC_DEVICE void acquire_tensor_map(const CUtensorMap* map) {
  require_tensor_map_fences<Here>();
  CUDASYNC_ASSERT(reinterpret_cast<uintptr>(map) % 128 == 0,
                  "acquire_tensor_map: a map that changes on the device must be aligned to 128 bytes");
  ptx::fence_proxy_tensormap_generic(ptx::sem_acquire_t{}, typename ptx::scope_of<Scope>::type{}, map);
}

}}}  // namespace cudasync::CUDASYNC_ABI::device

#endif  // CUDASYNC_CUDA

#endif
