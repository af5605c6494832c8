// cudasync::device::store_add_elements: no element of a vector loses an addition, in any memory and of any scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"

#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

using gpu_test::device_array;

// Elements as floats, and back.
template <class Vector>
struct elements;
template <>
struct elements<float2> {
  static constexpr unsigned count = 2;
  static __device__ float2 vector_of(const float* values) { return {values[0], values[1]}; }
  static __device__ void split(const float2& vector, float* values) {
    values[0] = vector.x;
    values[1] = vector.y;
  }
};
template <>
struct elements<float4> {
  static constexpr unsigned count = 4;
  static __device__ float4 vector_of(const float* values) { return {values[0], values[1], values[2], values[3]}; }
  static __device__ void split(const float4& vector, float* values) {
    values[0] = vector.x;
    values[1] = vector.y;
    values[2] = vector.z;
    values[3] = vector.w;
  }
};
template <>
struct elements<__half2> {
  static constexpr unsigned count = 2;
  static __device__ __half2 vector_of(const float* values) { return __floats2half2_rn(values[0], values[1]); }
  static __device__ void split(const __half2& vector, float* values) {
    values[0] = __half2float(vector.x);
    values[1] = __half2float(vector.y);
  }
};
template <>
struct elements<__nv_bfloat162> {
  static constexpr unsigned count = 2;
  static __device__ __nv_bfloat162 vector_of(const float* values) {
    return __floats2bfloat162_rn(values[0], values[1]);
  }
  static __device__ void split(const __nv_bfloat162& vector, float* values) {
    values[0] = __bfloat162float(vector.x);
    values[1] = __bfloat162float(vector.y);
  }
};

// Each element has addends of its own, so that exchanged elements show. Every third thread subtracts, so that all
// partial sums are integers below 256, which bfloat16 holds.
constexpr unsigned blocks = 132, threads = 96, in_global_memory = 384, in_shared_memory = 8;
__host__ __device__ float addend(unsigned rank, unsigned element) {
  return static_cast<float>(element % 2 + 1) * (rank / 32 % 3 == 0 ? -1.f : 1.f);
}

template <cuda::thread_scope Scope, class Vector>
__device__ __noinline__ void add_somewhere(Vector* vector, Vector operand) {
  cudasync::device::store_add_elements<Scope>(vector, operand);
}

template <class Vector, cuda::thread_scope Scope>
__global__ void add(Vector* vectors, float* sums) {
  using parts = elements<Vector>;
  __shared__ Vector shared_vectors[in_shared_memory];
  const float zeros[4] = {}, ones[4] = {1, 2, 3, 4};
  if (threadIdx.x < in_shared_memory) shared_vectors[threadIdx.x] = parts::vector_of(zeros);
  __syncthreads();
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  float addends[4];
  for (unsigned element = 0; element < 4; ++element)
    addends[element] = addend(rank, element);
  const Vector operand = parts::vector_of(addends);
  if (rank % 2 == 0) {
    cudasync::device::store_add_elements<Scope>(vectors + rank % in_global_memory, operand);
    cudasync::device::store_add_elements<Scope>(shared_vectors + rank % in_shared_memory, operand);
  } else {
    add_somewhere<Scope>(vectors + rank % in_global_memory, operand);
    add_somewhere<Scope>(shared_vectors + rank % in_shared_memory, operand);
  }
  __syncthreads();
  if (threadIdx.x < in_shared_memory)
    parts::split(shared_vectors[threadIdx.x], sums + (blockIdx.x * in_shared_memory + threadIdx.x) * parts::count);
  // A vector of this thread alone, which the compiler sees.
  Vector own = parts::vector_of(ones);
  cudasync::device::store_add_elements<Scope>(&own, operand);
  float result[4];
  parts::split(own, result);
  for (unsigned element = 0; element < parts::count; ++element)
    DEVICE_CHECK(result[element] == ones[element] + addends[element]);
}
template <class Vector>
__global__ void read(const Vector* vectors, float* sums) {
  elements<Vector>::split(vectors[threadIdx.x], sums + threadIdx.x * elements<Vector>::count);
}

template <class Vector, cuda::thread_scope Scope>
void run_additions(unsigned grid) {
  constexpr unsigned count = elements<Vector>::count;
  const device_array<Vector> vectors(in_global_memory);
  const device_array<float> of_blocks(grid * in_shared_memory * count), of_all(in_global_memory * count);
  gpu_test::run(add<Vector, Scope>, {grid, threads}, vectors.get(), of_blocks.get());
  gpu_test::run(read<Vector>, {1, in_global_memory}, vectors.get(), of_all.get());
  std::vector<float> wanted_of_blocks(grid * in_shared_memory * count), wanted_of_all(in_global_memory * count);
  for (unsigned rank = 0; rank < grid * threads; ++rank) {
    for (unsigned element = 0; element < count; ++element) {
      wanted_of_all[rank % in_global_memory * count + element] += addend(rank, element);
      wanted_of_blocks[(rank / threads * in_shared_memory + rank % in_shared_memory) * count + element] +=
          addend(rank, element);
    }
  }
  CHECK(of_blocks.values() == wanted_of_blocks);
  CHECK(of_all.values() == wanted_of_all);
}

// Threads of several blocks meet in scopes that hold them.
template <class Vector>
void run_scopes() {
  run_additions<Vector, cuda::thread_scope_block>(1);
  run_additions<Vector, cuda::thread_scope_cluster>(1);
  run_additions<Vector, cuda::thread_scope_device>(blocks);
  run_additions<Vector, cuda::thread_scope_system>(blocks);
}
TEST(additions_to_float2) {
  run_scopes<float2>();
}
TEST(additions_to_float4) {
  run_scopes<float4>();
}
TEST(additions_to_half2) {
  run_scopes<__half2>();
}
TEST(additions_to_bfloat162) {
  run_scopes<__nv_bfloat162>();
}

// Of thread scope: each thread has a vector.
template <class Vector>
__global__ void add_alone(Vector* vectors) {
  using parts = elements<Vector>;
  __shared__ Vector shared_vectors[32];
  const float ones[4] = {1, 2, 3, 4};
  for (Vector* const vector : {vectors + threadIdx.x, shared_vectors + threadIdx.x}) {
    *vector = parts::vector_of(ones);
    cudasync::device::store_add_elements<cuda::thread_scope_thread>(vector, *vector);
    float result[4];
    parts::split(*vector, result);
    for (unsigned element = 0; element < parts::count; ++element)
      DEVICE_CHECK(result[element] == 2 * ones[element]);
  }
}
TEST(additions_of_single_threads) {
  gpu_test::run(add_alone<float2>, {1, 32}, device_array<float2>(32).get());
  gpu_test::run(add_alone<float4>, {1, 32}, device_array<float4>(32).get());
  gpu_test::run(add_alone<__half2>, {1, 32}, device_array<__half2>(32).get());
  gpu_test::run(add_alone<__nv_bfloat162>, {1, 32}, device_array<__nv_bfloat162>(32).get());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
