// Barriers of a cluster, its own and mbarriers that other blocks arrive on, are the instructions that a hand would write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
// NVCC: 90
// The SASS of some kernels, in the order of their names:
// SASS-LABEL: ours_arrive_and_wait:
// SASS: MEMBAR.ALL.GPU
// SASS: UCGABAR_ARV
// SASS: UCGABAR_WAIT
// SASS-LABEL: ours_copy_to_other_block:
// SASS: UBLKCP
// SASS-LABEL: ours_meet:
// SASS: SYNCS.ARRIVE.TRANS64
// SASS: SYNCS.PHASECHK.TRANS64.TRYWAIT
// SASS: CCTL.IVALL
// SASS-LABEL: ours_relaxed:
// SASS-NOT: MEMBAR
// SASS: UCGABAR_ARV
// SASS-NOT: MEMBAR
// SASS: UCGABAR_WAIT
// SASS-LABEL: ours_remote_arrive:
// SASS: MEMBAR.ALL.GPU
// SASS: SYNCS.ARRIVE.TRANS64.RED
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using cudasync::cluster_barrier;
using cudasync::unaligned;
using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;
using cudasync::remote_barrier;

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}

__device__ unsigned in_block(const void* object, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address_of(object)), "r"(rank) : "memory");
  return there;
}

__device__ unsigned long long hand_arrive_on(const void* bar, unsigned count) {
  unsigned long long state;
  asm volatile("mbarrier.arrive.release.cluster.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(address_of(bar)), "r"(count)
               : "memory");
  return state;
}

__device__ void hand_wait_for(const void* bar, unsigned long long state) {
  asm volatile("{ .reg .pred done;\nagain: mbarrier.try_wait.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra again; }" ::"r"(address_of(bar)),
               "l"(state)
               : "memory");
}

__device__ void hand_wait_for_parity(const void* bar, unsigned parity) {
  asm volatile("{ .reg .pred done;\nagain: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra again; }" ::"r"(address_of(bar)),
               "r"(parity)
               : "memory");
}

