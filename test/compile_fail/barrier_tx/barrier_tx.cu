// Misuse with <cuda/barrier>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

// misuse: arrive_and_drop_tx_device_scope
// Nobody drops out of a device's barrier with bytes.
// ERROR: transactions need a barrier of block or cluster scope: barriers of other scopes cannot count bytes
using shared_barrier = cuda::barrier<cuda::thread_scope_device>;  // wrong
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;   // right

__device__ void leave(shared_barrier& bar) {
  static_cast<void>(cudasync::device::barrier_arrive_and_drop_tx(bar, 1024));
}

// misuse: complete_tx_device_scope
// No bytes complete on a device's barrier.
// ERROR: transactions need a barrier of block or cluster scope: barriers of other scopes cannot count bytes
using shared_barrier = cuda::barrier<cuda::thread_scope_device>;  // wrong
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;   // right

__device__ void complete(shared_barrier& bar) {
  cudasync::device::barrier_complete_tx(bar, 1024);
}

// misuse: device_scope
// Transactions are of a barrier in shared memory, since only an mbarrier counts bytes.
// ERROR: transactions need a barrier of block or cluster scope: barriers of other scopes cannot count bytes
// COMPILERS: nvrtc nvcc
using shared_barrier = cuda::barrier<cuda::thread_scope_device>;  // wrong
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;   // right

__device__ void arrive(shared_barrier& bar) {
  static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 1024));
}

// misuse: expect_tx_device_scope
// A device's barrier expects no bytes.
// ERROR: transactions need a barrier of block or cluster scope: barriers of other scopes cannot count bytes
using shared_barrier = cuda::barrier<cuda::thread_scope_device>;  // wrong
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;   // right

__device__ void expect(shared_barrier& bar) {
  cuda::device::barrier_expect_tx(bar, 1024);
}

// misuse: native_handle_device_scope
// A device's barrier is no mbarrier.
// ERROR: transactions need a barrier of block or cluster scope: barriers of other scopes cannot count bytes
using shared_barrier = cuda::barrier<cuda::thread_scope_device>;  // wrong
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;   // right

__device__ void* address(shared_barrier& bar) {
  return cuda::device::barrier_native_handle(bar);
}

// misuse: system_scope
// A system's barrier counts arrivals only.
// ERROR: transactions need a barrier of block or cluster scope: barriers of other scopes cannot count bytes
using shared_barrier = cuda::barrier<cuda::thread_scope_system>;  // wrong
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;   // right

__device__ void arrive(shared_barrier& bar) {
  static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 1024));
}

// common:
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// misuse: arrive_and_drop_tx_below_sm90
// Before sm_90 a thread that drops out expects no bytes.
// ERROR: transactions need sm_90: older architectures cannot count bytes; use arrive or arrive_and_drop there, or compile with -arch=sm_90 or newer
// ARCHS: 75 80
__device__ void leave(block_barrier& bar) {
  static_cast<void>(cudasync::device::barrier_arrive_and_drop_tx(bar, 1024));  // wrong
  bar.arrive_and_drop();                                                       // right
}

// misuse: arrive_tx_below_sm90
// Before sm_90 a barrier counts arrivals only.
// ERROR: transactions need sm_90: older architectures cannot count bytes; use arrive or arrive_and_drop there, or compile with -arch=sm_90 or newer
// ARCHS: 75 80
// COMPILERS: nvrtc nvcc
__device__ void arrive(block_barrier& bar) {
  static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 1024));  // wrong
  static_cast<void>(bar.arrive());                                   // right
}

// misuse: native_handle_below_sm80
// Before sm_80 a barrier is a counter, and has no mbarrier to hand out.
// ERROR: barrier_native_handle needs sm_80: on older architectures, a barrier is not an mbarrier; compile with -arch=sm_80 or newer
// ARCHS: 70 75
__device__ void* address(block_barrier& bar) {
  return cuda::device::barrier_native_handle(bar);  // wrong
  return &bar;                                      // right
}

// misuse: pending_count_below_sm80
// Before sm_80 a token is not the state of an mbarrier, and tells no count.
// ERROR: barrier_pending_count needs sm_80: on older architectures, a token is not the state of an mbarrier; compile with -arch=sm_80
// ARCHS: 70 75
__device__ auto arrive(block_barrier& bar) {
  return cudasync::device::barrier_pending_count(bar.arrive());  // wrong
  return bar.arrive();                                           // right
}

// common:
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void account(block_barrier& bar) {
  // misuse: complete_tx_below_sm90
  // Before sm_90 a phase has no bytes to complete.
  // ERROR: transactions need sm_90: older architectures cannot count bytes; use arrive or arrive_and_drop there, or compile with -arch=sm_90 or newer
  // ARCHS: 75 80
  cudasync::device::barrier_complete_tx(bar, 1024);  // wrong
  static_cast<void>(bar.arrive());                   // right

  // misuse: expect_tx_below_sm90
  // Before sm_90 a phase expects no bytes.
  // ERROR: transactions need sm_90: older architectures cannot count bytes; use arrive or arrive_and_drop there, or compile with -arch=sm_90 or newer
  // ARCHS: 75 80
  cuda::device::barrier_expect_tx(bar, 1024);  // wrong
  static_cast<void>(bar.arrive());             // right
}
