// Atomics of 16 bytes: no value is ever seen in parts, and no update is lost.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/atomic_history.h"
#include "../support/gpu_test.h"
#include "../support/padded.h"

#include <cooperative_groups.h>
#include <cuda/atomic>

#include <stdint.h>

using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using gpu_test::device_array;

struct alignas(16) pair {
  uint64_t low, high;
  friend __host__ __device__ bool operator==(const pair& left, const pair& right) {
    return left.low == right.low && left.high == right.high;
  }
};
struct pair_hash {
  size_t operator()(const pair& value) const { return value.low * 0x9e3779b97f4a7c15 ^ value.high; }
};

// Of a whole value, either half tells the other: parts of two values do not fit together.
__host__ __device__ pair whole(uint64_t number) {
  return {number, number * 0xbf58476d1ce4e5b9 ^ 0x94d049bb133111eb};
}
__host__ __device__ bool is_whole(const pair& value) {
  return value == whole(value.low);
}

// What a thread found and what it left.
struct event {
  pair before, after;
};

template <class Atomic>
__device__ void change_and_record(Atomic&& atom, event* events, unsigned count, unsigned rank) {
  pair seen = atom.load(memory_order_relaxed);
  for (unsigned index = 0; index < count; ++index) {
    const pair own = whole(uint64_t{rank} * count + index + 1);
    if ((rank / 32 + index) % 3 == 0) {
      seen = atom.exchange(own, memory_order_acq_rel);
      events[index] = {seen, own};
    } else if (atom.compare_exchange_weak(seen, own, memory_order_release, memory_order_relaxed)) {
      events[index] = {seen, own};
    } else {
      events[index] = {seen, seen};
    }
    DEVICE_CHECK(is_whole(seen) && is_whole(atom.load(memory_order_acquire)));
  }
}
// Others only store and load: they may tear values, too.
template <class Atomic>
__device__ void store_and_load(Atomic&& atom, unsigned count, unsigned rank) {
  for (unsigned index = 0; index < count; ++index) {
    atom.store(whole(uint64_t{rank} * count + index), memory_order_relaxed);
    DEVICE_CHECK(is_whole(atom.load(memory_order_relaxed)));
  }
}

void check(const event* events, size_t count, const pair& last) {
  history<pair, pair_hash> seen;
  for (size_t index = 0; index < count; ++index)
    seen.add(events[index].before, events[index].after);
  CHECK(seen.is_explained(whole(0), last));
}

constexpr unsigned blocks = 64, threads = 64, each = 16;

template <cuda::thread_scope Scope>
__global__ void change_in_global_memory(pair* values, event* events) {
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  change_and_record(cuda::atomic_ref<pair, Scope>(values[0]), events + rank * each, each, rank);
  store_and_load(cuda::atomic_ref<pair, Scope>(values[1]), each, rank);
}
template <cuda::thread_scope Scope>
void run_in_global_memory() {
  const std::vector<pair> first = {whole(0), whole(0)};
  const device_array<pair> values(first);
  const device_array<event> events(blocks * threads * each);
  gpu_test::run(change_in_global_memory<Scope>, {blocks, threads}, values.get(), events.get());
  check(events.values().data(), blocks * threads * each, values.values()[0]);
  CHECK(is_whole(values.values()[1]));
}
TEST(pairs_in_global_memory) {
  run_in_global_memory<cuda::thread_scope_device>();
  run_in_global_memory<cuda::thread_scope_system>();
}

