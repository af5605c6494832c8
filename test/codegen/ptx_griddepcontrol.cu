// Each function of ptx/griddepcontrol.h is exactly its instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
// NVCC: 90
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: launch_dependents:
// SASS: PREEXIT
// SASS-LABEL: wait_for_others:
// SASS: ACQBULK
#include <cudasync/ptx/griddepcontrol.h>

using namespace cudasync::ptx;

// PTX-LABEL: .entry launch_dependents(
// PTX: griddepcontrol.launch_dependents;
// PTX-NOT: griddepcontrol
extern "C" __global__ void launch_dependents() {
  griddepcontrol_launch_dependents();
}

// PTX-LABEL: .entry wait_for_others(
// PTX: griddepcontrol.wait;
// PTX-NOT: griddepcontrol
extern "C" __global__ void wait_for_others() {
  griddepcontrol_wait();
}