extern "C" {

// --- The barrier of all threads of the cluster ---

// PTX-LABEL: .entry ours_arrive_and_wait(
// PTX: barrier.cluster.arrive.release.aligned;
// PTX: barrier.cluster.wait.acquire.aligned;
// PTX-LABEL: .entry hand_arrive_and_wait(
__global__ void __cluster_dims__(2) ours_arrive_and_wait() {
  cluster_barrier::arrive_and_wait();
}
__global__ void __cluster_dims__(2) hand_arrive_and_wait() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The same where the compiler does not know that there is a cluster.
__global__ void ours_arrive_and_wait_anywhere() {
  cluster_barrier::arrive_and_wait();
}
__global__ void hand_arrive_and_wait_anywhere() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// PTX-LABEL: .entry ours_arrive_and_wait_unaligned(
// PTX: barrier.cluster.arrive.release;
// PTX: barrier.cluster.wait.acquire;
// PTX-LABEL: .entry hand_arrive_and_wait_unaligned(
__global__ void __cluster_dims__(2) ours_arrive_and_wait_unaligned() {
  cluster_barrier::arrive_and_wait(unaligned);
}
__global__ void __cluster_dims__(2) hand_arrive_and_wait_unaligned() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// PTX-LABEL: .entry ours_split(
// PTX: barrier.cluster.arrive.release.aligned;
// PTX: barrier.cluster.wait.acquire.aligned;
// PTX-LABEL: .entry hand_split(
__global__ void __cluster_dims__(2) ours_split(int* data) {
  auto token = cluster_barrier::arrive();
  data[threadIdx.x] = 1;
  cluster_barrier::wait(static_cast<decltype(token)&&>(token));
  data[threadIdx.x] += 1;
}
__global__ void __cluster_dims__(2) hand_split(int* data) {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  data[threadIdx.x] = 1;
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  data[threadIdx.x] += 1;
}

// PTX-LABEL: .entry ours_split_unaligned(
// PTX: barrier.cluster.arrive.release;
// PTX: barrier.cluster.wait.acquire;
// PTX-LABEL: .entry hand_split_unaligned(
__global__ void __cluster_dims__(2) ours_split_unaligned(int* data) {
  auto token = cluster_barrier::arrive(unaligned);
  data[threadIdx.x] = 1;
  cluster_barrier::wait(static_cast<decltype(token)&&>(token), unaligned);
}
__global__ void __cluster_dims__(2) hand_split_unaligned(int* data) {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  data[threadIdx.x] = 1;
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// PTX-LABEL: .entry ours_relaxed(
// PTX: barrier.cluster.arrive.relaxed.aligned;
// PTX: barrier.cluster.wait.acquire.aligned;
// PTX-LABEL: .entry hand_relaxed(
__global__ void __cluster_dims__(2) ours_relaxed(int* data) {
  auto token = cluster_barrier::arrive(cudasync::memory_order_relaxed);
  data[threadIdx.x] = 1;
  cluster_barrier::wait(static_cast<decltype(token)&&>(token));
}
__global__ void __cluster_dims__(2) hand_relaxed(int* data) {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  data[threadIdx.x] = 1;
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// PTX-LABEL: .entry ours_relaxed_unaligned(
// PTX: barrier.cluster.arrive.relaxed;
// PTX: barrier.cluster.wait.acquire;
// PTX-LABEL: .entry hand_relaxed_unaligned(
__global__ void __cluster_dims__(2) ours_relaxed_unaligned() {
  cluster_barrier::wait(cluster_barrier::arrive(unaligned, cudasync::memory_order_relaxed), unaligned);
}
__global__ void __cluster_dims__(2) hand_relaxed_unaligned() {
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// PTX-LABEL: .entry ours_exit_guard(
// PTX: barrier.cluster.arrive.release;
// PTX: barrier.cluster.wait.acquire;
// PTX-LABEL: .entry hand_exit_guard(
__global__ void __cluster_dims__(2) ours_exit_guard(int* data) {
  const cudasync::cluster_exit_guard guard;
  data[threadIdx.x] = 1;
}
__global__ void __cluster_dims__(2) hand_exit_guard(int* data) {
  data[threadIdx.x] = 1;
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// --- A barrier of the cluster in this block ---

// PTX-LABEL: .entry init_in_cluster(
// PTX: mbarrier.init.shared.b64
// PTX: fence.mbarrier_init.release.cluster
// PTX: barrier.cluster.arrive
// PTX: barrier.cluster.wait
__global__ void __cluster_dims__(2) init_in_cluster() {
  __shared__ barrier_of_cluster bar;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<2>(bar));
}

// PTX-LABEL: .entry ours_arrive(
// PTX: mbarrier.arrive.release.cluster.shared::cta.b64
// PTX-LABEL: .entry hand_arrive(
__global__ void ours_arrive() {
  extern __shared__ barrier_of_cluster bars[];
  static_cast<void>(bars[0].arrive());
}
__global__ void hand_arrive() {
  extern __shared__ barrier_of_cluster bars[];
  static_cast<void>(hand_arrive_on(bars, 1));
}

__global__ void ours_arrive_three() {
  extern __shared__ barrier_of_cluster bars[];
  static_cast<void>(bars[0].arrive(3));
}
__global__ void hand_arrive_three() {
  extern __shared__ barrier_of_cluster bars[];
  static_cast<void>(hand_arrive_on(bars, 3));
}

// PTX-LABEL: .entry ours_meet(
// PTX: mbarrier.try_wait.acquire.cluster.shared::cta.b64
// PTX-LABEL: .entry hand_meet(
__global__ void ours_meet() {
  extern __shared__ barrier_of_cluster bars[];
  bars[0].arrive_and_wait();
}
__global__ void hand_meet() {
  extern __shared__ barrier_of_cluster bars[];
  hand_wait_for(bars, hand_arrive_on(bars, 1));
}

__global__ void ours_meet_split(int* data) {
  extern __shared__ barrier_of_cluster bars[];
  auto token = bars[0].arrive();
  data[threadIdx.x] = 1;
  bars[0].wait(static_cast<decltype(token)&&>(token));
}
__global__ void hand_meet_split(int* data) {
  extern __shared__ barrier_of_cluster bars[];
  const unsigned long long token = hand_arrive_on(bars, 1);
  data[threadIdx.x] = 1;
  hand_wait_for(bars, token);
}

// PTX-LABEL: .entry ours_wait_parity(
// PTX: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
// PTX-LABEL: .entry hand_wait_parity(
__global__ void ours_wait_parity(bool parity) {
  extern __shared__ barrier_of_cluster bars[];
  bars[0].wait_parity(parity);
}
__global__ void hand_wait_parity(bool parity) {
  extern __shared__ barrier_of_cluster bars[];
  hand_wait_for_parity(bars, parity);
}

// PTX-LABEL: .entry ours_try_wait_parity(
// PTX: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
// PTX-LABEL: .entry hand_try_wait_parity(
__global__ void ours_try_wait_parity(int* done) {
  extern __shared__ barrier_of_cluster bars[];
  *done = bars[0].try_wait_parity(false);
}
__global__ void hand_try_wait_parity(int* done) {
  extern __shared__ barrier_of_cluster bars[];
  asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%1], 0; "
               "selp.u32 %0, 1, 0, done; }"
               : "=r"(*done)
               : "r"(address_of(bars))
               : "memory");
}

// PTX-LABEL: .entry ours_arrive_and_drop(
// PTX: mbarrier.arrive_drop.release.cluster.shared::cta.b64
// PTX-LABEL: .entry hand_arrive_and_drop(
__global__ void ours_arrive_and_drop() {
  extern __shared__ barrier_of_cluster bars[];
  bars[0].arrive_and_drop();
}
__global__ void hand_arrive_and_drop() {
  extern __shared__ barrier_of_cluster bars[];
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.arrive_drop.release.cluster.shared::cta.b64 %0, [%1], 1;"
               : "=l"(state)
               : "r"(address_of(bars))
               : "memory");
}

__global__ void ours_invalidate() {
  extern __shared__ barrier_of_cluster bars[];
  invalidate(&bars[0]);
}
__global__ void hand_invalidate() {
  extern __shared__ barrier_of_cluster bars[];
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address_of(bars)) : "memory");
}

