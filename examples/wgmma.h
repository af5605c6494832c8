// The instructions of tensor_core_product.h that multiply on Hopper and that write accumulators to shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WGMMA_H
#define WGMMA_H

// The descriptor of rows of 64 bf16 in shared memory, as a copy with tma_swizzle::bytes128 writes them: 128 bytes a row,
// 1024 bytes (64 units of 16 bytes) from one group of eight rows to the next. rows: aligned to 1024 bytes.
__device__ inline unsigned long long describe_rows(const void* rows) {
  constexpr unsigned long long swizzle_of_128_bytes = 1;
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(rows));
  return swizzle_of_128_bytes << 62 | 64ull << 32 | 1ull << 16 | (address & 0x3ffff) >> 4;
}

// The operands of the accumulators whose numbers begin with these digits.
#define NAMES_8(TENS) "%" #TENS "0,%" #TENS "1,%" #TENS "2,%" #TENS "3,%" #TENS "4,%" #TENS "5,%" #TENS "6,%" #TENS "7,"
#define NAMES_10(TENS) NAMES_8(TENS) "%" #TENS "8,%" #TENS "9,"
#define SUMS_8(TENS)                                                                                       \
  "+f"(sums[TENS##0]), "+f"(sums[TENS##1]), "+f"(sums[TENS##2]), "+f"(sums[TENS##3]), "+f"(sums[TENS##4]), \
      "+f"(sums[TENS##5]), "+f"(sums[TENS##6]), "+f"(sums[TENS##7])
#define SUMS_10(TENS) SUMS_8(TENS), "+f"(sums[TENS##8]), "+f"(sums[TENS##9])

// Begins to add A B' to the sums of this warpgroup. A: 64 rows of 16 elements. B: 256 rows of 16 elements.
//
// Thread t of the warpgroup has the sums of row r = t / 32 * 16 + t % 32 / 4, and of row r + 8. Of each eight columns it
// has columns c = t % 4 * 2 and c + 1: sums[4 n + 0, 1, 2, 3] are those of (r, 8 n + c), (r, 8 n + c + 1), (r + 8,
// 8 n + c) and (r + 8, 8 n + c + 1).
__device__ inline void multiply_64x256x16(float (&sums)[128], unsigned long long a, unsigned long long b) {
  asm volatile("{ .reg .pred add; setp.eq.u32 add, 0, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" NAMES_10() NAMES_10(1) NAMES_10(2) NAMES_10(3)
                   NAMES_10(4) NAMES_10(5) NAMES_10(6) NAMES_10(7) NAMES_10(8) NAMES_10(9) NAMES_10(10)
                       NAMES_10(11) "%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, add, 1, 1, 0, 0; }"
               : SUMS_10(), SUMS_10(1), SUMS_10(2), SUMS_10(3), SUMS_10(4), SUMS_10(5), SUMS_10(6), SUMS_10(7),
                 SUMS_10(8), SUMS_10(9), SUMS_10(10), SUMS_10(11), SUMS_8(12)
               : "l"(a), "l"(b)
               : "memory");
}

#undef NAMES_8
#undef NAMES_10
#undef SUMS_8
#undef SUMS_10

// Keeps the compiler from moving uses of the sums before this point: it does not know that instructions before it have
// begun to change them.
__device__ inline void settle(float (&sums)[128]) {
#pragma unroll
  for (float& sum : sums)
    asm volatile("" : "+f"(sum)::"memory");
}

// Returns two elements of bf16, the first one in the low bits.
__device__ inline unsigned round_to_bf16(float first, float second) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
}

// Writes four matrices of 8 x 8 elements of bf16 to shared memory. All threads of a warp call it together. row: that
// where row t % 8 of matrix t / 8 belongs, in lane t. Lane t has elements t % 4 * 2 and + 1 of row t / 4 of each matrix.
__device__ inline void store_matrices(void* row, unsigned first, unsigned second, unsigned third, unsigned fourth) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(row))),
               "r"(first), "r"(second), "r"(third), "r"(fourth)
               : "memory");
}

#endif