template <cuda::thread_scope Scope>
__global__ void change_in_shared_memory(pair* last, event* events) {
  __shared__ pair values[2];
  if (threadIdx.x < 2) values[threadIdx.x] = whole(0);
  __syncthreads();
  change_and_record(cuda::atomic_ref<pair, Scope>(values[0]), events + (blockIdx.x * blockDim.x + threadIdx.x) * each,
                    each, threadIdx.x);
  store_and_load(cuda::atomic_ref<pair, Scope>(values[1]), each, threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) last[blockIdx.x] = values[0];
}
template <cuda::thread_scope Scope>
void run_in_shared_memory() {
  const device_array<pair> last(blocks);
  const device_array<event> events(blocks * threads * each);
  gpu_test::run(change_in_shared_memory<Scope>, {blocks, threads}, last.get(), events.get());
  const std::vector<event> all = events.values();
  for (unsigned block = 0; block < blocks; ++block)
    check(all.data() + block * threads * each, threads * each, last.values()[block]);
}
TEST(pairs_in_shared_memory) {
  run_in_shared_memory<cuda::thread_scope_block>();
  run_in_shared_memory<cuda::thread_scope_device>();
}

// In the shared memory of the cluster's first block.
template <cuda::thread_scope Scope>
__global__ void change_in_cluster(pair* last, event* events) {
  __shared__ pair values[2];
  const auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x < 2) values[threadIdx.x] = whole(0);
  cluster.sync();
  pair* const of_first = cluster.map_shared_rank(values, 0);
  const unsigned rank = cluster.block_rank() * blockDim.x + threadIdx.x;
  change_and_record(cuda::atomic_ref<pair, Scope>(of_first[0]), events + (blockIdx.x * blockDim.x + threadIdx.x) * each,
                    each, rank);
  store_and_load(cuda::atomic_ref<pair, Scope>(of_first[1]), each, rank);
  cluster.sync();
  if (rank == 0) last[blockIdx.x / 4] = values[0];
}
template <cuda::thread_scope Scope>
void run_in_cluster() {
  const device_array<pair> last(blocks / 4);
  const device_array<event> events(blocks * threads * each);
  gpu_test::shape how{blocks, threads};
  how.cluster = 4;
  gpu_test::run(change_in_cluster<Scope>, how, last.get(), events.get());
  const std::vector<event> all = events.values();
  for (unsigned cluster = 0; cluster < blocks / 4; ++cluster)
    check(all.data() + cluster * 4 * threads * each, 4 * threads * each, last.values()[cluster]);
}
TEST(pairs_in_the_shared_memory_of_another_block) {
  run_in_cluster<cuda::thread_scope_cluster>();
  run_in_cluster<cuda::thread_scope_system>();
}

