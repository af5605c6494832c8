// The benchmark of NCCL's barrier, which is not built with the others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: nccl
#include "../../benchmarks/gpus/with_nccl.cu"
