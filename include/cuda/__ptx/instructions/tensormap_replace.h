// Stands in for CCCL's header, whose functions do not link for some architectures that have the instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/compat/ptx_tensormap_replace.h>