// --- Transactions on it ---

// PTX-LABEL: .entry ours_arrive_tx(
// PTX: mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64
// PTX-LABEL: .entry hand_arrive_tx(
__global__ void ours_arrive_tx() {
  extern __shared__ barrier_of_cluster bars[];
  static_cast<void>(cuda::device::barrier_arrive_tx(bars[0], 1, 4096));
}
__global__ void hand_arrive_tx() {
  extern __shared__ barrier_of_cluster bars[];
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 %0, [%1], 4096;"
               : "=l"(state)
               : "r"(address_of(bars))
               : "memory");
}

// PTX-LABEL: .entry ours_arrive_tx_three(
// PTX: mbarrier.arrive.release.cluster.shared::cta.b64
// PTX-LABEL: .entry hand_arrive_tx_three(
__global__ void ours_arrive_tx_three() {
  extern __shared__ barrier_of_cluster bars[];
  static_cast<void>(cuda::device::barrier_arrive_tx(bars[0], 3, 4096));
}
__global__ void hand_arrive_tx_three() {
  extern __shared__ barrier_of_cluster bars[];
  asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cta.b64 [%0], 4096;" ::"r"(address_of(bars)) : "memory");
  static_cast<void>(hand_arrive_on(bars, 3));
}

// PTX-LABEL: .entry ours_arrive_and_drop_tx(
// PTX: mbarrier.arrive_drop.expect_tx.release.cluster.shared::cta.b64
// PTX-LABEL: .entry hand_arrive_and_drop_tx(
__global__ void ours_arrive_and_drop_tx() {
  extern __shared__ barrier_of_cluster bars[];
  static_cast<void>(cudasync::device::barrier_arrive_and_drop_tx(bars[0], 64));
}
__global__ void hand_arrive_and_drop_tx() {
  extern __shared__ barrier_of_cluster bars[];
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.arrive_drop.expect_tx.release.cluster.shared::cta.b64 %0, [%1], 64;"
               : "=l"(state)
               : "r"(address_of(bars))
               : "memory");
}

__global__ void ours_expect_tx() {
  extern __shared__ barrier_of_cluster bars[];
  cuda::device::barrier_expect_tx(bars[0], 4096);
}
__global__ void hand_expect_tx() {
  extern __shared__ barrier_of_cluster bars[];
  asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cta.b64 [%0], 4096;" ::"r"(address_of(bars)) : "memory");
}

