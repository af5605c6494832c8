// cudasync::trace: with CUDASYNC_TRACE=1, kernels record arrivals, waits and copies; functions save and clear them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TRACE_H
#define CUDASYNC_TRACE_H

#include <cudasync/compat/include_order.h>

#include <cudasync/trace/save.h>

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
