// Tensor maps for the copy engine, made on the host with a sentence for each exceeded limit, and changed on the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TENSOR_MAP_H
#define CUDASYNC_TENSOR_MAP_H

#include <cudasync/compat/include_order.h>

#include <cudasync/tensor/im2col_map.h>
#include <cudasync/tensor/tensor_map.h>
#include <cudasync/tensor/tensor_map_editor.h>

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
