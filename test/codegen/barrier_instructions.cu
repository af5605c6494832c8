// Which instructions a block's barrier is made of, where a count of them would not tell.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX-LABEL: wait_parity(
// PTX-SM70: ld.acquire.cta.shared.u32
// PTX-SM80: mbarrier.test_wait.parity.shared.b64
// PTX-SM90+-NOT: test_wait
// PTX-SM90+: mbarrier.try_wait.parity.shared.b64
// PTX-LABEL: try_wait(
// PTX-SM80: mbarrier.test_wait.shared.b64
// PTX-SM90+-NOT: test_wait
// PTX-SM90+: mbarrier.try_wait.shared.b64
// PTX-LABEL: arrive_three(
// PTX-SM70: atom.release.cta.shared.add.u32
// PTX-SM70: ld.acquire.cta.shared.u32
// PTX-SM70: st.release.cta.shared.u32
// PTX-SM80: {{%r[0-9]+}}, 2;
// PTX-SM80: mbarrier.arrive.noComplete.shared.b64
// PTX-SM80: mbarrier.arrive.shared.b64
// PTX-SM90+: {{%r[0-9]+}}, 3;
// PTX-SM90+: mbarrier.arrive.shared.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" {

__global__ void wait_parity() {
  extern __shared__ block_barrier bars[];
  bars[0].wait_parity(false);
}

__global__ void try_wait(int* done) {
  extern __shared__ block_barrier bars[];
  *done = bars[0].try_wait(bars[0].arrive());
}

__global__ void arrive_three() {
  extern __shared__ block_barrier bars[];
  bars[0].arrive(3);
}

}  // extern "C"