__global__ void ours_complete_tx() {
  extern __shared__ barrier_of_cluster bars[];
  cudasync::device::barrier_complete_tx(bars[0], 4096);
}
__global__ void hand_complete_tx() {
  extern __shared__ barrier_of_cluster bars[];
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 4096;" ::"r"(address_of(bars)) : "memory");
}

__global__ void ours_copy(const int* source) {
  alignas(16) __shared__ int tile[1024];
  extern __shared__ barrier_of_cluster bars[];
  cuda::device::memcpy_async_tx(tile, source, cuda::aligned_size_t<16>(sizeof(tile)), bars[0]);
}
__global__ void hand_copy(const int* source) {
  alignas(16) __shared__ int tile[1024];
  extern __shared__ barrier_of_cluster bars[];
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(address_of(tile)),
      "l"(__cvta_generic_to_global(source)), "r"(address_of(bars))
      : "memory");
}

__global__ void ours_copy_by_threads(const int* source) {
  __shared__ int tile[1024];
  extern __shared__ barrier_of_cluster bars[];
  cuda::memcpy_async(tile + threadIdx.x, source + threadIdx.x, sizeof(int), bars[0]);
}
__global__ void hand_copy_by_threads(const int* source) {
  __shared__ int tile[1024];
  extern __shared__ barrier_of_cluster bars[];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address_of(tile + threadIdx.x)),
               "l"(__cvta_generic_to_global(source + threadIdx.x))
               : "memory");
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(address_of(bars)) : "memory");
}

// --- A barrier in another block ---

// PTX-LABEL: .entry ours_remote_arrive(
// PTX: mbarrier.arrive.release.cluster.shared::cluster.b64 _
// PTX-LABEL: .entry hand_remote_arrive(
__global__ void ours_remote_arrive(unsigned rank) {
  extern __shared__ barrier_of_cluster bars[];
  remote_barrier(bars[0], rank).arrive();
}
__global__ void hand_remote_arrive(unsigned rank) {
  extern __shared__ barrier_of_cluster bars[];
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], 1;" ::"r"(in_block(bars, rank))
               : "memory");
}

__global__ void ours_remote_arrive_many(unsigned rank, unsigned count) {
  extern __shared__ barrier_of_cluster bars[];
  remote_barrier(bars[0], rank).arrive(count);
}
__global__ void hand_remote_arrive_many(unsigned rank, unsigned count) {
  extern __shared__ barrier_of_cluster bars[];
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(in_block(bars, rank)),
               "r"(count)
               : "memory");
}

// PTX-LABEL: .entry ours_remote_arrive_and_drop(
// PTX: mbarrier.arrive_drop.release.cluster.shared::cluster.b64
// PTX-LABEL: .entry hand_remote_arrive_and_drop(
__global__ void ours_remote_arrive_and_drop(unsigned rank) {
  extern __shared__ barrier_of_cluster bars[];
  remote_barrier(bars[0], rank).arrive_and_drop();
}
__global__ void hand_remote_arrive_and_drop(unsigned rank) {
  extern __shared__ barrier_of_cluster bars[];
  asm volatile("mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%0], 1;" ::"r"(in_block(bars, rank))
               : "memory");
}

// PTX-LABEL: .entry ours_remote_arrive_tx(
// PTX: mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64
// PTX-LABEL: .entry hand_remote_arrive_tx(
__global__ void ours_remote_arrive_tx(unsigned rank) {
  extern __shared__ barrier_of_cluster bars[];
  remote_barrier(bars[0], rank).arrive_tx(4096);
}
__global__ void hand_remote_arrive_tx(unsigned rank) {
  extern __shared__ barrier_of_cluster bars[];
  asm volatile(
      "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], 4096;" ::"r"(in_block(bars, rank))
      : "memory");
}

__global__ void ours_remote_expect_tx(unsigned rank) {
  extern __shared__ barrier_of_cluster bars[];
  remote_barrier(bars[0], rank).expect_tx(4096);
}
__global__ void hand_remote_expect_tx(unsigned rank) {
  extern __shared__ barrier_of_cluster bars[];
  asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], 4096;" ::"r"(in_block(bars, rank))
               : "memory");
}

