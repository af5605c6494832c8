// A hand-written wait for a value: a loop of acquire loads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../latency/device_hand.h"
#include "../latency/hand.h"
#include "../latency/wakeup.h"

namespace bench { namespace {

struct block_spin {
  unsigned value;

  __device__ __forceinline__ void init(unsigned) { value = 0; }
  __device__ __forceinline__ void arrive_only(unsigned = 0) { add_release_shared(&value, 1); }
  __device__ __forceinline__ void arrive_and_wait(unsigned phase) {
    while (load_acquire_shared(&value) == phase) {
    }
  }
};

struct device_spin {
  unsigned value;

  __device__ __forceinline__ void init(unsigned) { value = 0; }
  __device__ __forceinline__ void arrive_only(unsigned = 0) { add_release(&value, 1); }
  __device__ __forceinline__ void arrive_and_wait(unsigned phase) {
    while (load_acquire(&value) == phase) {
    }
  }
};

const bool is_enrolled = [] {
  enroll_block_wakeup<block_spin>("acquire spin", hand, "native");
  enroll_device_wakeup<device_spin>("acquire spin", hand, "native");
  return true;
}();

}}  // namespace bench
