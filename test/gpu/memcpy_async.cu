// memcpy_async on a block's barrier: the right bytes, no others, and visible after the wait.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/copied_bytes.h"
#include "../support/duck_time.h"
#include "../support/gpu_test.h"

#include <cuda/barrier>

#include <type_traits>

using gpu_test::device_array;
using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr unsigned offsets = 17;  // 0 to 16 bytes from a multiple of 64, of source and destination
constexpr unsigned largest = 65536;
constexpr size_t source_size = 1 << 18;

enum class by { one_thread, group };

template <by By>
__device__ cuda::async_contract_fulfillment copy(unsigned char* destination, const unsigned char* source, size_t size,
                                                 barrier& bar, unsigned leader) {
  static_assert(
      std::is_same_v<decltype(cuda::memcpy_async(destination, source, size, bar)), cuda::async_contract_fulfillment>);
  if constexpr (By == by::group)
    return cuda::memcpy_async(cudasync::this_thread_block(), destination, source, size, bar);
  else
    return threadIdx.x == leader ? cuda::memcpy_async(destination, source, size, bar) : cudasync::none;
}

// --- All sizes and offsets ---

template <by By>
__global__ void copy_at_all_offsets(const unsigned char* source, const unsigned* sizes, unsigned count) {
  extern __shared__ __align__(128) unsigned char buffer[];
  __shared__ barrier bar;
  const thread_group block{threadIdx.x, blockDim.x};
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (unsigned index = blockIdx.x; index < count * offsets * offsets; index += gridDim.x) {
    const unsigned size = sizes[index / (offsets * offsets)];
    const unsigned from = index / 7 % 64 * 64 + index % offsets, to = index / offsets % offsets;
    const copied what{guard_bytes + to, size, from, size, size + to + 2 * guard_bytes, index};
    paint(buffer, what.buffer, block);
    __syncthreads();
    static_cast<void>(copy<By>(buffer + what.begin, source + from, size, bar, index % blockDim.x));
    bar.arrive_and_wait();
    DEVICE_CHECK(is_right(buffer, what, block));
    __syncthreads();
  }
}

template <by By>
void copy_sizes(const std::vector<unsigned>& sizes, unsigned threads) {
  unsigned most = 0;
  for (const unsigned size : sizes)
    most = size > most ? size : most;
  const device_array<unsigned char> source(source_bytes(source_size));
  const device_array<unsigned> on_device(sizes);
  gpu_test::run(copy_at_all_offsets<By>, {264, threads, most + offsets + 2 * guard_bytes}, source.get(),
                on_device.get(), static_cast<unsigned>(sizes.size()));
}

std::vector<unsigned> all_up_to(unsigned last) {
  std::vector<unsigned> sizes;
  for (unsigned size = 0; size <= last; ++size)
    sizes.push_back(size);
  return sizes;
}
std::vector<unsigned> large_sizes() {
  std::vector<unsigned> sizes;
  for (const unsigned size : {512u, 1024u, 1040u, 2048u, 4096u, 10000u, 16384u, 32768u, largest})
    for (const int more : {-15, -1, 0, 1, 15})
      if (size + more <= largest) sizes.push_back(size + more);
  return sizes;
}

TEST(group_copies_of_all_sizes_to_300_at_all_offsets) {
  copy_sizes<by::group>(all_up_to(300), 128);
}
TEST(group_copies_of_large_sizes_at_all_offsets) {
  copy_sizes<by::group>(large_sizes(), 256);
}
TEST(single_thread_copies_of_all_sizes_to_300_at_all_offsets) {
  copy_sizes<by::one_thread>(all_up_to(300), 128);
}
TEST(single_thread_copies_of_large_sizes_at_all_offsets) {
  copy_sizes<by::one_thread>({511, 512, 1024, 1039, 4097, 8192, 16399}, 64);
}
TEST(groups_of_any_number_of_threads) {
  for (const unsigned threads : {1u, 2u, 31u, 32u, 33u, 100u, 1024u})
    copy_sizes<by::group>({0, 1, 3, 4, 15, 16, 100, 255, 256, 257, 271, 1000, 4095, 4096}, threads);
}

