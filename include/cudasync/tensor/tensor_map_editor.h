// tensor_map_editor: a warp makes a tensor map describe another tensor, and publishes it for the copy engine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TENSOR_TENSOR_MAP_EDITOR_H
#define CUDASYNC_TENSOR_TENSOR_MAP_EDITOR_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/bulk_fence.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/ptx/tensormap.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// The 128 bytes of shared memory in which one warp changes a tensor map, for kernels whose tensors are known only on
// the device, such as grouped products:
//
//   editor.replace(map, &origin, address, {rows, columns});  // all threads of one warp; map: in global memory
//   __syncthreads();                                         // or a barrier at the scope of the copying thread
//   if (threadIdx.x == 0) {
//     cudasync::device::acquire_tensor_map(map);             // the thread that copies
//     pipe.copy(at, stage, map, {column, row});
//
// sm_90a, sm_100a, sm_103a, sm_110a, sm_120a and sm_121a; from sm_100 on also with f for a. CUDA 12.5 or newer.
class alignas(128) tensor_map_editor {
 public:
  // The contents are not initialized, so that the editor can be in __shared__ memory.
  tensor_map_editor() = default;
  tensor_map_editor(const tensor_map_editor&) = delete;
  tensor_map_editor& operator=(const tensor_map_editor&) = delete;

  // Writes a copy of *origin to *map that describes the dense tensor at this address. All else, such as the box, the
  // swizzle and the type of the elements, stays. Extents are in elements, the outermost dimension first, and at least
  // 1; there are at most as many as in *origin. All threads of one warp call it, converged, with the same arguments.
  // The warp's earlier accesses and the new map are released at Scope: a thread that has synchronized with the warp at
  // Scope and then calls acquire_tensor_map<Scope>(map) copies by the new map. No copy that uses *map is in progress.
  // map: in global memory, aligned to 128 bytes. address: a multiple of 16 bytes, as are the strides; both are checked.
  template <thread_scope Scope = thread_scope_device, class Value, class Size, size_t Rank, class Here = target::here>
  CUDASYNC_DEVICE void replace(CUtensorMap* map, const CUtensorMap* origin, const Value* address,
                               const Size (&extents)[Rank]) {
    require_replacement<Here>();
    uint64 strides[Rank];
    strides[Rank - 1] = 1;
    for (size_t dimension = Rank - 1; dimension-- > 0;)
      strides[dimension] = strides[dimension + 1] * static_cast<uint64>(extents[dimension + 1]);
    publish<Scope>(map, origin, address, extents, strides);
  }

  // The same for a tensor with these strides, in elements, the outermost dimension first. The last one is 1.
  template <thread_scope Scope = thread_scope_device, class Value, class Size, class Stride, size_t Rank,
            class Here = target::here>
  CUDASYNC_DEVICE void replace(CUtensorMap* map, const CUtensorMap* origin, const Value* address,
                               const Size (&extents)[Rank], const Stride (&strides)[Rank]) {
    require_replacement<Here>();
    publish<Scope>(map, origin, address, extents, strides);
  }

 private:
  template <class Here>
  CUDASYNC_DEVICE static void require_replacement() {
    static_assert(
        target::has_setmaxnreg || is_same<Here, target::host>,
        "tensor_map_editor needs tensormap.replace, which plain architectures lack; compile with -gencode "
        "arch=compute_90a,code=sm_90a, or with 100a, 103a, 110a, 120a or 121a, or 100f to 121f, or encode the "
        "maps on the host");
    static_assert(target::has_isa<85> || is_same<Here, target::host>,
                  "tensor_map_editor needs PTX ISA 8.5, since older ones count strides in other units: compile with "
                  "CUDA 12.5 or newer, or encode the maps on the host");
  }

  template <thread_scope Scope, class Value, class Size, class Stride, size_t Rank>
  CUDASYNC_DEVICE void publish(CUtensorMap* map, const CUtensorMap* origin, const Value* address,
                               const Size (&extents)[Rank], const Stride (&strides)[Rank]) {
    static_assert(Rank <= 5, "tensor_map_editor: a tensor map has 1 to 5 dimensions; give as many extents");
    CUDASYNC_ASSERT(reinterpret_cast<uintptr>(map) % 128 == 0,
                    "tensor_map_editor: a map that changes on the device must be aligned to 128 bytes");
    CUDASYNC_ASSERT(reinterpret_cast<uintptr>(address) % 16 == 0,
                    "tensor_map_editor: the address must be a multiple of 16 bytes");
    CUDASYNC_ASSERT(strides[Rank - 1] == 1, "tensor_map_editor: the innermost stride must be 1");
    const uint32 lane = ptx::get_sreg_laneid();
    __syncwarp();  // the warp has copied the words of its previous map
    words_[lane] = reinterpret_cast<const uint32*>(origin)[lane];
    __syncwarp();
    const ptx::shared_address words = ptx::to_shared(words_);
    if (lane == 0) {
      ptx::tensormap_replace_global_address(words, reinterpret_cast<uintptr>(address));
      ptx::tensormap_replace_rank(words, static_cast<uint32>(Rank - 1));
      replace_sizes<0, sizeof(Value)>(words, extents, strides);
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release_t{}, typename ptx::scope_of<Scope>::type{}, map, words);
  }

  // The map's places begin with the innermost dimension. It has no stride, and the next one has stride 0.
  template <size_t Place, size_t Bytes, class Size, class Stride, size_t Rank>
  CUDASYNC_DEVICE static void replace_sizes(ptx::shared_address words, const Size (&extents)[Rank],
                                            const Stride (&strides)[Rank]) {
    constexpr size_t dimension = Rank - 1 - Place;
    CUDASYNC_ASSERT(extents[dimension] >= 1, "tensor_map_editor: the extents must be 1 or more");
    ptx::tensormap_replace_global_dim<Place>(words, static_cast<uint32>(extents[dimension]));
    if constexpr (Place > 0) {
      const uint64 stride = static_cast<uint64>(strides[dimension]) * Bytes;
      CUDASYNC_ASSERT(stride % 16 == 0 && stride < uint64{1} << 40,
                      "tensor_map_editor: the strides must be multiples of 16 bytes, and less than 2^40 bytes");
      ptx::tensormap_replace_global_stride<Place - 1>(words, stride);
    }
    if constexpr (Place + 1 < Rank) replace_sizes<Place + 1, Bytes>(words, extents, strides);
  }

  uint32 words_[32];
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
