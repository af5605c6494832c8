// Every operation that releases or acquires does so in the SASS, wherever its object lies: tools/cudasync_tools/order_audit.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75 80 89 90 100 120
// MATRIX: order
//
// Here stand the operations that are several accesses. The instructions of ptx/, the functions of backend/atomic/word.h and the
// operations of atomics are generated.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cudasync/backend/atomic/word.h>
#include <cudasync/backend/order/order_device.h>
#include <cudasync/ptx/atom.h>
#include <cudasync/ptx/ld_st.h>
#include <cudasync/ptx/red.h>

struct __half {
  unsigned short bits;
};
struct __nv_bfloat16 {
  unsigned short bits;
};

using namespace cudasync;
using namespace cudasync::ptx;
using backend::keeps_order;

using half = ::__half;
struct alignas(16) pair {
  long long low;
  long long high;
};
[[maybe_unused]] constexpr target::here here{};

extern __shared__ __align__(16) unsigned char memory[];

// The data: accesses of 16 bits, by which the audit knows them.
using data_type = unsigned short;
__device__ __forceinline__ void store(data_type* data) {
  data[threadIdx.x] = 1;
}
__device__ __forceinline__ void load(data_type* data, unsigned* seen) {
  seen[threadIdx.x] = data[threadIdx.x + 64];
}

// A result that is used, so that it is no RED, and written in 32 bits, unlike the data.
template <class Value>
__device__ __forceinline__ void use(const Value& value, unsigned* seen) {
  seen[1024 + threadIdx.x] = static_cast<unsigned>(cudasync::to_bits<cudasync::uint128>(value).low);
}
template <class Ref, class Value, class Order>
__device__ __forceinline__ Value compare(Ref ref, Value expected, Value desired, Order order) {
  ref.compare_exchange_strong(expected, desired, order);
  return expected;
}

// --- Operations of several accesses; what stands above is also the beginning of those that are generated ---

// AUDIT(order, scope, name, type, operation on `it`) makes a kernel for each memory, _REMOTE also for another block's.
#define AUDIT_AT(ORDER, SCOPE, NAME, SPACE, TYPE, PLACE, ...)                                                   \
  extern "C" __global__ void ORDER##__##SCOPE##__##NAME##__##SPACE(data_type* data, void* place, void** places, \
                                                                   unsigned* seen, bool flag) {                 \
    TYPE& it = static_cast<TYPE*>(PLACE)[threadIdx.x];                                                          \
    store(data);                                                                                                \
    __VA_ARGS__;                                                                                                \
    load(data, seen);                                                                                           \
  }
#define AUDIT(ORDER, SCOPE, NAME, TYPE, ...)                                          \
  AUDIT_AT(ORDER, SCOPE, NAME, global, TYPE, place, __VA_ARGS__)                      \
  AUDIT_AT(ORDER, SCOPE, NAME, shared, TYPE, static_cast<void*>(memory), __VA_ARGS__) \
  AUDIT_AT(ORDER, SCOPE, NAME, unknown, TYPE, places[blockIdx.x], __VA_ARGS__)
#if __CUDA_ARCH__ >= 900
#define AUDIT_REMOTE(ORDER, SCOPE, NAME, TYPE, ...) \
  AUDIT(ORDER, SCOPE, NAME, TYPE, __VA_ARGS__)      \
  AUDIT_AT(ORDER, SCOPE, NAME, other_block, TYPE, __cluster_map_shared_rank(memory, 1), __VA_ARGS__)
#else
#define AUDIT_REMOTE AUDIT
#endif

__device__ unsigned completions;
struct completion {
  __device__ void operator()() { completions = 1; }
};
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using block_barrier_with_function = cuda::barrier<cuda::thread_scope_block, completion>;
using device_barrier = cuda::barrier<cuda::thread_scope_device>;
using device_barrier_with_function = cuda::barrier<cuda::thread_scope_device, completion>;
using system_barrier = cuda::barrier<cuda::thread_scope_system>;
using count_semaphore = cuda::counting_semaphore<cuda::thread_scope_device>;
using flag_semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;

AUDIT(release, block, barrier_arrive, block_barrier, it.arrive())
AUDIT(release, block, barrier_drop, block_barrier, it.arrive_and_drop())
AUDIT(acquire, block, barrier_wait, block_barrier, it.wait_parity(flag))
AUDIT(acquire, block, barrier_try_wait, block_barrier, if (!it.try_wait_parity(flag)) return)
AUDIT(release, block, barrier_arrive_and_wait, block_barrier, it.arrive_and_wait())
AUDIT(release, block, function_arrive, block_barrier_with_function, it.arrive())
AUDIT(release, block, function_drop, block_barrier_with_function, it.arrive_and_drop())
AUDIT(acquire, block, function_wait, block_barrier_with_function, it.wait_parity(flag))
AUDIT(release, block, function_arrive_and_wait, block_barrier_with_function, it.arrive_and_wait())
AUDIT_REMOTE(release, device, device_arrive, device_barrier, it.arrive())
AUDIT_REMOTE(release, device, device_drop, device_barrier, it.arrive_and_drop())
AUDIT_REMOTE(acquire, device, device_wait, device_barrier, it.wait_parity(flag))
AUDIT_REMOTE(acquire, device, device_try_wait, device_barrier, if (!it.try_wait_parity(flag)) return)
AUDIT_REMOTE(release, device, device_arrive_and_wait, device_barrier, it.arrive_and_wait())
AUDIT_REMOTE(release, device, device_function_arrive, device_barrier_with_function, it.arrive())
AUDIT_REMOTE(release, device, device_function_arrive_and_wait, device_barrier_with_function, it.arrive_and_wait())
AUDIT_REMOTE(release, system, system_arrive, system_barrier, it.arrive())
AUDIT_REMOTE(release, system, system_arrive_and_wait, system_barrier, it.arrive_and_wait())
AUDIT_REMOTE(release, device, latch_count_down, cuda::latch<cuda::thread_scope_device>, it.count_down())
AUDIT_REMOTE(acquire, device, latch_wait, cuda::latch<cuda::thread_scope_device>, it.wait())
AUDIT_REMOTE(release, block, latch_arrive_and_wait, cuda::latch<cuda::thread_scope_block>, it.arrive_and_wait())
AUDIT_REMOTE(release, device, semaphore_release, count_semaphore, it.release())
AUDIT_REMOTE(acquire, device, semaphore_acquire, count_semaphore, it.acquire())
AUDIT_REMOTE(acquire, device, semaphore_try, count_semaphore, if (!it.try_acquire()) return)
AUDIT_REMOTE(release, device, binary_release, flag_semaphore, it.release())
AUDIT_REMOTE(acquire, device, binary_acquire, flag_semaphore, it.acquire())
AUDIT_REMOTE(acquire, device, atomic_wait, cuda::atomic<int>, it.wait(0, cuda::memory_order_acquire))

struct large {
  long long parts[3];
};
using locked = cuda::atomic<large, cuda::thread_scope_device>;
AUDIT_REMOTE(release, device, locked_store, locked, it.store(large{}, cuda::memory_order_release))
AUDIT_REMOTE(acquire, device, locked_load, locked, use(it.load(cuda::memory_order_acquire).parts[0], seen))
