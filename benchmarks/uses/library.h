// The library whose classes a translation unit measures: cudasync or CCCL, or by hand with BENCH_BY_HAND.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_USES_LIBRARY_H
#define CUDASYNC_BENCHMARKS_USES_LIBRARY_H

#include <cooperative_groups.h>

#include <utility>

#if defined(BENCH_BY_HAND)
#include "hand.h"
#else
#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

#include "uses.h"
#if !defined(CUDASYNC_VERSION)
#include <cuda/version>

#include "../cccl_name.h"
#endif
#endif

namespace bench { namespace {

namespace groups = cooperative_groups;

#if defined(BENCH_BY_HAND)

template <class Value>
using device_ref = by_hand::atomic_ref<Value, by_hand::device_scope>;
template <class Value>
using block_ref = by_hand::atomic_ref<Value, by_hand::block_scope>;
template <class Value>
using device_atomic = by_hand::atomic<Value, by_hand::device_scope>;
template <class Value>
using block_atomic = by_hand::atomic<Value, by_hand::block_scope>;
template <class Value>
using system_atomic = by_hand::atomic<Value, by_hand::system_scope>;
using block_barrier = by_hand::barrier<by_hand::block_scope>;
using device_barrier = by_hand::barrier<by_hand::device_scope>;
using system_barrier = by_hand::barrier<by_hand::system_scope>;
using block_semaphore = by_hand::semaphore<by_hand::block_scope>;
using device_semaphore = by_hand::semaphore<by_hand::device_scope>;
using block_binary_semaphore = block_semaphore;
using device_binary_semaphore = device_semaphore;
using block_latch = by_hand::latch<by_hand::block_scope>;
using device_latch = by_hand::latch<by_hand::device_scope>;
constexpr by_hand::relaxed_order relaxed{};
constexpr by_hand::acquire_order acquire{};
constexpr by_hand::release_order release{};
constexpr by_hand::acq_rel_order acq_rel{};

template <class Order>
__device__ __forceinline__ void device_fence(Order) {
  __threadfence();
}
__device__ __forceinline__ bool is_complete(block_barrier& bar, const block_barrier::arrival_token& token) {
  return bar.is_complete(token);
}

// Copies in units of the given size, which a programmer knows. track follows the copies of a phase.
template <int Unit, class Value>
__device__ __forceinline__ void copy(Value* to, const Value* from, block_barrier&) {
  by_hand::copy_by_thread<Unit>(to, from);
}
template <int Unit, class Group, class Value>
__device__ __forceinline__ void copy(const Group& group, Value* to, const Value* from, std::size_t bytes,
                                     block_barrier&) {
  by_hand::copy_by_group<Unit>(group, to, from, static_cast<int>(bytes));
}
template <int Unit>
__device__ __forceinline__ void track(block_barrier& bar) {
  if constexpr (Unit >= 4) bar.track_copies();
}
template <int Bytes>
__device__ __forceinline__ void copy_row(uint4* to, const uint4* from, block_barrier& bar) {
#if __CUDA_ARCH__ >= 900
  constexpr bool is_in_bulk = Bytes >= 512;
#else
  constexpr bool is_in_bulk = false;
#endif
  if constexpr (is_in_bulk) {
    bar.copy_in_bulk(to, from, Bytes);
  } else {
#pragma unroll
    for (int at = 0; at < Bytes / 16; ++at)
      by_hand::copy_unit<16>(to + at, from + at);
    bar.track_copies();
  }
}
template <class Group, class Value>
__device__ __forceinline__ void copy_out(const Group& group, Value* to, const Value* from, std::size_t bytes,
                                         block_barrier&) {
  for (std::size_t at = group.thread_rank(); at < bytes / sizeof(Value); at += group.size())
    to[at] = from[at];
}

// The same for a pipeline of a thread.
template <int Unit, class Value>
__device__ __forceinline__ void copy(Value* to, const Value* from, by_hand::pipeline&) {
  by_hand::copy_by_thread<Unit>(to, from);
}
template <int Unit, class Group, class Value>
__device__ __forceinline__ void copy(const Group& group, Value* to, const Value* from, std::size_t bytes,
                                     by_hand::pipeline&) {
  by_hand::copy_by_group<Unit>(group, to, from, static_cast<int>(bytes));
}
using by_hand::make_pipeline;
using by_hand::pipeline_consumer_wait_prior;

#else

template <class Value>
using device_ref = cuda::atomic_ref<Value, cuda::thread_scope_device>;
template <class Value>
using block_ref = cuda::atomic_ref<Value, cuda::thread_scope_block>;
template <class Value>
using device_atomic = cuda::atomic<Value, cuda::thread_scope_device>;
template <class Value>
using block_atomic = cuda::atomic<Value, cuda::thread_scope_block>;
template <class Value>
using system_atomic = cuda::std::atomic<Value>;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using device_barrier = cuda::barrier<cuda::thread_scope_device>;
using system_barrier = cuda::std::barrier<>;
using block_semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 1024>;
using device_semaphore = cuda::counting_semaphore<cuda::thread_scope_device, 1024>;
using block_binary_semaphore = cuda::binary_semaphore<cuda::thread_scope_block>;
using device_binary_semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;
using block_latch = cuda::latch<cuda::thread_scope_block>;
using device_latch = cuda::latch<cuda::thread_scope_device>;
constexpr auto relaxed = cuda::memory_order_relaxed;
constexpr auto acquire = cuda::memory_order_acquire;
constexpr auto release = cuda::memory_order_release;
constexpr auto acq_rel = cuda::memory_order_acq_rel;

__device__ __forceinline__ void device_fence(cuda::memory_order order) {
  cuda::atomic_thread_fence(order, cuda::thread_scope_device);
}
__device__ __forceinline__ bool is_complete(block_barrier& bar, const block_barrier::arrival_token& token) {
  block_barrier::arrival_token same = token;
  return bar.try_wait_for(std::move(same), cuda::std::chrono::nanoseconds(0));
}

template <int Unit, class Value, class Into>
__device__ __forceinline__ void copy(Value* to, const Value* from, Into& into) {
  cuda::memcpy_async(to, from, sizeof(Value), into);
}
template <int Unit, class Group, class Value, class Into>
__device__ __forceinline__ void copy(const Group& group, Value* to, const Value* from, std::size_t bytes, Into& into) {
  cuda::memcpy_async(group, to, from, bytes, into);
}
template <int Unit>
__device__ __forceinline__ void track(block_barrier&) {}
template <int Bytes>
__device__ __forceinline__ void copy_row(uint4* to, const uint4* from, block_barrier& bar) {
  cuda::memcpy_async(to, from, cuda::aligned_size_t<16>(Bytes), bar);
}
template <class Group, class Value>
__device__ __forceinline__ void copy_out(const Group& group, Value* to, const Value* from, std::size_t bytes,
                                         block_barrier& bar) {
  cuda::memcpy_async(group, to, from, bytes, bar);
}
using cuda::make_pipeline;
using cuda::pipeline_consumer_wait_prior;

#endif

// Enrolls a use: its kernels, one for each shape.
void enroll(const std::string& operation, const std::vector<shape>& shapes) {
#if defined(BENCH_BY_HAND)
  const std::string name = "by hand", kind = hand;
#elif defined(CUDASYNC_VERSION)
  const std::string name = "cudasync", kind = "ours";
#else
  const std::string name = cccl_name(), kind = "peer";
#endif
  contestants().push_back({"uses", operation, name, kind, BENCH_PATH, nullptr, nullptr});
  uses().push_back({contestants().back(), shapes});
}

}}  // namespace bench

#endif
