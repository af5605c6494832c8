// memcpy_async shared by groups of all kinds, of all types, and with all kinds of sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/copied_bytes.h"
#include "../support/gpu_test.h"

#include <cuda/barrier>

#include <cooperative_groups.h>

#include <type_traits>

namespace groups = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
using gpu_test::device_array;

constexpr unsigned threads = 96, blocks = 4;
constexpr size_t source_size = 1 << 16;

const unsigned char* source() {
  static const device_array<unsigned char>* const bytes = new device_array<unsigned char>(source_bytes(source_size));
  return bytes->get();
}

// --- Groups ---

// A group of the user's: every third thread of the block.
struct every_third {
  __device__ unsigned thread_rank() const { return threadIdx.x / 3; }
  __device__ unsigned size() const { return blockDim.x / 3; }
  __device__ void sync() const {}
};

enum class kind { ours, block, tiles_of_32, tiles_of_4, tiles_of_1, coalesced, third };

// The group of this thread among all of this kind, each of which copies a piece; -1 if it is in none.
__device__ int group_of(kind which) {
  switch (which) {
  case kind::tiles_of_32:
    return static_cast<int>(threadIdx.x / 32);
  case kind::tiles_of_4:
    return static_cast<int>(threadIdx.x / 4);
  case kind::tiles_of_1:
    return static_cast<int>(threadIdx.x);
  case kind::coalesced:
    return threadIdx.x % 5 < 2 ? static_cast<int>(threadIdx.x / 32) : -1;
  case kind::third:
    return threadIdx.x % 3 == 1 ? 0 : -1;
  default:
    return 0;
  }
}
__device__ int groups_of(kind which) {
  return which == kind::tiles_of_32 || which == kind::coalesced ? threads / 32
         : which == kind::tiles_of_4                            ? threads / 4
         : which == kind::tiles_of_1                            ? threads
                                                                : 1;
}

template <kind Kind>
__device__ void copy_in_group(unsigned char* destination, const unsigned char* source, unsigned size, barrier& bar) {
  const auto block = groups::this_thread_block();
  if constexpr (Kind == kind::ours)
    static_cast<void>(cuda::memcpy_async(cudasync::this_thread_block(), destination, source, size, bar));
  if constexpr (Kind == kind::block) static_cast<void>(cuda::memcpy_async(block, destination, source, size, bar));
  if constexpr (Kind == kind::tiles_of_32)
    static_cast<void>(cuda::memcpy_async(groups::tiled_partition<32>(block), destination, source, size, bar));
  if constexpr (Kind == kind::tiles_of_4)
    static_cast<void>(cuda::memcpy_async(groups::tiled_partition<4>(block), destination, source, size, bar));
  if constexpr (Kind == kind::tiles_of_1)
    static_cast<void>(cuda::memcpy_async(groups::this_thread(), destination, source, size, bar));
  if constexpr (Kind == kind::coalesced)
    static_cast<void>(cuda::memcpy_async(groups::coalesced_threads(), destination, source, size, bar));
  if constexpr (Kind == kind::third)
    static_cast<void>(cuda::memcpy_async(every_third{}, destination, source, size, bar));
}

// Offsets and sizes differ from group to group and from round to round.
template <kind Kind>
__global__ void copy_in_groups(const unsigned char* source, unsigned largest, unsigned rounds) {
  extern __shared__ __align__(128) unsigned char buffer[];
  __shared__ barrier bar;
  const unsigned space = (largest + 2 * guard_bytes + 16 + 15) / 16 * 16;
  const int pieces = groups_of(Kind), own = group_of(Kind);
  const thread_group block{threadIdx.x, threads};
  if (threadIdx.x == 0) init(&bar, threads);
  for (unsigned round = 0; round < rounds; ++round) {
    paint(buffer, static_cast<unsigned>(pieces) * space, block);
    __syncthreads();
    const auto plan = [&](int piece) {
      const unsigned number = round * 3 + static_cast<unsigned>(piece);
      const unsigned size = round % 4 == 0 ? largest / 16 * 16 : number * 41 % (largest + 1);
      const unsigned from = round % 2 == 0 ? 0 : number % 16, to = round % 3 == 0 ? from : number / 3 % 4 * 4;
      return copied{guard_bytes + to, size, number % 200 * size_t{128} + from, size, space, number};
    };
    if (own >= 0) {
      const copied mine = plan(own);
      copy_in_group<Kind>(buffer + static_cast<unsigned>(own) * space + mine.begin, source + mine.source, mine.size,
                          bar);
    }
    bar.arrive_and_wait();
    for (int piece = 0; piece < pieces; ++piece)
      DEVICE_CHECK(is_right(buffer + static_cast<unsigned>(piece) * space, plan(piece), block));
    __syncthreads();
  }
}
template <kind Kind>
void run_groups(unsigned pieces, unsigned largest) {
  const unsigned space = (largest + 2 * guard_bytes + 16 + 15) / 16 * 16;
  gpu_test::run(copy_in_groups<Kind>, {blocks, threads, pieces * space}, source(), largest, 100u);
}
TEST(copies_by_the_block) {
  run_groups<kind::ours>(1, 3000);
}
TEST(copies_by_the_block_of_cooperative_groups) {
  run_groups<kind::block>(1, 3000);
}
TEST(copies_by_tiles_of_32_threads) {
  run_groups<kind::tiles_of_32>(3, 2000);
}
TEST(copies_by_tiles_of_4_threads) {
  run_groups<kind::tiles_of_4>(24, 700);
}
TEST(copies_by_groups_of_one_thread) {
  run_groups<kind::tiles_of_1>(96, 300);
}
TEST(copies_by_coalesced_threads) {
  run_groups<kind::coalesced>(3, 2000);
}
TEST(copies_by_a_group_of_the_user) {
  run_groups<kind::third>(1, 3000);
}