// --- Who sees it, and when ---

// After each way to wait; only one thread copies, and each checks all bytes.
__global__ void wait_by_all_means(const unsigned char* source, unsigned size) {
  extern __shared__ __align__(128) unsigned char buffer[];
  __shared__ barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  for (unsigned phase = 0; phase < 10; ++phase) {
    paint(buffer, size + 2 * guard_bytes, {threadIdx.x, blockDim.x});
    __syncthreads();
    const copied what{guard_bytes, size, phase * 16, size, size + 2 * guard_bytes, phase};
    if (threadIdx.x == phase * 13 % blockDim.x)
      static_cast<void>(cuda::memcpy_async(buffer + guard_bytes, source + phase * 16, size, bar));
    const bool parity = phase % 2 != 0;
    if (phase % 5 == 0) {
      bar.arrive_and_wait();
    } else {
      barrier::arrival_token token = bar.arrive();
      if (phase % 5 == 1) bar.wait(static_cast<barrier::arrival_token&&>(token));
      if (phase % 5 == 2) bar.wait_parity(parity);
      if (phase % 5 == 3) DEVICE_CHECK(bar.try_wait_for(token, seconds{5}));
      if (phase % 5 == 4) {
        while (!bar.try_wait_parity(parity)) {
        }
      }
    }
    DEVICE_CHECK(is_right(buffer, what, {0, 1}));
    __syncthreads();
  }
}
TEST(every_thread_sees_the_copy_after_every_kind_of_wait) {
  const device_array<unsigned char> source(source_bytes(source_size));
  for (const unsigned size : {5u, 64u, 127u, 128u, 1000u, 1024u})
    gpu_test::run(wait_by_all_means, {16, 96, size + 2 * guard_bytes}, source.get(), size);
}

// A copy that is over at once is; where the target can, copies to shared memory are not waited for.
template <by By>
__global__ void check_fulfillment(const unsigned char* source, unsigned size, unsigned offset) {
  extern __shared__ __align__(128) unsigned char buffer[];
  __shared__ barrier bar;
  const copied what{guard_bytes, size, offset, size, size + 2 * guard_bytes, 0};
  paint(buffer, what.buffer, {threadIdx.x, 1});
  init(&bar, 1);
  __syncthreads();
  const cuda::async_contract_fulfillment how = copy<By>(buffer + guard_bytes, source + offset, size, bar, 0);
  if (how == cudasync::none) DEVICE_CHECK(is_right(buffer, what, {0, 1}));
  const bool can_be_async = cudasync::target::is_at_least<cudasync::target::here, cudasync::target::sm80>;
  if (offset % 16 == 0 && size >= 16) DEVICE_CHECK((how == cudasync::async) == can_be_async);
  bar.arrive_and_wait();
  DEVICE_CHECK(is_right(buffer, what, {0, 1}));
}
TEST(copies_to_shared_memory_go_on_in_the_background) {
  const device_array<unsigned char> source(source_bytes(source_size));
  for (const unsigned size : {0u, 3u, 16u, 64u, 260u, 4096u})
    for (const unsigned offset : {0u, 1u, 4u, 8u}) {
      gpu_test::run(check_fulfillment<by::one_thread>, {1, 1, size + 2 * guard_bytes}, source.get(), size, offset);
      gpu_test::run(check_fulfillment<by::group>, {1, 1, size + 2 * guard_bytes}, source.get(), size, offset);
    }
}

// --- Several copies ---

