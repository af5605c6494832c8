// One kernel for each operation of an algorithm: algorithms.py reads from their PTX what the headers generate.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cudasync/grid_barrier.h>
#include <cudasync/peer_barrier.h>

using namespace cudasync;

constexpr thread_scope device_scope = thread_scope_device;
using target::here;

// --- backend/phase/counter_phase.h ---

using counter = backend::counter_phase<device_scope>;

extern "C" __global__ void counter_arrive(counter* phase, uint64* token) {
  *token = backend::arrive(here{}, *phase, 1);
}
extern "C" __global__ void counter_wait(counter* phase, uint64 token) {
  backend::wait(here{}, *phase, backend::phase_token{token}, backend::forever);
}
extern "C" __global__ void counter_arrive_and_wait(counter* phase) {
  backend::arrive_and_wait(here{}, *phase);
}
extern "C" __global__ void counter_drop(counter* phase) {
  backend::arrive_and_drop(here{}, *phase);
}

// --- backend/phase/gate_phase.h ---

using gate = backend::gate_phase<device_scope, uint32, backend::empty_completion>;

extern "C" __global__ void gate_arrive(gate* phase, uint64* token) {
  *token = backend::arrive(here{}, *phase, 1);
}
extern "C" __global__ void gate_drop(gate* phase) {
  backend::arrive_and_drop(here{}, *phase);
}
extern "C" __global__ void gate_wait(gate* phase, uint64 token) {
  backend::wait(here{}, *phase, backend::phase_token{token}, backend::forever);
}

// --- backend/grid/grid_phase.h ---

extern "C" __global__ void grid_arrive(backend::grid_phase* phase, backend::grid_share share, uint32* before) {
  *before = backend::arrive<device_scope>(here{}, *phase, share);
}
extern "C" __global__ void grid_wait(backend::grid_phase* phase, backend::grid_share share, uint32 before) {
  backend::wait<device_scope>(here{}, *phase, share, before);
}
extern "C" __global__ void grid_arrive_and_wait(backend::grid_phase* phase, backend::grid_share share) {
  backend::arrive_and_wait<device_scope>(here{}, *phase, share);
}

// --- backend/grid/peer_phase.h, for at most as many GPUs as a warp has lanes ---

extern "C" __global__ void peer_arrive(peer_part<>* const* parts, backend::grid_share share, uint32* phase) {
  *phase = backend::arrive_at_peers(here{}, backend::make_team(parts, 0, 2, 0), share);
}
extern "C" __global__ void peer_tell(peer_part<>* const* parts, uint32 phase) {
  backend::tell_peers(here{}, backend::make_team(parts, 0, 2, 0), phase);
}
extern "C" __global__ void peer_wait(peer_part<>* const* parts, uint32 phase) {
  backend::await_peers(here{}, backend::make_team(parts, 0, 2, 0), phase);
}

// --- backend/phase/countdown.h, backend/atomic/await_value_device.h ---

extern "C" __global__ void latch_count_down(latch<device_scope>* object) {
  object->count_down();
}
extern "C" __global__ void latch_wait(latch<device_scope>* object) {
  object->wait();
}
extern "C" __global__ void latch_try_wait(latch<device_scope>* object, bool* result) {
  *result = object->try_wait();
}
extern "C" __global__ void latch_arrive_and_wait(latch<device_scope>* object) {
  object->arrive_and_wait();
}

// --- backend/permit/permit_flag.h ---

using flag = backend::permit_flag<device_scope>;

extern "C" __global__ void flag_acquire(flag* permit) {
  backend::acquire_permit(here{}, *permit);
}
extern "C" __global__ void flag_try_acquire(flag* permit, bool* result) {
  *result = backend::try_acquire_permit(here{}, *permit);
}
extern "C" __global__ void flag_release(flag* permit) {
  backend::release_permits(here{}, *permit, 1);
}

// --- backend/permit/permit_queue.h ---

using queue = backend::permit_queue<device_scope>;

extern "C" __global__ void queue_acquire(queue* permits) {
  backend::acquire_permit(here{}, *permits);
}
extern "C" __global__ void queue_try_acquire(queue* permits, bool* result) {
  *result = backend::try_acquire_permit(here{}, *permits);
}
extern "C" __global__ void queue_release(queue* permits) {
  backend::release_permits(here{}, *permits, 1);
}

