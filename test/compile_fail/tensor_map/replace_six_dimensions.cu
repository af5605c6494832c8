// A tensor map has five dimensions at most, also on the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: tensor_map_editor: a tensor map has 1 to 5 dimensions; give as many extents
// ARCHS: 90a
#include <cudasync/tensor_map.h>

__device__ void use(cudasync::tensor_map_editor& editor, CUtensorMap* map, const CUtensorMap* origin,
                    const float* row) {
#if defined(CUDASYNC_EXPECT_ERROR)
  editor.replace(map, origin, row, {2, 2, 2, 2, 2, 64});
#else
  editor.replace(map, origin, row, {4, 2, 2, 2, 64});
#endif
}
