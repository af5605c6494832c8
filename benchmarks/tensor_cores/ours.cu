// The contestant cudasync: bulk_pipeline with consumer_warpgroups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

#include "product.h"

namespace bench { namespace {

struct our_ring {
  using barriers =
      cudasync::bulk_pipeline<product_stages, cudasync::consumer_warpgroups<product_groups>, product_blocks>;

  static __device__ __forceinline__ void init(barriers& pipe) { pipe.init(cudasync::this_cluster()); }

  class producer {
   public:
    explicit __device__ __forceinline__ producer(barriers& pipe) : pipe_(pipe) {}
    __device__ __forceinline__ u32 acquire() {
      pipe_.producer_acquire(at_, bytes_per_stage);
      return at_.index();
    }
    __device__ __forceinline__ void copy(void* destination, const CUtensorMap* map, int column, int row) {
      pipe_.copy(at_, destination, map, {column, row});
    }
    __device__ __forceinline__ void copy_to_blocks(void* destination, const CUtensorMap* map, int column, int row) {
      pipe_.copy_to_blocks(at_, destination, map, {column, row}, (1 << product_blocks) - 1);
    }
    __device__ __forceinline__ void advance() { at_.advance(); }
    __device__ __forceinline__ void finish() { pipe_.producer_tail(at_); }

   private:
    barriers& pipe_;
    barriers::producer_state at_;
  };

  class consumer {
   public:
    explicit __device__ __forceinline__ consumer(barriers& pipe) : pipe_(pipe) {}
    __device__ __forceinline__ u32 wait() {
      pipe_.consumer_wait(at_);
      return at_.index();
    }
    __device__ __forceinline__ void commit() { pipe_.consumer_commit(at_); }
    __device__ __forceinline__ void finish() { pipe_.consumer_finish(at_); }

   private:
    barriers& pipe_;
    barriers::consumer_state at_;
  };
};

const bool is_enrolled = [] {
  enroll_product<our_ring>("cudasync, bulk_pipeline", "ours");
  return true;
}();

}}  // namespace bench