// 128-bit integers have arithmetic, in loops: sums carry from one half to the other.
using wide = unsigned __int128;
__host__ __device__ wide addend(unsigned rank) {
  return (wide{rank} << 64) + 0xf000000000000000 + rank;
}
struct sums {
  wide added, subtracted, toggled;
  __int128 least, greatest;
};
template <cuda::thread_scope Scope>
__device__ void add(sums& all, unsigned rank) {
  cuda::atomic_ref<wide, Scope>(all.added).fetch_add(addend(rank), memory_order_relaxed);
  cuda::atomic_ref<wide, Scope>(all.subtracted).store_sub(addend(rank));
  cuda::atomic_ref<wide, Scope>(all.toggled).fetch_xor(addend(rank) * addend(rank), memory_order_acq_rel);
  const __int128 number = static_cast<__int128>(addend(rank) * addend(rank));
  cuda::atomic_ref<__int128, Scope>(all.least).fetch_min(number, memory_order_relaxed);
  cuda::atomic_ref<__int128, Scope>(all.greatest).store_max(number, memory_order_relaxed);
}
__global__ void add_up(sums* all, sums* of_blocks) {
  __shared__ sums of_this_block;
  if (threadIdx.x == 0) of_this_block = {};
  __syncthreads();
  add<cuda::thread_scope_device>(*all, blockIdx.x * blockDim.x + threadIdx.x);
  add<cuda::thread_scope_block>(of_this_block, blockIdx.x * blockDim.x + threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = of_this_block;
}
void check_sums(const sums& seen, unsigned first, unsigned count) {
  sums wanted = {};
  for (unsigned rank = first; rank < first + count; ++rank) {
    wanted.added += addend(rank);
    wanted.subtracted -= addend(rank);
    wanted.toggled ^= addend(rank) * addend(rank);
    const auto number = static_cast<__int128>(addend(rank) * addend(rank));
    if (number < wanted.least) wanted.least = number;
    if (number > wanted.greatest) wanted.greatest = number;
  }
  CHECK(seen.added == wanted.added && seen.subtracted == wanted.subtracted && seen.toggled == wanted.toggled);
  CHECK(seen.least == wanted.least && seen.greatest == wanted.greatest);
}
TEST(integers_of_128_bits) {
  const device_array<sums> all(1), of_blocks(blocks);
  gpu_test::run(add_up, {blocks, threads}, all.get(), of_blocks.get());
  check_sums(all.values()[0], 0, blocks * threads);
  for (unsigned block = 0; block < blocks; ++block)
    check_sums(of_blocks.values()[block], block * threads, threads);
}

// One thread's own, in local memory too.
template <class Atomic>
__device__ void do_every_operation(Atomic&& atom) {
  const pair one = whole(1), two = whole(2);
  atom.store(one);
  DEVICE_CHECK(atom.load() == one && atom.exchange(two) == one);
  pair expected = {two.low, one.high};
  DEVICE_CHECK(!atom.compare_exchange_strong(expected, one) && expected == two);
  DEVICE_CHECK(atom.compare_exchange_strong(expected, one, memory_order_acq_rel, memory_order_acquire));
  expected = {one.low, two.high};
  DEVICE_CHECK(!atom.compare_exchange_weak(expected, two, memory_order_relaxed) && expected == one);
  atom.wait({one.low, two.high}, memory_order_relaxed);
  DEVICE_CHECK(atom.wait([&](const pair& value) { return value == one; }) == one);
}
template <class Atomic>
__device__ __noinline__ void do_every_operation_somewhere(Atomic& atom) {
  do_every_operation(atom);
}
template <cuda::thread_scope Scope>
__global__ void operate_alone(cuda::atomic<pair, Scope>* atomics) {
  __shared__ cuda::atomic<pair, Scope> shared_atomics[32];
  cuda::atomic<pair, Scope> local_atomic;
  do_every_operation(atomics[threadIdx.x]);
  do_every_operation(shared_atomics[threadIdx.x]);
  do_every_operation(local_atomic);
  do_every_operation_somewhere(atomics[threadIdx.x]);
  do_every_operation_somewhere(shared_atomics[threadIdx.x]);
  if constexpr (Scope == cuda::thread_scope_thread) do_every_operation_somewhere(local_atomic);
}
template <cuda::thread_scope Scope>
void run_alone() {
  gpu_test::run(operate_alone<Scope>, {1, 32}, device_array<cuda::atomic<pair, Scope>>(32).get());
}
TEST(operations_of_single_threads) {
  run_alone<cuda::thread_scope_thread>();
  run_alone<cuda::thread_scope_block>();
  run_alone<cuda::thread_scope_cluster>();
  run_alone<cuda::thread_scope_device>();
  run_alone<cuda::thread_scope_system>();
}

// As in atomic_padding.cu.
template <class Value>
__global__ void loops_over_padding(unsigned char* global) {
  __shared__ alignas(16) unsigned char shared[16];
  DEVICE_CHECK(wrong_loops_over(*reinterpret_cast<Value*>(global)) == 0);
  DEVICE_CHECK(wrong_loops_over(*reinterpret_cast<Value*>(shared)) == 0);
}
TEST(loops_over_padding_end) {
  const device_array<unsigned char> place(16);
  gpu_test::run(loops_over_padding<double_behind_int>, {1, 1}, place.get());
  gpu_test::run(loops_over_padding<char_behind_long>, {1, 1}, place.get());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
