// Through a multicast address, an arrival at all GPUs is one store of one thread: no loop over the GPUs, no table of addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90 100
// NVCC: 90
// LIMIT: meet_all sm_90 135
// LIMIT: meet_namesakes sm_90 89
// The SASS of some kernels, in the order of their names: the release and the store, then polls of this GPU's memory.
// SASS-LABEL: meet_all:
// SASS-NOT: {{(MUFU|ST[.G]|RED|STRONG.SYS)}}
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x0
// SASS: ATOM{{G?}}.E.ADD.STRONG.GPU
// SASS-NOT: {{(ST[.G]|ATOM|RED|STRONG.SYS)}}
// SASS: MEMBAR.{{(ALL|SC)}}.SYS
// SASS-NOT: {{(ATOM|RED)}}
// SASS: ST{{G?}}.E.STRONG.SYS
// SASS-NOT: {{(ST[.G]|ATOM|RED)}}
// SASS: LD{{G?}}.E.STRONG.SYS
// SASS-NOT: {{(ST[.G]|ATOM|RED)}}
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x0
// SASS-LABEL: meet_namesakes:
// SASS-NOT: {{(ATOM|RED|ST[.G])}}
// SASS: LD{{G?}}.E.STRONG.SYS
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x0
// SASS-NOT: {{(ATOM|RED|LD[.G])}}
// SASS: MEMBAR.{{(ALL|SC)}}.SYS
// SASS-NOT: {{(ATOM|RED|LD[.G])}}
// SASS: ST{{G?}}.E.STRONG.SYS
// SASS-NOT: {{(ATOM|RED|ST[.G])}}
// SASS: LD{{G?}}.E.STRONG.SYS
#include <cudasync/peer_multicast.h>

using part = cudasync::peer_part<>;

// A part, as hand-written kernels know it.
struct slots {
  unsigned phases[32];
  unsigned arrivals[32];
};

__device__ unsigned rank_of_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ void store_everywhere(unsigned* word, unsigned value) {
  asm volatile("multimem.st.release.sys.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "r"(value)
               : "memory");
}
__device__ unsigned load(const unsigned* word) {
  unsigned found;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(found) : "l"(__cvta_generic_to_global(word)) : "memory");
  return found;
}

extern "C" {

// PTX-LABEL: .entry meet_all(
// PTX-NOT: {{(isspacep|fence|[.]sys)}}
// PTX: bar.sync
// PTX: fence.release.gpu;
// PTX: atom.global.add.u32
// PTX: fence.acquire.gpu;
// PTX: bar.warp.sync
// PTX-NOT: {{(isspacep|fence)}}
// PTX: multimem.st.release.sys.global.b32
// PTX-NOT: {{(isspacep|fence|st[.])}}
// PTX: ld.relaxed.sys.global.u32
// PTX: fence.acquire.sys;
// PTX: bar.sync
__global__ void meet_all(part* own, part* everywhere, unsigned rank, unsigned gpus) {
  cudasync::peer_barrier bar(cudasync::multicast_part(own, everywhere), rank, gpus);
  bar.arrive_and_wait();
}

// PTX-LABEL: .entry ours_arrive(
// PTX-NOT: {{(isspacep|atom|fence)}}
// PTX: ld.relaxed.sys.global.u32
// PTX: bar.sync
// PTX-NOT: {{(isspacep|atom|fence)}}
// PTX: multimem.st.release.sys.global.b32
// PTX-NOT: {{(isspacep|atom|fence|bar.)}}
// PTX-LABEL: .entry hand_arrive(
__global__ void ours_arrive(part* own, part* everywhere, unsigned rank, unsigned gpus) {
  cudasync::peer_block_barrier bar(cudasync::multicast_part(own, everywhere), rank, gpus, blockIdx.x);
  static_cast<void>(bar.arrive());
}
__global__ void hand_arrive(slots* own, slots* everywhere, unsigned rank, unsigned) {
  unsigned phase = 0;
  if (rank_of_thread() < 32) phase = load(&own[blockIdx.x].phases[rank]);
  __syncthreads();
  if (rank_of_thread() < 32 && rank_of_thread() == 0)
    store_everywhere(&everywhere[blockIdx.x].phases[rank], phase + 0x10000);
}

__global__ void meet_namesakes(part* own, part* everywhere, unsigned rank, unsigned gpus) {
  cudasync::peer_block_barrier bar(cudasync::multicast_part(own, everywhere), rank, gpus, blockIdx.x);
  bar.arrive_and_wait();
}

// PTX-LABEL: .entry ours_signal(
// PTX: bar.sync
// PTX-NOT: {{(isspacep|fence)}}
// PTX: multimem.st.release.sys.global.b32
// PTX-LABEL: .entry hand_signal(
__global__ void ours_signal(cudasync::peer_signal* everywhere, unsigned number) {
  cudasync::multicast_signal(everywhere).signal(number);
}
__global__ void hand_signal(unsigned* everywhere, unsigned number) {
  __syncthreads();
  if (rank_of_thread() == 0) store_everywhere(everywhere, number);
}

}  // extern "C"