// One phase waits for copies of all kinds, by the group and by single threads.
__global__ void several_copies(const unsigned char* source, unsigned rounds) {
  constexpr unsigned copies = 12, space = 2304;
  __shared__ __align__(128) unsigned char buffer[copies * space];
  __shared__ barrier bar;
  const thread_group block{threadIdx.x, blockDim.x};
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  for (unsigned round = 0; round < rounds; ++round) {
    paint(buffer, sizeof buffer, block);
    __syncthreads();
    const auto plan = [&](unsigned copy) {
      const unsigned number = round * copies + copy;
      const unsigned size = copy % 3 == 0 ? 16 * (number % 129) : number * 37 % 2049;
      const unsigned from = copy % 4 == 0 ? 0 : copy % 4 == 1 ? 4 : number % 16;
      return copied{guard_bytes + (copy % 4 == 3 ? number / 16 % 16 : from),
                    size,
                    number % 977 * 128 + from,
                    size,
                    space,
                    number};
    };
    for (unsigned copy = 0; copy < copies; ++copy) {
      const copied what = plan(copy);
      unsigned char* const to = buffer + copy * space + what.begin;
      if (copy % 2 == 0)
        static_cast<void>(cuda::memcpy_async(cudasync::this_thread_block(), to, source + what.source, what.size, bar));
      else if (threadIdx.x == (copy < 6 ? 5 : copy * 10))
        static_cast<void>(cuda::memcpy_async(to, source + what.source, what.size, bar));
    }
    bar.arrive_and_wait();
    for (unsigned copy = 0; copy < copies; ++copy)
      DEVICE_CHECK(is_right(buffer + copy * space, plan(copy), block));
    __syncthreads();
  }
}
TEST(several_copies_in_one_phase) {
  const device_array<unsigned char> source(source_bytes(source_size));
  gpu_test::run(several_copies, {32, 128}, source.get(), 60u);
}

// Each warp copies as a group of its own, or each thread for itself, on one barrier.
__global__ void copies_of_warps(const unsigned char* source, unsigned rounds) {
  constexpr unsigned warps = 8, space = 4096;
  __shared__ __align__(128) unsigned char buffer[warps * space];
  __shared__ barrier bar;
  const thread_group block{threadIdx.x, blockDim.x}, warp{threadIdx.x % 32, 32};
  const unsigned warp_rank = threadIdx.x / 32;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  for (unsigned round = 0; round < rounds; ++round) {
    paint(buffer, sizeof buffer, block);
    __syncthreads();
    const auto plan = [&](unsigned which) {
      const unsigned size = (round + which) % 2 == 0 ? 16 * ((round * 7 + which) % 240) : (round * 53 + which) % 3900;
      return copied{guard_bytes, size,  (round * warps + which) % 500 * 128 + (round % 3 == 0 ? 0 : which),
                    size,        space, round * warps + which};
    };
    const copied mine = plan(warp_rank);
    if ((round + warp_rank) % 5 == 0) __nanosleep(1000);
    static_cast<void>(cuda::memcpy_async(warp, buffer + warp_rank * space + mine.begin, source + mine.source,
                                         size_t{mine.size}, bar));
    bar.arrive_and_wait();
    for (unsigned which = 0; which < warps; ++which)
      DEVICE_CHECK(is_right(buffer + which * space, plan(which), block));
    __syncthreads();
  }
}
TEST(copies_of_several_warps_in_one_phase) {
  const device_array<unsigned char> source(source_bytes(source_size));
  gpu_test::run(copies_of_warps, {32, 256}, source.get(), 100u);
}

