// Dependencies between grids are one instruction each from sm_90 on, before which grids do not overlap and there is none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVCC: 80 90
// LIMIT: launch_only sm_70 3
// LIMIT: launch_only sm_80 2
// LIMIT: launch_only sm_90+ 3
// LIMIT: wait_only sm_70 3
// LIMIT: wait_only sm_80 2
// LIMIT: wait_only sm_90+ 3
// The SASS of the kernels, in the order of their names. Loads stay behind the wait, and what was written before the launch
// of dependents stays before it:
// SASS-LABEL: launch_only:
// SASS-SM90+: PREEXIT
// SASS-LABEL: ours_add:
// SASS-SM90+-NOT: LDG
// SASS-SM90+: ACQBULK
// SASS: LDG
// SASS: STG
// SASS-SM90+: PREEXIT
// SASS-LABEL: wait_only:
// SASS-SM90+: ACQBULK
#include <cudasync/grid_dependency.h>

extern "C" {

// PTX-LABEL: .entry wait_only(
// PTX-SM70-NOT: griddepcontrol
// PTX-SM80-NOT: griddepcontrol
// PTX-SM90+: griddepcontrol.wait;
// PTX-LABEL: .entry launch_only(
// PTX-SM70-NOT: griddepcontrol
// PTX-SM80-NOT: griddepcontrol
// PTX-SM90+: griddepcontrol.launch_dependents;
// PTX-LABEL: .entry ours_add(
// PTX-SM70-NOT: griddepcontrol
// PTX-SM80-NOT: griddepcontrol
__global__ void wait_only() {
  cudasync::wait_for_prerequisite_grids();
}

__global__ void launch_only() {
  cudasync::launch_dependent_grids();
}

__global__ void ours_add(const int* in, int* out) {
  cudasync::wait_for_prerequisite_grids();
  out[threadIdx.x] = in[threadIdx.x] + 1;
  cudasync::launch_dependent_grids();
}
__global__ void hand_add(const int* in, int* out) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  out[threadIdx.x] = in[threadIdx.x] + 1;
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // extern "C"
