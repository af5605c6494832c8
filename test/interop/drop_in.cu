// What programs take from <cuda/barrier> or <cuda/latch> alone, although other headers declare it: macros, names of cuda::std.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: libcudacxx/test/support/test_macros.h, and cuda/work_stealing, cuda/barrier/arrive_tx_*.fail, cuda/pipeline
#if !defined(THEIRS_FIRST)
#include <cuda/latch>

#include <cuda/barrier>  // "ours_first.h" would also include <cuda/atomic>
#endif

// These names alone, before CCCL declares them.
#if !defined(THEIRS_FIRST)
#if !defined(CCCL_VERSION) || CCCL_MAJOR_VERSION != CCCL_VERSION / 1000000 || CUDASYNC_CCCL_VERSION != CCCL_VERSION
#error "the version of CCCL"
#endif
#if _LIBCUDACXX_CUDA_API_VERSION != CCCL_VERSION
#error "the version of libcu++"
#endif

template <class Type, cuda::std::enable_if_t<cuda::std::is_same_v<cuda::std::remove_reference_t<Type>, int>, int> = 0>
__host__ __device__ constexpr Type&& pass_on(Type&& value) {
  return cuda::std::forward<Type>(value);
}
static_assert(pass_on(4) == 4, "");
static_assert(cuda::std::is_same<int, int>::value && !cuda::std::is_same<int, const int>(), "");
static_assert(cuda::std::is_same_v<cuda::std::conditional_t<true, int, long>, cuda::std::remove_cv_t<const int>>, "");
static_assert(cuda::std::is_trivially_copyable_v<int> && cuda::std::is_trivially_copyable<int*>::value, "");
static_assert(cuda::std::to_integer<int>((cuda::std::byte{6} & ~cuda::std::byte{2}) << 1) == 8, "");

__host__ __device__ bool is_relaxed(cuda::std::memory_order order) {
  return order == cuda::std::memory_order::relaxed;
}
#endif

// The same after all of CCCL's declarations.
#include <cuda/std/chrono>
#include <cuda/std/cstddef>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda/std/version>

#include <cuda/barrier>

static_assert(CUDASYNC_CCCL_VERSION == CCCL_VERSION, "");
static_assert(cuda::std::numeric_limits<int>::max() > 0 && cuda::std::is_same_v<int, int>, "");

__host__ __device__ cuda::std::byte copy_first(cuda::std::byte* to, const cuda::std::byte* from) {
  cuda::std::memcpy(to, from, 1);
  return *to | *from;
}

__global__ void take_branch(int* branch) {
  NV_IF_TARGET(NV_IS_DEVICE, (*branch = 1;), (*branch = 2;))
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80, (branch[1] = 80;), (branch[1] = 0;))
}

// What CCCL's cudax/group.cuh and NVIDIA's tests of pipelines use.
static_assert(cuda::__is_cuda_barrier_v<cuda::barrier<cuda::thread_scope_block>>, "");
static_assert(!cuda::__is_cuda_barrier_v<int>, "");
static_assert(cuda::__single_thread_group::size() == 1 && cuda::__single_thread_group::thread_rank() == 0, "");
#include <cuda/__fwd/barrier.h>

// CCCL's test for_each_canceled chooses the thread that asks.
#include <cuda/work_stealing>
__global__ void steal(int* done) {
  cuda::device::__for_each_canceled_block<1>(threadIdx.x == 31, [=](dim3 block_index) { done[block_index.x] = 1; });
}
