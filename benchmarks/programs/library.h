// The contestants of both cudasync and CCCL: the pipelines, barriers and atomics of the included headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_PROGRAMS_LIBRARY_H
#define CUDASYNC_BENCHMARKS_PROGRAMS_LIBRARY_H

#include <cooperative_groups.h>

#include "hash_table.h"
#include "matrix_product.h"
#include "reduction.h"
#include "stencil.h"

namespace bench { namespace {

template <class Pipeline>
struct product_pipeline {
  Pipeline pipe;

  __device__ __forceinline__ void acquire() { pipe.producer_acquire(); }
  __device__ __forceinline__ void copy(float4* to, const float4* from) {
    cuda::memcpy_async(to, from, cuda::aligned_size_t<16>(16), pipe);
  }
  __device__ __forceinline__ void commit() { pipe.producer_commit(); }
};

// Each thread has a pipeline, and __syncthreads makes the copies visible to the block. A stage is refilled one step after
// it was used, behind the next __syncthreads.
struct product_of_threads : product_pipeline<cuda::pipeline<cuda::thread_scope_thread>> {
  struct shared {};

  __device__ __forceinline__ explicit product_of_threads(shared&) : product_pipeline{cuda::make_pipeline()} {}
  __device__ __forceinline__ void wait() {
    pipe.consumer_wait();
    __syncthreads();
  }
  __device__ __forceinline__ void release() { pipe.consumer_release(); }
};

struct product_of_block : product_pipeline<cuda::pipeline<cuda::thread_scope_block>> {
  struct shared {
    cuda::pipeline_shared_state<cuda::thread_scope_block, product_stages> state;
  };

  __device__ __forceinline__ explicit product_of_block(shared& of)
      : product_pipeline{cuda::make_pipeline(cooperative_groups::this_thread_block(), &of.state)} {}
  __device__ __forceinline__ void wait() { pipe.consumer_wait(); }
  __device__ __forceinline__ void release() { pipe.consumer_release(); }
};

// A free function, because a member named init would hide the function of the library.
template <class Barrier>
__device__ __forceinline__ void initialize_for(Barrier* bar, unsigned expected) {
  init(bar, static_cast<std::ptrdiff_t>(expected));
}

struct stencil_barrier {
  cuda::barrier<cuda::thread_scope_device> bar;

  __device__ __forceinline__ void init(unsigned blocks) { initialize_for(&bar, blocks); }
  __device__ __forceinline__ void arrive_and_wait() {
    __syncthreads();
    if (threadIdx.x == 0) bar.arrive_and_wait();
    __syncthreads();
  }
};

struct table_atomics {
  using word = cuda::atomic_ref<u32, cuda::thread_scope_device>;

  static __device__ __forceinline__ u32 load(u32* place) { return word(*place).load(cuda::memory_order_relaxed); }
  static __device__ __forceinline__ bool claim(u32* place, u32& expected, u32 desired) {
    return word(*place).compare_exchange_strong(expected, desired, cuda::memory_order_relaxed,
                                                cuda::memory_order_relaxed);
  }
  static __device__ __forceinline__ void add_one(u32* place) { word(*place).fetch_add(1, cuda::memory_order_relaxed); }
};

struct reduction_atomics {
  static __device__ __forceinline__ void add_in_block(u32* place, u32 value) {
    const u32 of_warp = __reduce_add_sync(0xffffffff, value);
    if (threadIdx.x % 32 == 0)
      cuda::atomic_ref<u32, cuda::thread_scope_block>(*place).fetch_add(of_warp, cuda::memory_order_relaxed);
  }
  static __device__ __forceinline__ bool is_last(u32* ready, u32* place, u32 sum) {
    *place = sum;
    cuda::atomic_ref<u32, cuda::thread_scope_device> blocks(*ready);
    return blocks.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
  }
  static __device__ __forceinline__ u32 read(u32* place) { return *place; }
};

void enroll_library(const std::string& name, const std::string& kind) {
  enroll_matrix_product<product_of_threads>(name + ", a thread's pipeline", kind);
  enroll_matrix_product<product_of_block>(name + ", a block's pipeline", kind);
  enroll_stencil<stencil_barrier>(name + ", barrier of device scope", kind);
  enroll_hash_table<table_atomics>(name + ", atomic_ref", kind);
  enroll_reduction<reduction_atomics>(name + ", atomic_ref", kind);
}

}}  // namespace bench

#endif