__global__ void copies_of_all_threads(const unsigned char* source, unsigned rounds) {
  constexpr unsigned space = 320;
  extern __shared__ __align__(128) unsigned char buffer[];  // space a thread
  __shared__ barrier bar;
  const thread_group block{threadIdx.x, blockDim.x};
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  for (unsigned round = 0; round < rounds; ++round) {
    paint(buffer, blockDim.x * space, block);
    __syncthreads();
    const auto plan = [&](unsigned rank) {
      const unsigned size = (round * 29 + rank * 3) % 209, number = round + rank;
      return copied{guard_bytes + number % 2 * (number % 16), size, rank * 256 + number % 4 * 4, size, space, number};
    };
    const copied mine = plan(threadIdx.x);
    static_cast<void>(
        cuda::memcpy_async(buffer + threadIdx.x * space + mine.begin, source + mine.source, mine.size, bar));
    bar.arrive_and_wait();
    const unsigned other = (threadIdx.x + 33) % blockDim.x;
    DEVICE_CHECK(is_right(buffer + other * space, plan(other), {0, 1}));
    __syncthreads();
  }
}
TEST(copies_of_every_thread_in_one_phase) {
  const device_array<unsigned char> source(source_bytes(source_size));
  gpu_test::run(copies_of_all_threads, {16, 160, 160 * 320}, source.get(), 40u);
}

// --- Phase after phase ---

// Nothing but the barrier synchronizes: the copy of phase k + 1 begins right after phase k, into the other buffer. Who
// scribbles writes what it has read, before the buffer is copied to again.
__global__ void copy_in_every_phase(const unsigned char* source, unsigned size, unsigned phases, bool group,
                                    bool scribbles) {
  extern __shared__ __align__(128) unsigned char buffers[];
  __shared__ barrier bar;
  const thread_group block{threadIdx.x, blockDim.x};
  const unsigned space = (size + 127) / 128 * 128;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (unsigned phase = 0; phase < phases; ++phase) {
    unsigned char* const buffer = buffers + phase % 2 * space;
    const copied what{0, size, phase * 144, size, size, phase};
    if (group)
      static_cast<void>(cuda::memcpy_async(block, buffer, source + what.source, size_t{size}, bar));
    else if (threadIdx.x == phase % blockDim.x)
      static_cast<void>(cuda::memcpy_async(buffer, source + what.source, size_t{size}, bar));
    bar.arrive_and_wait();
    // Other threads than those that will scribble read, too.
    if (!scribbles) DEVICE_CHECK(is_right(buffer, what, {(threadIdx.x + phase * 31) % blockDim.x, blockDim.x}));
    if (scribbles) {
      DEVICE_CHECK(is_right(buffer, what, block));
      for (unsigned index = threadIdx.x; index < size; index += blockDim.x)
        buffer[index] = static_cast<unsigned char>(~buffer[index]);
    }
  }
}
void copy_phases(bool scribbles) {
  const device_array<unsigned char> source(source_bytes(source_size));
  for (const unsigned size : {16u, 100u, 240u, 256u, 1000u, 4096u, 16384u})
    for (const bool group : {false, true})
      gpu_test::run(copy_in_every_phase, {32, 128, 2 * 16384}, source.get(), size, 200u, group, scribbles);
}
TEST(copies_in_every_phase) {
  copy_phases(false);
}
TEST(copies_replace_what_threads_wrote_in_the_phase_before) {
  copy_phases(true);
}

// The phase does not complete before the copies, though all have arrived: the threads that wait copy nothing.
__global__ void one_copies_for_all(const unsigned char* source, unsigned size, unsigned phases) {
  extern __shared__ __align__(128) unsigned char buffer[];
  __shared__ barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (unsigned phase = 0; phase < phases; ++phase) {
    if (threadIdx.x == 0) static_cast<void>(cuda::memcpy_async(buffer, source + phase * 272, size_t{size}, bar));
    bar.arrive_and_wait();
    const copied what{0, size, phase * size_t{272}, size, size, phase};
    DEVICE_CHECK(is_right(buffer, what, {blockDim.x - 1 - threadIdx.x, blockDim.x}));
    bar.arrive_and_wait();
  }
}
TEST(no_phase_completes_before_its_copies) {
  const device_array<unsigned char> source(source_bytes(source_size));
  for (const unsigned size : {4096u, 4100u, 32768u})
    gpu_test::run(one_copies_for_all, {132, 64, 32768}, source.get(), size, 50u);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
