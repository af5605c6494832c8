// The hand-written rings: mbarriers, with one arrival of each warp or of each warpgroup that releases a stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "product.h"

namespace bench { namespace {

template <u32 ArrivalsOfGroup>
struct hand_ring {
  struct barriers {
    u64 full[product_stages];
    u64 empty[product_stages];
  };

  static __device__ __forceinline__ void init(barriers& bars) {
    if (threadIdx.x == 0) {
      for (u32 stage = 0; stage < product_stages; ++stage) {
        ptx::init(ptx::shared(&bars.full[stage]), 1);
        ptx::init(ptx::shared(&bars.empty[stage]), product_blocks * product_groups * ArrivalsOfGroup);
      }
      ptx::fence_init();
    }
    ptx::synchronize_cluster();
  }

  class producer {
   public:
    explicit __device__ __forceinline__ producer(barriers& bars) : full_(ptx::shared(bars.full)) {}
    __device__ __forceinline__ u32 acquire() {
      ptx::wait(full_ + 8 * (product_stages + at_.stage), at_.parity ^ 1);
      ptx::arrive_and_expect(full_ + 8 * at_.stage, bytes_per_stage);
      return at_.stage;
    }
    __device__ __forceinline__ void copy(void* destination, const CUtensorMap* map, int column, int row) {
      ptx::copy_box(ptx::shared(destination), map, column, row, full_ + 8 * at_.stage);
    }
    __device__ __forceinline__ void copy_to_blocks(void* destination, const CUtensorMap* map, int column, int row) {
      ptx::copy_box_to_blocks(ptx::shared(destination), map, column, row, full_ + 8 * at_.stage,
                              (1 << product_blocks) - 1);
    }
    __device__ __forceinline__ void advance() { at_.advance(); }
    __device__ __forceinline__ void finish() {
      for (u32 stage = 0; stage < product_stages; ++stage, at_.advance())
        ptx::wait(full_ + 8 * (product_stages + at_.stage), at_.parity ^ 1);
    }

   private:
    u32 full_;
    ring_place<product_stages> at_;
  };

  class consumer {
   public:
    explicit __device__ __forceinline__ consumer(barriers& bars) : full_(ptx::shared(bars.full)) {}
    __device__ __forceinline__ u32 wait() {
      ptx::wait(full_ + 8 * at_.stage, at_.parity);
      return at_.stage;
    }
    __device__ __forceinline__ void commit() {
      ptx::commit_multiplications();
      if (has_before_) {
        ptx::await_multiplications<1>();
        release_before();
      }
      has_before_ = true;
      at_.advance();
    }
    __device__ __forceinline__ void finish() {
      ptx::await_multiplications<0>();
      if (has_before_) release_before();
      has_before_ = false;
    }

   private:
    __device__ __forceinline__ void release_before() {
      const u32 before = at_.stage == 0 ? product_stages - 1 : at_.stage - 1;
      const u32 thread = threadIdx.x % (group_threads / ArrivalsOfGroup);
      if (thread < product_blocks) ptx::arrive_in_block(full_ + 8 * (product_stages + before), thread);
    }

    u32 full_;
    ring_place<product_stages> at_;
    bool has_before_ = false;
  };
};

const bool is_enrolled = [] {
  enroll_product<hand_ring<4>>("PTX, one arrival of each warp", hand);
  enroll_product<hand_ring<1>>("PTX, one arrival of each warpgroup", hand);
  return true;
}();

}}  // namespace bench
