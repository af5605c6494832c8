// A barrier of several GPUs is one store to each GPU and polls of local memory: no read-modify-write crosses a link.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75 80 90 100
// NVCC: 80 90
// LIMIT: meet_all sm_90 140
// LIMIT: meet_namesakes sm_90 105
// The SASS of some kernels, in the order of their names. One addition within the GPU, one store to each GPU:
// SASS-LABEL: meet_all:
// SASS-NOT: {{(I2F|MUFU|ST[.G]|ATOM|RED|STRONG.SYS)}}
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x0
// SASS-NOT: {{(I2F|MUFU|ST[.G]|RED|STRONG.SYS)}}
// SASS: MEMBAR.{{(ALL|SC)}}.GPU
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
// SASS-NOT: {{(ATOM|RED|ST[.G])}}
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x0
// SASS-NOT: {{(ATOM|RED|ST[.G])}}
// SASS: MEMBAR.{{(ALL|SC)}}.SYS
// SASS-NOT: {{(ATOM|RED|LD[.G])}}
// SASS: ST{{G?}}.E.STRONG.SYS
// SASS-NOT: {{(ATOM|RED|ST[.G])}}
// SASS: LD{{G?}}.E.STRONG.SYS
// SASS-NOT: {{(ATOM|RED|ST[.G])}}
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x0
#include <cudasync/peer_barrier.h>

using part = cudasync::peer_part<>;

extern "C" {

// PTX-LABEL: .entry meet_all(
// PTX-NOT: isspacep
// PTX-NOT: fence
// PTX: bar.sync
// PTX-SM70: atom.acq_rel.gpu.global.add.u32
// PTX-SM80: atom.acq_rel.gpu.global.add.u32
// PTX-SM90+: fence.release.gpu;
// PTX-SM90+: atom.global.add.u32
// PTX-SM90+: fence.acquire.gpu;
// PTX: bar.warp.sync
// PTX: st.release.sys.global.u32
// PTX-NOT: {{(fence|isspacep)}}
// PTX: ld.relaxed.sys.global.u32
// PTX: fence.{{acq(uire|_rel)}}.sys;
// PTX: bar.sync
// PTX-LABEL: .entry meet_namesakes(
// PTX-NOT: {{(isspacep|atom|fence)}}
// PTX: ld.relaxed.sys.global.u32
// PTX: bar.sync
// PTX-NOT: {{(isspacep|atom|fence)}}
// PTX: st.release.sys.global.u32
// PTX-NOT: {{(isspacep|atom|fence)}}
// PTX: ld.relaxed.sys.global.u32
// PTX-NOT: {{(isspacep|atom)}}
// PTX: fence.{{acq(uire|_rel)}}.sys;
// PTX: bar.sync
// PTX-LABEL: .entry ours_signal(
__global__ void meet_all(part* const* parts, unsigned rank, unsigned gpus) {
  cudasync::peer_barrier bar(parts, rank, gpus);
  bar.arrive_and_wait();
}
__global__ void meet_namesakes(part* const* parts, unsigned rank, unsigned gpus) {
  cudasync::peer_block_barrier bar(parts, rank, gpus, blockIdx.x);
  bar.arrive_and_wait();
}

__device__ unsigned rank_of_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// PTX: st.release.sys.global.u32
// PTX-LABEL: .entry hand_signal(
__global__ void ours_signal(cudasync::peer_signal* there, unsigned number) {
  there->signal(number);
}
__global__ void hand_signal(unsigned* there, unsigned number) {
  __syncthreads();
  if (rank_of_thread() == 0)
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(there)), "r"(number) : "memory");
}

// PTX-LABEL: .entry ours_wait(
// PTX: ld.relaxed.sys.global.u32
// PTX: fence.{{acq(uire|_rel)}}.sys;
// PTX: bar.sync
// PTX-LABEL: .entry hand_wait(
__global__ void ours_wait(const cudasync::peer_signal* own, unsigned number) {
  own->wait(number);
}
__global__ void hand_wait(const unsigned* own, unsigned number) {
  if (rank_of_thread() == 0) {
    const auto is_there = [=] {
      unsigned found;
      asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(found) : "l"(__cvta_generic_to_global(own)) : "memory");
      return static_cast<int>(found - number) >= 0;
    };
    bool is_done = false;
#if __CUDA_ARCH__ >= 900
#pragma unroll 4
    for (unsigned polls = 0; polls < 16 && !is_done; ++polls)
      is_done = is_there();
    for (; !is_done; is_done = is_there())
      __nanosleep(20);
    asm volatile("fence.acquire.sys;" ::: "memory");
#else  // a fence that acquires takes long, so the polls without pauses acquire instead
#pragma unroll 4
    for (unsigned polls = 0; polls < 16 && !is_done; ++polls) {
      unsigned found;
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(found) : "l"(__cvta_generic_to_global(own)) : "memory");
      is_done = static_cast<int>(found - number) >= 0;
    }
    if (!is_done) {
      for (; !is_done; is_done = is_there())
        __nanosleep(20);
      asm volatile("fence.acq_rel.sys;" ::: "memory");
    }
#endif
  }
  __syncthreads();
}

// A value and its number are one scalar, not a vector.
// PTX-LABEL: .entry ours_put(
// PTX: st.relaxed.sys.global.u64
// PTX-LABEL: .entry hand_put(
__global__ void ours_put(cudasync::peer_mailbox<unsigned, 64>* there, unsigned number, unsigned value) {
  there->put(number, threadIdx.x, value);
}
__global__ void hand_put(unsigned long long (*there)[64], unsigned number, unsigned value) {
  unsigned long long* const cell = &there[number % 2][threadIdx.x];
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(cell)),
               "l"(value | static_cast<unsigned long long>(number) << 32)
               : "memory");
}

// PTX-LABEL: .entry put_8_bytes(
// PTX-NOT: .v2
// PTX: st.relaxed.sys.global.b128
// PTX-LABEL: .entry take_4_bytes(
__global__ void put_8_bytes(cudasync::peer_mailbox<double, 64>* there, unsigned number, double value) {
  there->put(number, threadIdx.x, value);
}
// PTX: ld.relaxed.sys.global.u64
// PTX-NOT: fence
// PTX-LABEL: .entry take_8_bytes(
__global__ void take_4_bytes(cudasync::peer_mailbox<float, 64>* own, unsigned number, float* values) {
  values[threadIdx.x] = own->take(number, threadIdx.x);
}
// PTX: ld.relaxed.sys.global.b128
// PTX-NOT: {{(fence|[.]v2)}}
// PTX: ret;
__global__ void take_8_bytes(cudasync::peer_mailbox<double, 64>* own, unsigned number, double* values) {
  values[threadIdx.x] = own->take(number, threadIdx.x);
}

}  // extern "C"
