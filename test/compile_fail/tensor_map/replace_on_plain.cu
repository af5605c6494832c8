// Plain architectures have no tensormap.replace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: tensor_map_editor needs tensormap.replace, which plain architectures lack; compile with -gencode arch=compute_90a,code=sm_90a, or with 100a, 103a, 110a, 120a or 121a, or 100f to 121f, or encode the maps on the host
// ARCHS: 80 90 100
// COMPILERS: nvrtc nvcc
#include <cuda/tensor_map>

__device__ void use(cudasync::tensor_map_editor& editor, CUtensorMap* map, const CUtensorMap* origin,
                    const float* row) {
#if defined(CUDASYNC_EXPECT_ERROR)
  editor.replace(map, origin, row, {64});
#else
  static_assert(sizeof editor == 128 && alignof(cudasync::tensor_map_editor) == 128);
#endif
}