// --- Types ---

struct three_words {
  int word[3];
};

// Elements from any index on to any other; by a group or by one thread.
template <class Value>
__global__ void copy_elements(const unsigned char* source, bool by_group) {
  constexpr unsigned largest = 70 * 16, elements = sizeof(Value) < 8 ? 260 : 70;
  __shared__ __align__(128) unsigned char buffer[largest + 2 * guard_bytes + 64];
  __shared__ barrier bar;
  const thread_group block{threadIdx.x, threads};
  if (threadIdx.x == 0) init(&bar, threads);
  for (unsigned round = 0; round < 120; ++round) {
    paint(buffer, sizeof buffer, block);
    __syncthreads();
    const unsigned count = round * 13 % (elements + 1) * sizeof(Value) > largest ? 3 : round * 13 % (elements + 1);
    const unsigned size = count * sizeof(Value), from = round % 5 * sizeof(Value), to = round / 2 % 4 * sizeof(Value);
    const unsigned place = guard_bytes + to;
    Value* const destination = reinterpret_cast<Value*>(buffer + place);
    const Value* const first = reinterpret_cast<const Value*>(source + from);
    if (by_group)
      static_cast<void>(cuda::memcpy_async(cudasync::this_thread_block(), destination, first, size, bar));
    else if (threadIdx.x == 40)
      static_cast<void>(cuda::memcpy_async(destination, first, size, bar));
    bar.arrive_and_wait();
    DEVICE_CHECK(is_right(buffer, {place, size, from, size, sizeof buffer, round}, block));
    __syncthreads();
  }
}
template <class Value>
void run_type() {
  for (const bool by_group : {false, true})
    gpu_test::run(copy_elements<Value>, {blocks, threads}, source(), by_group);
}
TEST(copies_of_char) {
  run_type<char>();
}
TEST(copies_of_short) {
  run_type<short>();
}
TEST(copies_of_int) {
  run_type<int>();
}
TEST(copies_of_double) {
  run_type<double>();
}
TEST(copies_of_int4) {
  run_type<int4>();
}
TEST(copies_of_a_structure_of_12_bytes) {
  run_type<three_words>();
}

// --- Sizes ---

enum class size_kind { integer, small_integer, large_integer, of_void, aligned_4, aligned_8, aligned_16, aligned_64 };

template <class Group, class Size>
__device__ void copy_by(const Group& group, bool alone, unsigned char* to, const unsigned char* from, Size size,
                        barrier& bar) {
  if (!alone)
    static_cast<void>(cuda::memcpy_async(group, to, from, size, bar));
  else if (threadIdx.x == 7)
    static_cast<void>(cuda::memcpy_async(to, from, size, bar));
}

