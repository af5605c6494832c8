// The benchmark of barriers over NVSHMEM, which is not built with the others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: nvshmem
#include "../../benchmarks/gpus/with_nvshmem.cu"
