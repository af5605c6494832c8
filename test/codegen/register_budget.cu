// To enter a role is one instruction, or none where the role keeps what it has; the kernel is compiled with the registers it gets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90a
// NVCC: 90a
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: keeps:
// SASS-NOT: USETMAXREG
// SASS-LABEL: ours_specialize:
// SASS-DAG: USETMAXREG.DEALLOC.CTAPOOL 0x28
// SASS-DAG: USETMAXREG.TRY_ALLOC.CTAPOOL {{.*}}, 0xe8
#include <cudasync/register_budget.h>

constexpr unsigned at_launch = cudasync::registers_at_launch(384);
static_assert(at_launch == 168);

using producer = cudasync::register_role<128, 40>;
using consumer = cudasync::register_role<256, 232>;
using budget = cudasync::register_budget<at_launch, producer, consumer>;

using equal = cudasync::register_role<384, at_launch>;
using equal_budget = cudasync::register_budget<at_launch, equal>;

extern "C" {

// PTX-LABEL: .entry ours_specialize(
// PTX-DAG: setmaxnreg.dec.sync.aligned.u32 40;
// PTX-DAG: setmaxnreg.inc.sync.aligned.u32 232;
// PTX-LABEL: .entry hand_specialize(
__global__ void __launch_bounds__(budget::threads, 1) ours_specialize(float* out) {
  if (threadIdx.x < producer::threads) {
    budget::enter<producer>();
    out[threadIdx.x] = 1;
  } else {
    budget::enter<consumer>();
    out[threadIdx.x] = 2;
  }
}
__global__ void __launch_bounds__(384, 1) hand_specialize(float* out) {
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
    out[threadIdx.x] = 1;
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory");
    out[threadIdx.x] = 2;
  }
}

// PTX-LABEL: .entry keeps(
// PTX-NOT: setmaxnreg
__global__ void __launch_bounds__(equal_budget::threads, 1) keeps(float* out) {
  equal_budget::enter<equal>();
  out[threadIdx.x] = 3;
}

}  // extern "C"