// Sizes are multiples of what the alignment asks for, and so are the places, which are multiples of nothing more.
__global__ void copy_sizes(const unsigned char* source, size_kind which, bool alone) {
  constexpr unsigned largest = 2048;
  __shared__ __align__(128) unsigned char buffer[largest + 256];
  __shared__ barrier bar;
  const thread_group block{threadIdx.x, threads};
  const auto group = cudasync::this_thread_block();
  const unsigned unit = which == size_kind::aligned_4    ? 4
                        : which == size_kind::aligned_8  ? 8
                        : which == size_kind::aligned_16 ? 16
                        : which == size_kind::aligned_64 ? 64
                                                         : 1;
  if (threadIdx.x == 0) init(&bar, threads);
  for (unsigned round = 0; round < 150; ++round) {
    paint(buffer, sizeof buffer, block);
    __syncthreads();
    const unsigned most = which == size_kind::small_integer ? 127 : largest;
    const unsigned size = round * 67 % (most + 1) / unit * unit;
    const unsigned place = 64 + round % 3 * unit % 128, from = round % 7 * unit;
    unsigned char* const to = buffer + place;
    const unsigned char* const first = source + from;
    switch (which) {
    case size_kind::integer:
      copy_by(group, alone, to, first, static_cast<int>(size), bar);
      break;
    case size_kind::small_integer:
      copy_by(group, alone, to, first, static_cast<signed char>(size), bar);
      break;
    case size_kind::large_integer:
      copy_by(group, alone, to, first, static_cast<unsigned long long>(size), bar);
      break;
    case size_kind::of_void:
      if (!alone)
        static_cast<void>(
            cuda::memcpy_async(group, static_cast<void*>(to), static_cast<const void*>(first), size, bar));
      else if (threadIdx.x == 7)
        static_cast<void>(cuda::memcpy_async(static_cast<void*>(to), static_cast<const void*>(first), size, bar));
      break;
    case size_kind::aligned_4:
      copy_by(group, alone, to, first, cuda::aligned_size_t<4>(size), bar);
      break;
    case size_kind::aligned_8:
      copy_by(group, alone, to, first, cuda::aligned_size_t<8>(size), bar);
      break;
    case size_kind::aligned_16:
      copy_by(group, alone, to, first, cuda::aligned_size_t<16>(size), bar);
      break;
    case size_kind::aligned_64:
      copy_by(group, alone, to, first, cuda::aligned_size_t<64>(size), bar);
      break;
    }
    bar.arrive_and_wait();
    DEVICE_CHECK(is_right(buffer, {place, size, from, size, sizeof buffer, round}, block));
    __syncthreads();
  }
}
void run_size(size_kind which) {
  for (const bool alone : {false, true})
    gpu_test::run(copy_sizes, {blocks, threads}, source(), which, alone);
}
TEST(sizes_that_are_integers) {
  run_size(size_kind::integer);
  run_size(size_kind::small_integer);
  run_size(size_kind::large_integer);
}
TEST(copies_of_void) {
  run_size(size_kind::of_void);
}
TEST(aligned_sizes_of_4_bytes) {
  run_size(size_kind::aligned_4);
}
TEST(aligned_sizes_of_8_bytes) {
  run_size(size_kind::aligned_8);
}
TEST(aligned_sizes_of_16_bytes) {
  run_size(size_kind::aligned_16);
}
TEST(aligned_sizes_of_64_bytes) {
  run_size(size_kind::aligned_64);
}

// --- Zeros ---

// Of each size any number of bytes is valid; the others become zeros, and are not read.
template <size_t Alignment>
__global__ void copy_and_fill(const unsigned char* source, const unsigned char* end_of_source, bool alone) {
  constexpr unsigned largest = 1536;
  __shared__ __align__(128) unsigned char buffer[largest + 256];
  __shared__ barrier bar;
  const thread_group block{threadIdx.x, threads};
  const auto group = cudasync::this_thread_block();
  if (threadIdx.x == 0) init(&bar, threads);
  for (unsigned round = 0; round < 300; ++round) {
    paint(buffer, sizeof buffer, block);
    __syncthreads();
    const unsigned size = round * 67 % (largest + 1) / Alignment * Alignment;
    const unsigned valid = round % 5 == 0 ? size : round % 5 == 1 ? 0 : round * 31 % (size + 1);
    const unsigned place = 64 + round % 3 * Alignment % 128;
    // The valid bytes end where the source does, if the alignment allows.
    const unsigned char* const from = end_of_source - (valid + Alignment - 1) / Alignment * Alignment;
    if constexpr (Alignment == 1) {
      copy_by(group, alone, buffer + place, from, cudasync::zero_filled_size(size_t{size}, size_t{valid}), bar);
    } else {
      const cuda::aligned_size_t<Alignment> bytes(size);
      copy_by(group, alone, buffer + place, from, cudasync::zero_filled_size(bytes, size_t{valid}), bar);
    }
    bar.arrive_and_wait();
    const copied wanted{place, size, static_cast<size_t>(from - source), valid, sizeof buffer, round};
    DEVICE_CHECK(is_right(buffer, wanted, block));
    __syncthreads();
  }
}
template <size_t Alignment>
void run_fill() {
  for (const bool alone : {false, true})
    gpu_test::run(copy_and_fill<Alignment>, {blocks, threads}, source(), source() + source_size, alone);
}
TEST(zeros_after_the_valid_bytes) {
  run_fill<1>();
}
TEST(zeros_after_the_valid_bytes_of_aligned_sizes) {
  run_fill<4>();
  run_fill<16>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
