// Atomics of sizes that no instruction takes: no value is ever seen in parts, and no update is lost.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/boxed.h"
#include "../support/gpu_test.h"
#include "../support/padded.h"

#include <cuda/atomic>

using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using cuda::thread_scope_block;
using cuda::thread_scope_device;
using cuda::thread_scope_system;
using gpu_test::device_array;

constexpr unsigned blocks = 32, threads = 64, each = 8;

// Two atomics: one in which all count, one that all overwrite.
template <class Value, cuda::thread_scope Scope>
struct boxes {
  cuda::atomic<Value, Scope> count, any;

  __device__ void prepare() {
    cuda::atomic_init(&count, whole<Value>(0));
    cuda::atomic_init(&any, whole<Value>(1));
  }
  __device__ void use(unsigned rank) {
    for (unsigned index = 0; index < each; ++index) {
      Value seen = count.load(index % 2 == 0 ? memory_order_relaxed : memory_order_acquire);
      DEVICE_CHECK(is_whole(seen));
      while (!count.compare_exchange_weak(seen, whole<Value>(number_of(seen) + 1), memory_order_acq_rel,
                                          memory_order_relaxed))
        DEVICE_CHECK(is_whole(seen));
      if (rank % 2 == 0)
        any.store(whole<Value>(rank * each + index), memory_order_relaxed);
      else
        DEVICE_CHECK(is_whole(any.exchange(whole<Value>(rank * each + index))));
      DEVICE_CHECK(is_whole(any.load(memory_order_relaxed)));
    }
  }
  __device__ void check(unsigned members) {
    DEVICE_CHECK(number_of(count.load()) == members * each);
    DEVICE_CHECK(is_whole(any.load()));
  }
};

template <class Value, cuda::thread_scope Scope>
__global__ void prepare(boxes<Value, Scope>* all) {
  all->prepare();
}
template <class Value, cuda::thread_scope Scope>
__global__ void use_in_global_memory(boxes<Value, Scope>* all) {
  all->use(blockIdx.x * blockDim.x + threadIdx.x);
}
template <class Value, cuda::thread_scope Scope>
__global__ void check_in_global_memory(boxes<Value, Scope>* all) {
  all->check(blocks * threads);
}
template <class Value, cuda::thread_scope Scope>
void run_in_global_memory() {
  const device_array<boxes<Value, Scope>> all(1);
  gpu_test::run(prepare<Value, Scope>, {1, 1}, all.get());
  gpu_test::run(use_in_global_memory<Value, Scope>, {blocks, threads}, all.get());
  gpu_test::run(check_in_global_memory<Value, Scope>, {1, 1}, all.get());
}

template <class Value, cuda::thread_scope Scope>
__global__ void use_in_shared_memory() {
  __shared__ boxes<Value, Scope> all;
  if (threadIdx.x == 0) all.prepare();
  __syncthreads();
  all.use(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) all.check(blockDim.x);
}

// An order that only the device knows: by the numbers.
template <unsigned Size, unsigned Alignment = 1>
struct ordered : boxed<Size, Alignment> {
  friend __device__ bool operator<(const ordered& left, const ordered& right) {
    return number_of(left) < number_of(right);
  }
};
template <class Value>
struct extremes {
  cuda::atomic<Value, thread_scope_device> least, most;
};
template <class Value>
__global__ void set_extremes(extremes<Value>* all) {
  cuda::atomic_init(&all->least, whole<Value>(5000));
  cuda::atomic_init(&all->most, whole<Value>(0));
}
template <class Value>
__global__ void find_extremes(extremes<Value>* all) {
  const unsigned number = 100 + (blockIdx.x * threads + threadIdx.x) * 7 % (blocks * threads);
  DEVICE_CHECK(is_whole(all->least.fetch_min(whole<Value>(number), memory_order_relaxed)));
  DEVICE_CHECK(is_whole(all->most.fetch_max(whole<Value>(number))));
  DEVICE_CHECK(number_of(all->least.load()) <= number && number <= number_of(all->most.load()));
}
template <class Value>
__global__ void check_extremes(extremes<Value>* all) {
  DEVICE_CHECK(is_whole(all->least.load()) && number_of(all->least.load()) == 100);
  DEVICE_CHECK(is_whole(all->most.load()) && number_of(all->most.load()) == 100 + blocks * threads - 1);
  all->least.store_min(whole<Value>(99));
  DEVICE_CHECK(number_of(all->least.load()) == 99);
}
template <class Value>
void run_extremes() {
  const device_array<extremes<Value>> all(1);
  gpu_test::run(set_extremes<Value>, {1, 1}, all.get());
  gpu_test::run(find_extremes<Value>, {blocks, threads}, all.get());
  gpu_test::run(check_extremes<Value>, {1, 1}, all.get());
}
TEST(extremes_by_an_order_of_the_program) {
  run_extremes<ordered<3>>();
  run_extremes<ordered<8, 8>>();
  run_extremes<ordered<7>>();
  run_extremes<ordered<12, 4>>();
  run_extremes<ordered<24, 8>>();
}

