// The instructions of tensor_core_product.h that multiply on Blackwell, and those of tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TCGEN05_H
#define TCGEN05_H

// All functions need sm_100a or another target with tcgen05. Nothing here has run on a GPU: the numbers of the bits are
// those of the PTX manual, sections "Shared memory descriptor" and "Instruction descriptor" of the 5th generation of
// tensor cores.

constexpr unsigned tensor_memory_columns = 512;  // of 128 lanes of 32 bits each

// Allocates all of tensor memory for this block, and writes its address to shared memory. All threads of a warp call it.
__device__ inline void allocate_tensor_memory(unsigned& address) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(&address))),
               "n"(tensor_memory_columns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
}

// Frees tensor memory, before the block exits. All threads of a warp call it.
__device__ inline void free_tensor_memory(unsigned address) {
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address), "n"(tensor_memory_columns)
               : "memory");
}

// The descriptor of rows of 64 bf16 in shared memory, as a copy with tma_swizzle::bytes128 writes them: 128 bytes a row,
// 1024 bytes (64 units of 16 bytes) from one group of eight rows to the next. rows: aligned to 1024 bytes.
__device__ inline unsigned long long describe_swizzled_rows(const void* rows) {
  constexpr unsigned long long swizzle_of_128_bytes = 2, always = 1;
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(rows));
  return swizzle_of_128_bytes << 61 | always << 46 | 64ull << 32 | 1ull << 16 | (address & 0x3ffff) >> 4;
}

// Begins to compute A B', or to add it to the sums, which are in 256 columns of tensor memory. A: 128 rows of 16 elements
// of bf16. B: 256 rows of 16 elements. Lane n of tensor memory has the sums of row n of A, one float in each column. One
// thread calls it.
__device__ inline void multiply_128x256x16(unsigned sums, unsigned long long a, unsigned long long b, bool adds) {
  constexpr unsigned of_float = 1 << 4, from_bf16 = 1 << 7 | 1 << 10, columns = 256 / 8 << 17, rows = 128 / 16 << 24;
  asm volatile("{ .reg .pred adds; setp.ne.u32 adds, %4, 0;\n"
               "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, adds; }" ::"r"(sums),
               "l"(a), "l"(b), "r"(of_float | from_bf16 | columns | rows), "r"(adds ? 1 : 0)
               : "memory");
}

// Begins to load 32 columns: each thread of the warp gets those of its lane. The address has the number of the warp's
// first lane, 32 * (warp % 4), in its upper half. All threads of the warp call it. The instructions that use the sums
// wait for them.
__device__ inline void load_32_columns(float* sums, unsigned address) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "
      "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
      : "=f"(sums[0]), "=f"(sums[1]), "=f"(sums[2]), "=f"(sums[3]), "=f"(sums[4]), "=f"(sums[5]), "=f"(sums[6]),
        "=f"(sums[7]), "=f"(sums[8]), "=f"(sums[9]), "=f"(sums[10]), "=f"(sums[11]), "=f"(sums[12]), "=f"(sums[13]),
        "=f"(sums[14]), "=f"(sums[15]), "=f"(sums[16]), "=f"(sums[17]), "=f"(sums[18]), "=f"(sums[19]), "=f"(sums[20]),
        "=f"(sums[21]), "=f"(sums[22]), "=f"(sums[23]), "=f"(sums[24]), "=f"(sums[25]), "=f"(sums[26]), "=f"(sums[27]),
        "=f"(sums[28]), "=f"(sums[29]), "=f"(sums[30]), "=f"(sums[31])
      : "r"(address)
      : "memory");
}

#endif
