// Programmatic dependent launch: a grid starts while the previous grid in the stream is still running.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_GRID_DEPENDENCY_H
#define CUDASYNC_GRID_DEPENDENCY_H

#include <cudasync/compat/include_order.h>

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/grid/grid_dependency_device.h>
#include <cudasync/core/target.h>

// The second grid is launched with cudaLaunchAttributeProgrammaticStreamSerialization. The first grid determines when
// its dependents may start. The second waits before it accesses what the first writes or writes what it reads:
//
//   __global__ void first(...)  { ... cudasync::launch_dependent_grids(); ... }
//   __global__ void second(...) { ...; cudasync::wait_for_prerequisite_grids(); ... }
//
// Without the attribute, and before sm_90, the grids do not overlap, and both functions do nothing.
namespace cudasync { inline namespace CUDASYNC_ABI {

// Lets the dependent grids start once every block of this grid has called it or has exited. Does not block. It orders
// nothing: after their wait, they see everything that this grid wrote, including what it writes after this call.
CUDASYNC_DEVICE void launch_dependent_grids() {
  backend::launch_dependent_grids(target::here{});
}

// Blocks until the grids that this grid depends on have completed and what they wrote is visible. Every thread that
// reads what they write, or writes what they read, calls it or synchronizes afterwards with a thread that has. A grid
// whose own dependents rely on the order of the stream must call it, too. Accesses stay after the call, except loads of
// data that the compiler assumes to be constant: loads with __ldg, and through pointers that are const and
// __restrict__. Do not use these for data that an earlier grid writes.
CUDASYNC_DEVICE void wait_for_prerequisite_grids() {
  backend::wait_for_prerequisite_grids(target::here{});
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
