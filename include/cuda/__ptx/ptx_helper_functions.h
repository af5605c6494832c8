// Stands before CCCL's header of this name, whose n32_t would be ambiguous with ours after `using namespace cuda::ptx`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/compat/ptx_n32.h>
