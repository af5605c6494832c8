// Stands in for CCCL's header of this name, whose tags would be ambiguous with ours after `using namespace cuda::ptx`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/compat/ptx_qualifiers.h>
