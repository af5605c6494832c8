// Tensor cores as the consumers of rings in shared memory, and rings of accumulators in tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TENSOR_CORES_H
#define CUDASYNC_TENSOR_CORES_H

#include <cudasync/compat/include_order.h>

#include <cudasync/bulk_pipeline.h>
#include <cudasync/tensor/accumulator_pipeline.h>
#include <cudasync/tensor/tensor_core_consumers.h>

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
