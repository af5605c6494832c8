// The contestant CCCL: the version that BENCH_ORIGIN names, on the path BENCH_PATH of an architecture.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>
#include <cuda/version>

#include "../cccl_name.h"
#include "barrier.h"
#include "device_barrier.h"
#include "wakeup.h"

#if defined(CUDASYNC_VERSION)
#error "this file measures CCCL's <cuda/barrier>: remove cudasync's include folder from the include path"
#endif

namespace bench { namespace {

// A free function, because a member named init would hide the function of the library.
template <class Barrier>
__device__ __forceinline__ void initialize(Barrier* bar, unsigned expected) {
  init(bar, static_cast<std::ptrdiff_t>(expected));
}

template <cuda::thread_scope Scope>
struct cccl {
  cuda::barrier<Scope> bar;

  __device__ __forceinline__ void init(unsigned expected) { initialize(&bar, expected); }
  __device__ __forceinline__ auto arrive(unsigned) { return bar.arrive(); }
  __device__ __forceinline__ void arrive_only(unsigned = 0) { static_cast<void>(bar.arrive()); }
  __device__ __forceinline__ void wait(typename cuda::barrier<Scope>::arrival_token&& token, unsigned) {
    bar.wait(static_cast<typename cuda::barrier<Scope>::arrival_token&&>(token));
  }
  __device__ __forceinline__ void wait_parity(unsigned phase) { bar.wait_parity((phase & 1) != 0); }
  __device__ __forceinline__ void arrive_and_wait(unsigned) { bar.arrive_and_wait(); }
};

using block_barrier = cccl<cuda::thread_scope_block>;
using device_barrier = cccl<cuda::thread_scope_device>;

const bool is_enrolled = [] {
  const std::string name = cccl_name();
  const std::string path = BENCH_PATH;
  if (path == "sm90") {
    enroll_device_barrier<device_barrier>(name, "peer");
    enroll_device_wakeup<device_barrier>(name, "peer");
  }
  enroll_barrier<block_barrier>(name, "peer", path);
  enroll_barrier<block_barrier, sight::pointer>(name + ", unknown space", "peer", path);
  enroll_barrier<block_barrier, sight::function>(name + ", reference, not inlined", "peer", path);
  enroll_block_wakeup<block_barrier>(name, "peer", path);
  return true;
}();

}}  // namespace bench
