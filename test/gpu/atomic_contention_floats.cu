// Many threads add floating-point numbers to few objects: the sums, all of them exact, lack nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"

#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

using gpu_test::device_array;

constexpr unsigned blocks = 132, threads = 256, in_shared_memory = 4;

// bfloat16 holds the integers up to 256, so every sum stays below: of a counter in global memory each block changes
// 1 / 256 of threads * blocks, and of one in shared memory each thread in four.
template <class Float>
inline constexpr unsigned in_global_memory = sizeof(Float) == 2 ? 256 : 4;

// Two threads of three add, the third subtracts.
__host__ __device__ int sign_of(unsigned rank) {
  return rank / 7 % 3 == 0 ? -1 : 1;
}

template <class Atomic>
__device__ void add(Atomic&& atom, unsigned rank) {
  using value = typename std::decay_t<Atomic>::value_type;
  const value operand(static_cast<float>(sign_of(rank))), opposite(static_cast<float>(-sign_of(rank)));
  if (rank % 5 == 0) {
    atom.store_add(operand, cuda::memory_order_relaxed);
  } else if (rank % 5 == 1) {
    const value before = atom.fetch_sub(opposite, cuda::memory_order_relaxed);
    const auto number = static_cast<float>(before);
    DEVICE_CHECK(number == rintf(number));
  } else if (rank % 5 == 2) {
    atom.store_sub(opposite, cuda::memory_order_release);
  } else if (rank % 5 == 3) {
    value expected = atom.load(cuda::memory_order_relaxed);
    unsigned attempts = 0;
    while (!atom.compare_exchange_weak(expected, value(static_cast<float>(expected) + static_cast<float>(operand)),
                                       cuda::memory_order_relaxed)) {
      if (++attempts == 1u << 22) return DEVICE_CHECK(false);
    }
  } else {
    atom.fetch_add(operand, cuda::memory_order_acq_rel);
  }
}

template <class Atomic, class Object>
__global__ void contend(Object* objects, float* sums) {
  using value = typename Atomic::value_type;
  __shared__ Object shared_objects[in_shared_memory];
  const auto atom = [](Object& object) -> decltype(auto) {
    if constexpr (std::is_same_v<Atomic, Object>)
      return (object);
    else
      return Atomic(object);
  };
  if (threadIdx.x < in_shared_memory) atom(shared_objects[threadIdx.x]).store(value(0.f));
  __syncthreads();
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  add(atom(objects[rank % in_global_memory<value>]), rank);
  add(atom(shared_objects[rank % in_shared_memory]), rank);
  __syncthreads();
  if (threadIdx.x < in_shared_memory)
    sums[blockIdx.x * in_shared_memory + threadIdx.x] =
        static_cast<float>(atom(shared_objects[threadIdx.x]).load(cuda::memory_order_relaxed));
}
template <class Atomic, class Object>
__global__ void read(Object* objects, float* sums) {
  if constexpr (std::is_same_v<Atomic, Object>)
    sums[threadIdx.x] = static_cast<float>(objects[threadIdx.x].load());
  else
    sums[threadIdx.x] = static_cast<float>(objects[threadIdx.x]);
}

template <class Float, class Atomic, class Object>
void run_contention() {
  constexpr unsigned counters = in_global_memory<Float>;
  const device_array<Object> objects(counters);
  const device_array<float> of_blocks(blocks * in_shared_memory), of_all(counters);
  gpu_test::run(contend<Atomic, Object>, {blocks, threads}, objects.get(), of_blocks.get());
  gpu_test::run(read<Atomic, Object>, {1, counters}, objects.get(), of_all.get());
  std::vector<float> wanted_of_blocks(blocks * in_shared_memory), wanted_of_all(counters);
  for (unsigned rank = 0; rank < blocks * threads; ++rank) {
    wanted_of_blocks[rank / threads * in_shared_memory + rank % in_shared_memory] += static_cast<float>(sign_of(rank));
    wanted_of_all[rank % counters] += static_cast<float>(sign_of(rank));
  }
  CHECK(of_blocks.values() == wanted_of_blocks);
  CHECK(of_all.values() == wanted_of_all);
}
template <class Float, cuda::thread_scope Scope>
void contend_for_references() {
  run_contention<Float, cuda::atomic_ref<Float, Scope>, Float>();
}
template <class Float, cuda::thread_scope Scope>
void contend_for_atomics() {
  using atomic = cuda::atomic<Float, Scope>;
  run_contention<Float, atomic, atomic>();
}

TEST(sums_of_float) {
  contend_for_references<float, cuda::thread_scope_device>();
  contend_for_atomics<float, cuda::thread_scope_system>();
}
TEST(sums_of_double) {
  contend_for_references<double, cuda::thread_scope_system>();
  contend_for_atomics<double, cuda::thread_scope_device>();
}
TEST(sums_of_half) {
  contend_for_references<__half, cuda::thread_scope_device>();
  contend_for_atomics<__half, cuda::thread_scope_system>();
}
TEST(sums_of_bfloat16) {
  contend_for_references<__nv_bfloat16, cuda::thread_scope_system>();
  contend_for_atomics<__nv_bfloat16, cuda::thread_scope_device>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
