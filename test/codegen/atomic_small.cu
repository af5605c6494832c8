// Atomics of 8 and 16 bits own a word and are one instruction; references to such objects are one loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SASS-LABEL: ours_char:
// SASS-NOT: {{CAS|BRA}}
// SASS: ATOMG.E.ADD.STRONG.GPU
// SASS-NOT: {{CAS|BRA}}
// SASS: EXIT
// SASS-LABEL: ours_char_unused:
// SASS-NOT: {{CAS|BRA|ATOM}}
// SASS: RED{{G?}}.E.ADD.STRONG.GPU
// SASS: EXIT
#include <cuda/atomic>

__device__ unsigned long long global_address(const void* object) {
  return __cvta_generic_to_global(object);
}

extern "C" {

__global__ void ours_char(cuda::atomic<char, cuda::thread_scope_device>* counter, char operand, char* out) {
  *out = counter->fetch_add(operand, cuda::memory_order_relaxed);
}
__global__ void hand_char(char* counter, char operand, char* out) {
  unsigned before;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(global_address(counter)), "r"(static_cast<unsigned>(static_cast<unsigned char>(operand)))
               : "memory");
  *out = static_cast<char>(before);
}

__global__ void ours_char_unused(cuda::atomic<char, cuda::thread_scope_device>* counter, char operand) {
  counter->fetch_add(operand, cuda::memory_order_relaxed);
}
__global__ void hand_char_unused(char* counter, char operand) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(global_address(counter)),
               "r"(static_cast<unsigned>(static_cast<unsigned char>(operand)))
               : "memory");
}

__global__ void ours_short_ref(unsigned short* counter, unsigned short operand, unsigned short* out) {
  cuda::atomic_ref<unsigned short, cuda::thread_scope_device> place(*counter);
  *out = place.fetch_add(operand, cuda::memory_order_relaxed);
}
__global__ void hand_short_ref(unsigned short* counter, unsigned short operand, unsigned short* out) {
  const unsigned long long address = global_address(counter);
  unsigned short before;
  asm volatile("ld.relaxed.gpu.global.u16 %0, [%1];" : "=h"(before) : "l"(address) : "memory");
  while (true) {
    const auto after = static_cast<unsigned short>(before + operand);
    unsigned short seen;
    asm volatile("atom.relaxed.gpu.global.cas.b16 %0, [%1], %2, %3;"
                 : "=h"(seen)
                 : "l"(address), "h"(before), "h"(after)
                 : "memory");
    if (seen == before) break;
    before = seen;
  }
  *out = before;
}

}  // extern "C"