// --- pipeline.h: quit ---

using shared_state = pipeline_shared_state<thread_scope_block, 1>;

extern "C" __global__ void quit(bool* is_last) {
  __shared__ shared_state state;
  pipeline<thread_scope_block> pipe(state, false, false);
  *is_last = pipe.quit();
}

#if __CUDA_ARCH__ >= 800

extern "C" __global__ void quit_as_producer(bool* is_last) {
  __shared__ shared_state state;
  pipeline<thread_scope_block> pipe(state, true, false);
  *is_last = pipe.quit();
}

// --- backend/phase/block_phase_device.h ---

extern "C" __global__ void block_arrive(uint64* token) {
  __shared__ barrier<thread_scope_block> bar;
  *token = backend::arrive(here{}, phase_of(bar), 1);
}
extern "C" __global__ void block_wait(uint64 token) {
  __shared__ barrier<thread_scope_block> bar;
  backend::wait(here{}, phase_of(bar), backend::phase_token{token}, backend::forever);
}

#endif

#if __CUDA_ARCH__ >= 900

#include <cudasync/cluster_barrier.h>

// --- backend/phase/cluster_phase.h, remote_barrier.h, cluster_barrier.h ---

extern "C" __global__ void remote_arrive(uint32 block) {
  __shared__ barrier<thread_scope_cluster> bar;
  remote_barrier(bar, block).arrive();
}
extern "C" __global__ void cluster_wait(uint64 token) {
  __shared__ barrier<thread_scope_cluster> bar;
  backend::wait(here{}, phase_of(bar), backend::phase_token{token}, backend::forever);
}
extern "C" __global__ void cluster_sync() {
  cluster_barrier::arrive_and_wait();
}

// --- bulk_pipeline.h ---

using ring = bulk_pipeline<2, consumer_warps<1>>;
using cluster_ring = bulk_pipeline<2, consumer_warps<1>, 2>;
constexpr size_t tile = 64;

extern "C" __global__ void ring_copy(const char* source) {
  __shared__ ring pipe;
  __shared__ __align__(128) char stage[tile];
  pipe.acquire_and_copy(ring::producer_state{}, stage, source, aligned_size_t<16>(tile));
}
extern "C" __global__ void ring_wait() {
  __shared__ ring pipe;
  pipe.consumer_wait(ring::consumer_state{});
}
extern "C" __global__ void ring_release() {
  __shared__ ring pipe;
  pipe.consumer_release(ring::consumer_state{});
}
extern "C" __global__ void cluster_ring_copy(const char* source) {
  __shared__ cluster_ring pipe;
  __shared__ __align__(128) char stage[tile];
  pipe.producer_acquire(cluster_ring::producer_state{}, tile);
  pipe.copy_to_blocks(cluster_ring::producer_state{}, stage, source, aligned_size_t<16>(tile), 3);
}
extern "C" __global__ void cluster_ring_wait() {
  __shared__ cluster_ring pipe;
  pipe.consumer_wait(cluster_ring::consumer_state{});
}
extern "C" __global__ void cluster_ring_release() {
  __shared__ cluster_ring pipe;
  pipe.consumer_release(cluster_ring::consumer_state{});
}
// With the fence in the thread that copies.
extern "C" __global__ void cluster_ring_copy_after_fence(const char* source) {
  __shared__ cluster_ring pipe;
  __shared__ __align__(128) char stage[tile];
  pipe.producer_acquire(cluster_ring::producer_state{}, tile);
  device::fence_before_bulk_copy();
  pipe.copy_to_blocks(cluster_ring::producer_state{}, stage, source, aligned_size_t<16>(tile), 3);
}

// --- bulk_store.h, bulk_fence.h ---

extern "C" __global__ void store_tile(char* destination) {
  __shared__ __align__(128) char stage[tile];
  device::fence_before_bulk_copy();
  device::bulk_store(destination, stage, aligned_size_t<16>(tile));
  device::bulk_commit();
  device::bulk_wait_read<0>();
}
extern "C" __global__ void store_tile_to_the_end(char* destination) {
  __shared__ __align__(128) char stage[tile];
  device::bulk_store(destination, stage, aligned_size_t<16>(tile));
  device::bulk_commit();
  device::bulk_wait<0>();
}

#endif
