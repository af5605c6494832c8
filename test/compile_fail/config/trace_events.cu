// A trace has room for one event at least.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: CUDASYNC_TRACE_EVENTS and CUDASYNC_TRACE_RINGS must be 1 or more
// OPTIONS: -DCUDASYNC_TRACE=1
#if defined(CUDASYNC_EXPECT_ERROR)
#define CUDASYNC_TRACE_EVENTS 0
#else
#define CUDASYNC_TRACE_EVENTS 1
#endif
#include <cuda/barrier>