// Two blocks in turn: each arrives at the other's barrier and waits at its own.
__global__ void ours_in_turn(unsigned rank, int rounds) {
  extern __shared__ barrier_of_cluster bars[];
  const remote_barrier there(bars[0], rank);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    there.arrive();
    bars[0].wait_parity((round & 1) != 0);
  }
}
__global__ void hand_in_turn(unsigned rank, int rounds) {
  extern __shared__ barrier_of_cluster bars[];
  const unsigned there = in_block(bars, rank);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], 1;" ::"r"(there) : "memory");
    hand_wait_for_parity(bars, (round & 1) != 0);
  }
}

// PTX-LABEL: .entry ours_copy_to_other_block(
// PTX: cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes
// PTX-LABEL: .entry hand_copy_to_other_block(
__global__ void ours_copy_to_other_block(unsigned rank) {
  alignas(16) __shared__ int tile[1024];
  alignas(16) __shared__ int inbox[1024];
  extern __shared__ barrier_of_cluster bars[];
  remote_barrier(bars[0], rank).memcpy_async_tx(inbox, tile, cuda::aligned_size_t<16>(sizeof(tile)));
}
__global__ void hand_copy_to_other_block(unsigned rank) {
  alignas(16) __shared__ int tile[1024];
  alignas(16) __shared__ int inbox[1024];
  extern __shared__ barrier_of_cluster bars[];
  const unsigned bar = in_block(bars, rank);
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(
                   in_block(inbox, rank)),
               "r"(address_of(tile)), "r"(bar)
               : "memory");
}

// --- Values in another block ---

// PTX-LABEL: .entry ours_store_async(
// PTX: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32
// PTX-LABEL: .entry hand_store_async(
__global__ void ours_store_async(unsigned rank, float value) {
  __shared__ float cells[1024];
  extern __shared__ barrier_of_cluster bars[];
  remote_barrier(bars[0], rank).store_async(&cells[threadIdx.x], value);
}
__global__ void hand_store_async(unsigned rank, float value) {
  __shared__ float cells[1024];
  extern __shared__ barrier_of_cluster bars[];
  const unsigned bar = in_block(bars, rank);
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(
                   in_block(&cells[threadIdx.x], rank)),
               "f"(value), "r"(bar)
               : "memory");
}

struct alignas(16) four_floats {
  float values[4];
};

// PTX-LABEL: .entry ours_store_async_16(
// PTX: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64
// PTX-LABEL: .entry hand_store_async_16(
__global__ void ours_store_async_16(unsigned rank, four_floats value) {
  __shared__ four_floats cells[256];
  extern __shared__ barrier_of_cluster bars[];
  remote_barrier(bars[0], rank).store_async(&cells[threadIdx.x], value);
}
__global__ void hand_store_async_16(unsigned rank, four_floats value) {
  __shared__ four_floats cells[256];
  extern __shared__ barrier_of_cluster bars[];
  const unsigned bar = in_block(bars, rank);
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                   in_block(&cells[threadIdx.x], rank)),
               "f"(value.values[0]), "f"(value.values[1]), "f"(value.values[2]), "f"(value.values[3]), "r"(bar)
               : "memory");
}

// PTX-LABEL: .entry ours_add_async(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64
// PTX-LABEL: .entry hand_add_async(
__global__ void ours_add_async(unsigned rank, long long value) {
  __shared__ long long sum;
  extern __shared__ barrier_of_cluster bars[];
  remote_barrier(bars[0], rank).add_async(&sum, value);
}
__global__ void hand_add_async(unsigned rank, long long value) {
  __shared__ long long sum;
  extern __shared__ barrier_of_cluster bars[];
  const unsigned bar = in_block(bars, rank);
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(
                   in_block(&sum, rank)),
               "l"(value), "r"(bar)
               : "memory");
}

// Of signed numbers.
// PTX-LABEL: .entry ours_min_async(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32
// PTX-LABEL: .entry hand_min_async(
__global__ void ours_min_async(unsigned rank, int value) {
  __shared__ int least;
  extern __shared__ barrier_of_cluster bars[];
  remote_barrier(bars[0], rank).min_async(&least, value);
}
__global__ void hand_min_async(unsigned rank, int value) {
  __shared__ int least;
  extern __shared__ barrier_of_cluster bars[];
  const unsigned bar = in_block(bars, rank);
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%0], %1, [%2];" ::"r"(
                   in_block(&least, rank)),
               "r"(value), "r"(bar)
               : "memory");
}

}  // extern "C"
