// Misuse with <cuda/semaphore>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/semaphore>

// misuse: assigned
// A semaphore is begun anew by init, and not by an assignment.
// ERROR: deleted
__device__ void restart(cuda::counting_semaphore<>& permits) {
  permits = cuda::counting_semaphore<>(32);  // wrong
  init(&permits, 32);                        // right
}

// misuse: binary_copied
// Two binary semaphores never have the same permit.
// ERROR: deleted
__device__ void share(cuda::binary_semaphore<>& permits) {
  cuda::binary_semaphore<> other(permits);    // wrong
  cuda::binary_semaphore<>& other = permits;  // right
  other.acquire();
}

// misuse: binary_explicit
// No number converts to a binary semaphore by itself.
// ERROR: no suitable constructor exists to convert|conversion from
__device__ void start() {
  cuda::binary_semaphore<cuda::thread_scope_block> permit = 1;  // wrong
  cuda::binary_semaphore<cuda::thread_scope_block> permit(1);   // right
  permit.acquire();
}

// misuse: copied
// Two semaphores never have the same permits.
// ERROR: deleted
__device__ void share(cuda::counting_semaphore<>& permits) {
  cuda::counting_semaphore<> other(permits);    // wrong
  cuda::counting_semaphore<>& other = permits;  // right
  other.acquire();
}

// misuse: init_with_reference
// What init begins has no lifetime yet, and is named by its address.
// ERROR: init takes the address of the semaphore: init\(&semaphore, n\)
__host__ __device__ void start(cuda::counting_semaphore<>& permits) {
  init(permits, 4);   // wrong
  init(&permits, 4);  // right
}

// misuse: acquire_for_number
// A number has no unit.
// ERROR: a wait with a limit takes a duration, such as cuda::std::chrono::milliseconds\(5\), not a number or a time
__device__ bool enter(cuda::counting_semaphore<>& permits) {
  return permits.try_acquire_for(5);                                   // wrong
  return permits.try_acquire_for(cuda::std::chrono::milliseconds(5));  // right
}

// misuse: explicit
// No number converts to a semaphore by itself.
// ERROR: no suitable constructor exists to convert|conversion from
__device__ void start() {
  cuda::counting_semaphore<cuda::thread_scope_block> permits = 32;  // wrong
  cuda::counting_semaphore<cuda::thread_scope_block> permits(32);   // right
  permits.acquire();
}

// misuse: least_max_value_above_2_31
// Permits are counted in 32 bits.
// ERROR: counting_semaphore counts to 2\^31 - 1: give a LeastMaxValue of at most that
// COMPILERS: nvrtc nvcc
using permits = cuda::counting_semaphore<cuda::thread_scope_device, 0x80000000>;  // wrong
using permits = cuda::counting_semaphore<cuda::thread_scope_device, 0x7fffffff>;  // right

__device__ permits some(1);

// misuse: least_max_value_above_2_31_in_init
// Permits are counted in 32 bits, of a semaphore that init begins, too.
// ERROR: counting_semaphore counts to 2\^31 - 1: give a LeastMaxValue of at most that
using permits = cuda::counting_semaphore<cuda::thread_scope_device, 0x80000000>;  // wrong
using permits = cuda::counting_semaphore<cuda::thread_scope_device, 0x7fffffff>;  // right

__device__ void start(permits& some) {
  init(&some, 1);
}

// misuse: negative_least_max_value
// There are no fewer permits than none.
// ERROR: counting_semaphore: LeastMaxValue is the largest number of permits; give 0 or more
// COMPILERS: nvrtc nvcc
using permits = cuda::counting_semaphore<cuda::thread_scope_device, -1>;  // wrong
using permits = cuda::counting_semaphore<cuda::thread_scope_device, 0>;   // right

__device__ void use(permits& some) {
  some.acquire();
}
