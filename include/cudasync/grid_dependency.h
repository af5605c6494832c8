// Programmatic dependent launch: a grid begins while the one before it in the stream still runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_GRID_DEPENDENCY_H
#define CUDASYNC_GRID_DEPENDENCY_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/grid_dependency_device.h>
#include <cudasync/core/target.h>

// The second grid is launched with cudaLaunchAttributeProgrammaticStreamSerialization. The first says when its dependents
// may begin; the second waits before it touches what the first writes, or what the first still reads:
//
//   __global__ void first(...)  { ... cudasync::launch_dependent_grids(); ... }
//   __global__ void second(...) { ...; cudasync::wait_for_prerequisite_grids(); ... }
//
// Without the attribute, and before sm_90, the grids do not overlap, and both functions do nothing.
namespace cudasync {
inline namespace CUDASYNC_ABI {

// Lets the dependent grids begin once every block of this one has called it or has exited. It says nothing about memory:
// they see what this grid wrote when they have waited, even what it writes after this call.
CUDASYNC_DEVICE void launch_dependent_grids() {
  backend::launch_dependent_grids(target::here{});
}

// Blocks until the grids that this one depends on have completed and what they wrote is visible. Every thread that reads or
// writes what they touch calls it, or is synchronized afterwards with one that did; also in a grid whose own dependents
// rely on the order of the stream. Accesses stay behind the call, but for loads that the compiler takes to be of data
// that never changes: __ldg, and pointers that are const and __restrict__. Let those not point to what an earlier grid
// writes.
CUDASYNC_DEVICE void wait_for_prerequisite_grids() {
  backend::wait_for_prerequisite_grids(target::here{});
}

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
