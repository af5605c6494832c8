// The contestant cudasync. It is compiled again with CUDASYNC_FORCE_TARGET=sm80 and sm70, for the paths of older GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/barrier.h>

#include "barrier.h"
#include "device_barrier.h"
#include "wakeup.h"

#define TEXT_OF(WORDS) #WORDS
#define TEXT(WORDS) TEXT_OF(WORDS)

namespace bench { namespace {

// A free function, because a member named init would hide the function of the library.
template <class Barrier>
__device__ __forceinline__ void initialize(Barrier* bar, unsigned expected) {
  init(bar, static_cast<std::ptrdiff_t>(expected));
}

template <cudasync::thread_scope Scope>
struct ours {
  cudasync::barrier<Scope> bar;

  __device__ __forceinline__ void init(unsigned expected) { initialize(&bar, expected); }
  __device__ __forceinline__ auto arrive(unsigned) { return bar.arrive(); }
  __device__ __forceinline__ void arrive_only(unsigned = 0) { static_cast<void>(bar.arrive()); }
  __device__ __forceinline__ void wait(typename cudasync::barrier<Scope>::arrival_token&& token, unsigned) {
    bar.wait(static_cast<typename cudasync::barrier<Scope>::arrival_token&&>(token));
  }
  __device__ __forceinline__ void wait_parity(unsigned phase) { bar.wait_parity((phase & 1) != 0); }
  __device__ __forceinline__ void arrive_and_wait(unsigned) { bar.arrive_and_wait(); }
};

using block_barrier = ours<cudasync::thread_scope_block>;
using device_barrier = ours<cudasync::thread_scope_device>;

const bool is_enrolled = [] {
#if defined(CUDASYNC_FORCE_TARGET)
  const std::string path = TEXT(CUDASYNC_FORCE_TARGET);
#else
  const std::string path = "sm90";
  enroll_device_barrier<device_barrier>("cudasync", "ours");
  enroll_device_wakeup<device_barrier>("cudasync", "ours");
#endif
  enroll_barrier<block_barrier>("cudasync", "ours", path);
  enroll_barrier<block_barrier, sight::pointer>("cudasync, unknown space", "ours", path);
  enroll_barrier<block_barrier, sight::function>("cudasync, through a reference, not inlined", "ours", path);
  enroll_block_wakeup<block_barrier>("cudasync", "ours", path);
  return true;
}();

}}  // namespace bench
