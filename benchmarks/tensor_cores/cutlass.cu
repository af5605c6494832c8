// The contestant CUTLASS: PipelineTmaAsync, with the calls of a mainloop of CUTLASS.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cutlass/version.h>

#include <cutlass/pipeline/sm90_pipeline.hpp>

#include "product.h"

namespace bench { namespace {

struct cutlass_ring {
  using pipeline = cutlass::PipelineTmaAsync<product_stages>;
  using cluster = cute::Shape<cute::Int<product_blocks>, cute::_1, cute::_1>;
  using barriers = pipeline::SharedStorage;

  static __device__ __forceinline__ pipeline::Params parameters(pipeline::ThreadCategory role) {
    pipeline::Params all;
    all.transaction_bytes = bytes_per_stage;
    all.role = role;
    all.is_leader = role == pipeline::ThreadCategory::Producer;  // Only one thread calls producer_acquire.
    all.num_consumers = product_groups * group_threads;
    return all;
  }

  static __device__ __forceinline__ void init(barriers& storage) {
    pipeline::init_barriers(storage, parameters(pipeline::ThreadCategory::NonParticipant), cluster{});
    cute::cluster_arrive_relaxed();
    cute::cluster_wait();
  }

  class producer {
   public:
    explicit __device__ __forceinline__ producer(barriers& storage)
        : pipe_(storage, parameters(pipeline::ThreadCategory::Producer), cluster{}, cute::false_type{}) {}
    __device__ __forceinline__ u32 acquire() {
      pipe_.producer_acquire(at_);
      return static_cast<u32>(at_.index());
    }
    __device__ __forceinline__ void copy(void* destination, const CUtensorMap* map, int column, int row) {
      ptx::copy_box(ptx::shared(destination), map, column, row, ptx::shared(pipe_.producer_get_barrier(at_)));
    }
    __device__ __forceinline__ void copy_to_blocks(void* destination, const CUtensorMap* map, int column, int row) {
      ptx::copy_box_to_blocks(ptx::shared(destination), map, column, row, ptx::shared(pipe_.producer_get_barrier(at_)),
                              (1 << product_blocks) - 1);
    }
    __device__ __forceinline__ void advance() { ++at_; }
    __device__ __forceinline__ void finish() { pipe_.producer_tail(at_); }

   private:
    pipeline pipe_;
    pipeline::PipelineState at_ = cutlass::make_producer_start_state<pipeline>();
  };

  class consumer {
   public:
    explicit __device__ __forceinline__ consumer(barriers& storage)
        : pipe_(storage, parameters(pipeline::ThreadCategory::Consumer), cluster{}, cute::false_type{}) {}
    __device__ __forceinline__ u32 wait() {
      const auto token = pipe_.consumer_try_wait(at_);
      pipe_.consumer_wait(at_, token);
      return static_cast<u32>(at_.index());
    }
    __device__ __forceinline__ void commit() {
      ptx::commit_multiplications();
      if (has_before_) {
        ptx::await_multiplications<1>();
        release_before();
      }
      has_before_ = true;
      ++at_;
    }
    __device__ __forceinline__ void finish() {
      ptx::await_multiplications<0>();
      if (has_before_) release_before();
      has_before_ = false;
    }

   private:
    __device__ __forceinline__ void release_before() {
      pipe_.consumer_release(before_);
      ++before_;
    }

    pipeline pipe_;
    pipeline::PipelineState at_;
    pipeline::PipelineState before_;
    bool has_before_ = false;
  };
};

const bool is_enrolled = [] {
  enroll_product<cutlass_ring>("CUTLASS " + std::to_string(CUTLASS_MAJOR) + "." + std::to_string(CUTLASS_MINOR) + "." +
                                   std::to_string(CUTLASS_PATCH) + ", PipelineTmaAsync",
                               "peer");
  return true;
}();

}}  // namespace bench
