// A map is edited and published by the instructions that a hand would write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90a 100a 120a
// NVCC: 90a
#include <cudasync/tensor_map.h>

extern "C" {

// PTX-LABEL: .entry ours_replace(
// PTX: bar.warp.sync
// PTX: st.shared.u32
// PTX: bar.warp.sync
// PTX: tensormap.replace.tile.global_address.shared::cta.b1024.b64
// PTX: tensormap.replace.tile.rank.shared::cta.b1024.b32 {{.*}}, {{%r[0-9]+}};
// PTX: tensormap.replace.tile.global_dim.shared::cta.b1024.b32 {{.*}}, 0, {{%r[0-9]+}};
// PTX: tensormap.replace.tile.global_dim.shared::cta.b1024.b32 {{.*}}, 1, {{%r[0-9]+}};
// PTX: tensormap.replace.tile.global_stride.shared::cta.b1024.b64 {{.*}}, 0, {{%rd[0-9]+}};
// PTX: bar.warp.sync
// PTX: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned
// PTX-NOT: tensormap
// PTX-LABEL: .entry hand_replace(
__global__ void ours_replace(CUtensorMap* map, const CUtensorMap* origin, const float* matrix, unsigned rows,
                             unsigned columns) {
  __shared__ cudasync::tensor_map_editor editor;
  editor.replace(map, origin, matrix, {rows, columns});
}
__global__ void hand_replace(CUtensorMap* map, const CUtensorMap* origin, const float* matrix, unsigned rows,
                             unsigned columns) {
  alignas(128) __shared__ unsigned words[32];
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(words));
  __syncwarp();
  words[lane] = reinterpret_cast<const unsigned*>(origin)[lane];
  __syncwarp();
  if (lane == 0) {
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(shared), "l"(matrix)
                 : "memory");
    asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], %1;" ::"r"(shared), "r"(1) : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(shared), "r"(columns)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(shared), "r"(rows)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(shared),
                 "l"(columns * 4ull)
                 : "memory");
  }
  __syncwarp();
  asm volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(
          __cvta_generic_to_global(map)),
      "r"(shared)
      : "memory");
}

// PTX-LABEL: .entry ours_replace_padded(
// PTX: tensormap.replace.tile.global_dim.shared::cta.b1024.b32 {{.*}}, 2, {{%r[0-9]+}};
// PTX: tensormap.replace.tile.global_stride.shared::cta.b1024.b64 {{.*}}, 1, {{%rd[0-9]+}};
// PTX: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned
// PTX-LABEL: .entry hand_replace_padded(
__global__ void ours_replace_padded(CUtensorMap* map, const CUtensorMap* origin, const double* tensor, int planes,
                                    int rows, int columns, long plane, long row) {
  __shared__ cudasync::tensor_map_editor editor;
  editor.replace(map, origin, tensor, {planes, rows, columns}, {plane, row, 1l});
}
__global__ void hand_replace_padded(CUtensorMap* map, const CUtensorMap* origin, const double* tensor, int planes,
                                    int rows, int columns, long plane, long row) {
  alignas(128) __shared__ unsigned words[32];
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(words));
  __syncwarp();
  words[lane] = reinterpret_cast<const unsigned*>(origin)[lane];
  __syncwarp();
  if (lane == 0) {
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(shared), "l"(tensor)
                 : "memory");
    asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], %1;" ::"r"(shared), "r"(2) : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(shared), "r"(columns)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(shared), "r"(rows)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(shared), "l"(row * 8)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 2, %1;" ::"r"(shared), "r"(planes)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 1, %1;" ::"r"(shared), "l"(plane * 8)
                 : "memory");
  }
  __syncwarp();
  asm volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(
          __cvta_generic_to_global(map)),
      "r"(shared)
      : "memory");
}

}  // extern "C"