__device__ void use_alone(unsigned* wrong) {
  cuda::atomic<boxed<20, 4>, thread_scope_device> own(whole<boxed<20, 4>>(5));
  boxed<20, 4> seen = whole<boxed<20, 4>>(4);
  if (own.compare_exchange_strong(seen, whole<boxed<20, 4>>(6)) || number_of(seen) != 5) atomicAdd(wrong, 1);
  if (number_of(own.exchange(seen)) != 5) atomicAdd(wrong, 1);
}

template <class Value>
void check_value() {
  run_in_global_memory<Value, thread_scope_device>();
  run_in_global_memory<Value, thread_scope_system>();
  gpu_test::run(use_in_shared_memory<Value, thread_scope_block>, {blocks, threads});
  gpu_test::run(use_in_shared_memory<Value, thread_scope_system>, {blocks, threads});
}
TEST(values_in_a_word) {
  check_value<boxed<3>>();
  check_value<boxed<5>>();
  check_value<boxed<6, 2>>();
  check_value<boxed<7>>();
}
TEST(values_behind_a_lock) {
  check_value<boxed<9>>();
  check_value<boxed<12, 4>>();
  check_value<boxed<24, 8>>();
  check_value<boxed<40, 4>>();
}

__global__ void use_private_memory(unsigned* wrong) {
  use_alone(wrong);
  atomicAdd(wrong, wrong_loops_in_atomic<shorts_around_char>());
  atomicAdd(wrong, wrong_loops_in_atomic<doubles_behind_ints>());
  atomicAdd(wrong, wrong_comparisons());
}
TEST(values_in_private_memory) {
  const device_array<unsigned> wrong(1);
  gpu_test::run(use_private_memory, {1, threads}, wrong.get());
  CHECK(wrong.values()[0] == 0);
}

// What was written before a value behind a lock was stored is seen by whoever has waited for that value.
template <cuda::thread_scope Scope>
__global__ void pass_messages(cuda::atomic<boxed<24, 8>, Scope>* box, unsigned* data, unsigned rounds) {
  const unsigned other = blockIdx.x ^ 1;
  for (unsigned round = 1; round <= rounds; ++round) {
    data[blockIdx.x] = round;
    box[blockIdx.x].store(whole<boxed<24, 8>>(round), memory_order_release);
    static_cast<void>(
        box[other].wait([&](const boxed<24, 8>& value) { return number_of(value) >= round; }, memory_order_acquire));
    DEVICE_CHECK(data[other] >= round);
  }
}
template <cuda::thread_scope Scope>
__global__ void prepare_boxes(cuda::atomic<boxed<24, 8>, Scope>* box) {
  cuda::atomic_init(&box[threadIdx.x], whole<boxed<24, 8>>(0));
}
TEST(messages) {
  const device_array<cuda::atomic<boxed<24, 8>, thread_scope_device>> box(2);
  const device_array<unsigned> data(2);
  gpu_test::run(prepare_boxes<thread_scope_device>, {1, 2}, box.get());
  gpu_test::run(pass_messages<thread_scope_device>, {2, 1}, box.get(), data.get(), 1000u);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
