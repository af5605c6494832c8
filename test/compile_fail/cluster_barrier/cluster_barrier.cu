// Misuse with <cuda/barrier>, <cudasync/cluster_barrier.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

// misuse: exit_guard_assigned
// A guard stands for its own scope.
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
__device__ void stay(cudasync::cluster_exit_guard& guard) {
  guard = cudasync::cluster_exit_guard();  // wrong
  static_cast<void>(guard);                // right
}

// misuse: exit_guard_below_sm90
// Before sm_90 a block has nobody to stay alive for.
// ERROR: cluster_barrier needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
// ARCHS: 75 80
// COMPILERS: nvrtc nvcc
__device__ void stay() {
  const cudasync::cluster_exit_guard guard;  // wrong
  __syncthreads();                           // right
}

// misuse: exit_guard_copied
// Two guards would wait twice.
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
__device__ void stay() {
  const cudasync::cluster_exit_guard guard;
  const cudasync::cluster_exit_guard other(guard);  // wrong
  static_cast<void>(guard);                         // right
}

// common:
using cudasync::cluster_barrier;

// misuse: arrive_acq_rel
// To arrive acquires nothing, even where it also releases.
// ERROR: cluster_barrier::arrive releases or is relaxed: use memory_order_release or memory_order_relaxed
__device__ void meet() {
  auto token = cluster_barrier::arrive(cudasync::memory_order_acq_rel);  // wrong
  auto token = cluster_barrier::arrive(cudasync::memory_order_release);  // right
  cluster_barrier::wait(static_cast<decltype(token)&&>(token));
}

// misuse: arrive_acquire
// To arrive acquires nothing.
// ERROR: cluster_barrier::arrive releases or is relaxed: use memory_order_release or memory_order_relaxed
// COMPILERS: nvrtc nvcc
__device__ void meet() {
  auto token = cluster_barrier::arrive(cudasync::memory_order_acquire);  // wrong
  auto token = cluster_barrier::arrive(cudasync::memory_order_release);  // right
  cluster_barrier::wait(static_cast<decltype(token)&&>(token));
}

// misuse: arrive_seq_cst
// The hardware has no sequentially consistent arrival.
// ERROR: cluster_barrier::arrive releases or is relaxed: use memory_order_release or memory_order_relaxed
__device__ void meet() {
  auto token = cluster_barrier::arrive(cudasync::memory_order_seq_cst);  // wrong
  auto token = cluster_barrier::arrive(cudasync::memory_order_release);  // right
  cluster_barrier::wait(static_cast<decltype(token)&&>(token));
}

// misuse: arrive_unaligned_acquire
// To arrive acquires nothing, nor by a thread alone.
// ERROR: cluster_barrier::arrive releases or is relaxed: use memory_order_release or memory_order_relaxed
__device__ void meet() {
  auto token = cluster_barrier::arrive(cudasync::unaligned, cudasync::memory_order_acquire);  // wrong
  auto token = cluster_barrier::arrive(cudasync::unaligned, cudasync::memory_order_release);  // right
  cluster_barrier::wait(static_cast<decltype(token)&&>(token), cudasync::unaligned);
}

// misuse: order_at_run_time
// The order is part of the instruction.
// ERROR: no instance of (overloaded )?function|no matching function
__device__ void meet([[maybe_unused]] cudasync::memory_order order) {
  auto token = cluster_barrier::arrive(order);                           // wrong
  auto token = cluster_barrier::arrive(cudasync::memory_order_relaxed);  // right
  cluster_barrier::wait(static_cast<decltype(token)&&>(token));
}

// misuse: token_copied
// One arrival is for one wait.
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
__device__ void meet() {
  auto token = cluster_barrier::arrive();
  auto other = token;                                  // wrong
  auto other = static_cast<decltype(token)&&>(token);  // right
  cluster_barrier::wait(static_cast<decltype(other)&&>(other));
}

// misuse: token_default_made
// Only an arrival makes a token.
// ERROR: (default )?constructor .*inaccessible|is inaccessible|is private
__device__ void meet() {
  cluster_barrier::arrival_token token;                              // wrong
  cluster_barrier::arrival_token token = cluster_barrier::arrive();  // right
  cluster_barrier::wait(static_cast<decltype(token)&&>(token));
}

