// Plain architectures have no tensormap.replace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: tensor_map_editor needs tensormap.replace, which plain architectures lack; compile with -gencode arch=compute_90a,code=sm_90a, or 100a and so on, or encode the maps on the host
// ARCHS: 80 90 100
// COMPILERS: nvrtc nvcc
#include <cudasync/tensor_map.h>

__device__ void use(cudasync::tensor_map_editor& editor, CUtensorMap* map, const CUtensorMap* origin,
                    const float* row) {
#if defined(CUDASYNC_EXPECT_ERROR)
  editor.replace(map, origin, row, {64});
#else
  static_assert(sizeof editor == 128 && alignof(cudasync::tensor_map_editor) == 128);
#endif
}
