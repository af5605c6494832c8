// Stands in for CCCL's header of this name, which would define cuda::thread_scope again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/compat/thread_scope.h>
