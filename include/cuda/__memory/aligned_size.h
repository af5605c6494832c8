// Stands in for CCCL's header of this name, which would define cuda::aligned_size_t again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/compat/aligned_size.h>
