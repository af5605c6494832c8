// What all kernels of the atlas use. The file is a part of each source text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

using bytes_t = unsigned char;
using token_t = unsigned long long;

struct alignas(16) sixteen {
  unsigned long long low, high;

  friend __device__ bool operator==(sixteen left, sixteen right) {
    return left.low == right.low && left.high == right.high;
  }
};

// As in a program that keeps its pointers in memory: the compiler does not know what memory they point to.
struct holder {
  void* pointer;
};
struct ends {
  bytes_t* to;
  const bytes_t* from;
};

struct block_group {
  static __device__ unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static __device__ unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static __device__ void sync() { __syncthreads(); }
};
template <unsigned Size>
struct part_of_warp {
  static __device__ unsigned thread_rank() { return threadIdx.x % Size; }
  static __device__ unsigned size() { return Size; }
  static __device__ void sync() { __syncwarp(); }
};
using warp_group = part_of_warp<32>;
using tile_group = part_of_warp<8>;

// A result as a number, so that the compiler keeps it.
template <class Value>
__device__ unsigned folded(Value value) {
  if constexpr (sizeof(Value) == 16)
    return static_cast<unsigned>(value.low);
  else
    return static_cast<unsigned>(value);
}

// Keeps the thread busy for this time, as work between two synchronizations does.
__device__ inline void work(unsigned cycles) {
  if (cycles == 0) return;
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// The same place in another block of the cluster.
__device__ inline void* in_block(void* pointer, unsigned rank) {
  void* found;
  asm("mapa.u64 %0, %1, %2;" : "=l"(found) : "l"(pointer), "r"(rank));
  return found;
}
