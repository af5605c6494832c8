// Instructions of sm_90, written by hand as many kernels have them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_EXPLORE_BUGS_PTX_H
#define CUDASYNC_TEST_EXPLORE_BUGS_PTX_H

using mbarrier = unsigned long long;

__device__ inline unsigned shared_address(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}
__device__ inline void init(mbarrier* bar, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
}
__device__ inline void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void fence_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void arrive(mbarrier* bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(bar)) : "memory");
}
__device__ inline void arrive_and_expect(mbarrier* bar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes)
               : "memory");
}
__device__ inline void expect(mbarrier* bar, unsigned bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes)
               : "memory");
}
// Whether the phase of this parity is complete, after a wait that may give up.
__device__ inline bool try_wait(mbarrier* bar, unsigned parity) {
  unsigned done;
  asm volatile("{\n .reg .pred is_done;\n"
               " mbarrier.try_wait.parity.shared::cta.b64 is_done, [%1], %2;\n"
               " selp.u32 %0, 1, 0, is_done;\n}"
               : "=r"(done)
               : "r"(shared_address(bar)), "r"(parity)
               : "memory");
  return done != 0;
}
__device__ inline void wait(mbarrier* bar, unsigned parity) {
  while (!try_wait(bar, parity)) {
  }
}

// The copy engine's: bytes, which are a multiple of 16, from global memory, and back.
__device__ inline void bulk_load(void* to, const void* from, unsigned bytes, mbarrier* bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(bar))
               : "memory");
}
__device__ inline void bulk_load_to_blocks(void* to, const void* from, unsigned bytes, mbarrier* bar,
                                           unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(bar)), "h"(blocks)
      : "memory");
}
__device__ inline void bulk_store(void* to, const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
               "r"(bytes)
               : "memory");
}
__device__ inline void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ inline void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
__device__ inline void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Tensor cores that read shared memory: the product of 64 × 16 and 16 × 8 elements, of which each thread of the four warps gets four.
__device__ inline unsigned long long matrix_at(const void* object) {
  return (shared_address(object) & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32;
}
__device__ inline void multiply_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void multiply(float (&sum)[4], const void* a, const void* b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"
               "wgmma.commit_group.sync.aligned;"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "l"(matrix_at(a)), "l"(matrix_at(b))
               : "memory");
}
template <int Open>
__device__ void multiply_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Open) : "memory");
}

// Blocks of a cluster.
__device__ inline unsigned block_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// The same object in another block.
__device__ inline unsigned remote_address(const void* object, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(object)), "r"(rank));
  return there;
}
__device__ inline void arrive_remotely(const mbarrier* bar, unsigned rank) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote_address(bar, rank))
               : "memory");
}
// st.async: the bytes complete on the barrier, which is in the same block as the object.
__device__ inline void store_remotely(const int* to, int value, const mbarrier* bar, unsigned rank) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(remote_address(to, rank)),
      "r"(value), "r"(remote_address(bar, rank))
      : "memory");
}
// Like wait, and orders what other blocks have released.
__device__ inline void wait_for_cluster(mbarrier* bar, unsigned parity) {
  unsigned done = 0;
  while (done == 0)
    asm volatile("{\n .reg .pred is_done;\n"
                 " mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 is_done, [%1], %2;\n"
                 " selp.u32 %0, 1, 0, is_done;\n}"
                 : "=r"(done)
                 : "r"(shared_address(bar)), "r"(parity)
                 : "memory");
}

#endif
