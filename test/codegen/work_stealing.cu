// for_each_canceled_block costs what the instructions cost that a hand would write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 100a 120a
// NVCC: 100a
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: ours_steal:
// SASS: UGETNEXTWORKID.SELFCAST
// SASS: SYNCS.PHASECHK.TRANS64.TRYWAIT
// SASS: LDS.128
// SASS: BAR.SYNC
// SASS: FENCE.VIEW.ASYNC.S
// SASS: UGETNEXTWORKID.SELFCAST
#include <cuda/work_stealing>

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}

__device__ void hand_ask(unsigned response, unsigned bar) {
  asm volatile("{ .reg .u64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], 16; }" ::"r"(bar) : "memory");
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(response),
      "r"(bar)
      : "memory");
}

extern "C" {

__global__ void ours_steal(float* out) {
  cuda::for_each_canceled_block<1>([&](dim3 index) { out[index.x] += 1; });
}
__global__ void hand_steal(float* out) {
  __shared__ struct alignas(16) {
    unsigned long long response[2];
    unsigned long long bar;
  } shared;
  const unsigned response = address_of(&shared.response), bar = address_of(&shared.bar);
  const bool asks = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) == 0;
  if (asks) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    hand_ask(response, bar);
  }
  __syncthreads();
  unsigned tile = blockIdx.x;
  for (unsigned parity = 0;; parity ^= 1) {
    out[tile] += 1;
    asm volatile("{ .reg .pred complete;\n"
                 "again: mbarrier.try_wait.parity.shared.b64 complete, [%0], %1;\n"
                 "@complete bra through;\nbra again;\nthrough: }" ::"r"(bar),
                 "r"(parity)
                 : "memory");
    unsigned canceled;
    unsigned long long low, high;
    asm volatile("{ .reg .b128 response; .reg .pred canceled; ld.shared.v2.b64 {%1, %2}, [%3]; "
                 "mov.b128 response, {%1, %2}; "
                 "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 canceled, response; "
                 "selp.u32 %0, 1, 0, canceled; }"
                 : "=r"(canceled), "=l"(low), "=l"(high)
                 : "r"(response)
                 : "memory");
    if (!canceled) return;
    asm volatile("{ .reg .b128 response; mov.b128 response, {%1, %2}; "
                 "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0, response; }"
                 : "=r"(tile)
                 : "l"(low), "l"(high)
                 : "memory");
    __syncthreads();
    if (asks) {
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      hand_ask(response, bar);
    }
  }
}

}  // extern "C"