// misuse: wait_unaligned_with_lvalue
// A wait consumes the token, by a thread alone as well.
// ERROR: an rvalue reference cannot be bound to an lvalue|cannot bind rvalue reference|no instance of (overloaded )?function.*wait
__device__ void meet() {
  auto token = cluster_barrier::arrive(cudasync::unaligned);
  cluster_barrier::wait(token, cudasync::unaligned);                                  // wrong
  cluster_barrier::wait(static_cast<decltype(token)&&>(token), cudasync::unaligned);  // right
}

// misuse: wait_with_lvalue
// A wait consumes the token: the phase that it stands for is over.
// ERROR: an rvalue reference cannot be bound to an lvalue|cannot bind rvalue reference|no instance of (overloaded )?function.*wait
__device__ void meet() {
  auto token = cluster_barrier::arrive();
  cluster_barrier::wait(token);                                  // wrong
  cluster_barrier::wait(static_cast<decltype(token)&&>(token));  // right
}

// common:
using cudasync::cluster_barrier;

__device__ void meet() {
  // misuse: arrive_and_wait_below_sm90
  // Before sm_90 there are no clusters whose threads could meet.
  // ERROR: cluster_barrier needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
  // ARCHS: 75 80
  // COMPILERS: nvrtc nvcc
  cluster_barrier::arrive_and_wait();  // wrong
  __syncthreads();                     // right

  // misuse: arrive_and_wait_unaligned_below_sm90
  // Before sm_90 there are no clusters whose threads could meet, each by itself.
  // ERROR: cluster_barrier needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
  // ARCHS: 80
  cluster_barrier::arrive_and_wait(cudasync::unaligned);  // wrong
  __syncthreads();                                        // right

  // misuse: arrive_below_sm90
  // Before sm_90 nobody can arrive at a cluster's barrier.
  // ERROR: cluster_barrier needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
  // ARCHS: 75 80
  // COMPILERS: nvrtc nvcc
  static_cast<void>(cluster_barrier::arrive());  // wrong
  __syncthreads();                               // right

  // misuse: arrive_relaxed_below_sm90
  // Before sm_90 nobody can arrive at a cluster's barrier, whatever the order.
  // ERROR: cluster_barrier needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
  // ARCHS: 80
  static_cast<void>(cluster_barrier::arrive(cudasync::memory_order_relaxed));  // wrong
  __syncthreads();                                                             // right

  // misuse: arrive_unaligned_below_sm90
  // Before sm_90 no thread can arrive at a cluster's barrier by itself.
  // ERROR: cluster_barrier needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
  // ARCHS: 80
  static_cast<void>(cluster_barrier::arrive(cudasync::unaligned));  // wrong
  __syncthreads();                                                  // right

  // misuse: token_of_braces
  // Only an arrival makes a token, and braces do not.
  // ERROR: inaccessible|is private|no instance of
  cluster_barrier::wait({});                         // wrong
  cluster_barrier::wait(cluster_barrier::arrive());  // right

  // misuse: wait_without_token
  // Who has not arrived does not wait.
  // ERROR: no instance of (overloaded )?function.*wait|no matching function
  cluster_barrier::wait();                           // wrong
  cluster_barrier::wait(cluster_barrier::arrive());  // right
}

// common:
using cudasync::cluster_barrier;

__device__ void meet([[maybe_unused]] cluster_barrier::arrival_token& token) {
  // misuse: wait_below_sm90
  // Before sm_90 nobody can wait at a cluster's barrier.
  // ERROR: cluster_barrier needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
  // ARCHS: 80
  cluster_barrier::wait(static_cast<cluster_barrier::arrival_token&&>(token));  // wrong
  __syncthreads();                                                              // right

  // misuse: wait_unaligned_below_sm90
  // Before sm_90 no thread can wait at a cluster's barrier by itself.
  // ERROR: cluster_barrier needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
  // ARCHS: 80
  cluster_barrier::wait(static_cast<cluster_barrier::arrival_token&&>(token), cudasync::unaligned);  // wrong
  __syncthreads();                                                                                   // right
}
