// setmaxnreg of ptx/warpgroup.h is exactly its instruction, with the number of registers in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90a
// NVCC: 90a
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: give_back:
// SASS: USETMAXREG.DEALLOC.CTAPOOL 0x28
// SASS-LABEL: take:
// SASS: USETMAXREG.TRY_ALLOC.CTAPOOL {{.*}}, 0xe8
#include <cudasync/ptx/warpgroup.h>

using namespace cudasync::ptx;

// PTX-LABEL: .entry give_back(
// PTX: setmaxnreg.dec.sync.aligned.u32 40;
// PTX-NOT: setmaxnreg
extern "C" __global__ void __launch_bounds__(128, 1) give_back() {
  setmaxnreg_dec<40>();
}

// PTX-LABEL: .entry take(
// PTX: setmaxnreg.inc.sync.aligned.u32 232;
// PTX-NOT: setmaxnreg
extern "C" __global__ void __launch_bounds__(128, 1) take() {
  setmaxnreg_inc<232>();
}
