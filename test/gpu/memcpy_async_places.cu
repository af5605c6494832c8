// memcpy_async between all memories, on barriers of all scopes, in shared and in global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/copied_bytes.h"
#include "../support/gpu_test.h"

#include <cuda/barrier>

#include <type_traits>

using gpu_test::device_array;

enum class from { global, shared, local, pinned, constant, parameter };
enum class to { shared, global, local };

constexpr unsigned threads = 32, blocks = 4;
constexpr unsigned piece = 192;  // of the destination, for a thread
constexpr unsigned margin = 16;  // before a copy in a piece
constexpr unsigned source_size = 1024;

struct source_bytes_by_value {
  unsigned char bytes[source_size];
};
__constant__ unsigned char in_constant_memory[source_size];

__constant__ unsigned sizes[] = {0, 1, 3, 4, 7, 8, 15, 16, 17, 32, 48, 100, 112, 128, 144, 256, 300, 512};
__constant__ unsigned offsets[] = {0, 1, 4, 8};

struct plan {
  from source;
  to destination;
  bool bar_in_global;
  bool by_group;
};

// Counts phases.
struct completion {
  unsigned* phases;
  __device__ void operator()() { ++*phases; }
};
template <class Barrier>
constexpr bool has_completion = false;
template <cuda::thread_scope Scope>
constexpr bool has_completion<cuda::barrier<Scope, completion>> = true;

template <class Barrier>
__device__ void begin(Barrier* bar, unsigned arrivals, unsigned* phases) {
  *phases = 0;
  if constexpr (has_completion<Barrier>)
    init(bar, arrivals, completion{phases});
  else
    init(bar, arrivals);
}

// Each thread copies for itself, or all together, and checks what another has copied where it can see it.
template <class Barrier>
__global__ void copy_between(plan what, const __grid_constant__ source_bytes_by_value parameter,
                             const unsigned char* global, const unsigned char* pinned, unsigned char* to_global,
                             Barrier* bars_in_global) {
  constexpr bool is_alone = Barrier::scope == cuda::thread_scope_thread;
  alignas(16) __shared__ unsigned char shared_source[source_size], to_shared[threads * piece];
  __shared__ unsigned phases;
  __shared__ Barrier in_shared, of_threads[is_alone ? threads : 1];
  alignas(16) unsigned char local_source[source_size], to_local[piece];
  for (unsigned index = 0; index < source_size; ++index)
    local_source[index] = byte_at(index);
  for (unsigned index = threadIdx.x; index < source_size; index += threads)
    shared_source[index] = byte_at(index);
  Barrier& bar = is_alone             ? of_threads[is_alone ? threadIdx.x : 0]
                 : what.bar_in_global ? bars_in_global[blockIdx.x]
                                      : in_shared;
  if (is_alone || threadIdx.x == 0) begin(&bar, is_alone ? 1 : threads, &phases);
  const unsigned char* source = what.source == from::global     ? global
                                : what.source == from::shared   ? shared_source
                                : what.source == from::local    ? local_source
                                : what.source == from::pinned   ? pinned
                                : what.source == from::constant ? in_constant_memory
                                                                : parameter.bytes;
  // Or else cicc (13.0) takes a pointer selected from several memories for one to global memory.
  asm volatile("" : "+l"(source));
  unsigned char* const of_block = what.destination == to::shared ? to_shared : to_global + blockIdx.x * threads * piece;
  unsigned copies = 0;
  for (unsigned index = 0; index < sizeof sizes / sizeof *sizes * 16; ++index) {
    const unsigned size = sizes[index / 16], source_offset = offsets[index % 4];
    const unsigned destination_offset = offsets[index / 4 % 4];
    if (!what.by_group && size > 144) continue;
    const unsigned reported = static_cast<unsigned>(what.source) * 1000 +
                              static_cast<unsigned>(what.destination) * 100 + what.bar_in_global * 10 + what.by_group;
    const unsigned place = margin + destination_offset;
    paint(to_shared, threads * piece, {threadIdx.x, threads});
    paint(to_global + blockIdx.x * threads * piece, threads * piece, {threadIdx.x, threads});
    paint(to_local, piece, {0, 1});
    __syncthreads();
    const auto origin = [&](unsigned rank) { return (what.by_group ? 0 : rank * 16) + source_offset; };
    unsigned char* const own = what.destination == to::local ? to_local
                               : what.by_group               ? of_block
                                                             : of_block + threadIdx.x * piece;
    if (what.by_group)
      static_cast<void>(
          cuda::memcpy_async(cudasync::this_thread_block(), own + place, source + origin(0), size_t{size}, bar));
    else
      static_cast<void>(cuda::memcpy_async(own + place, source + origin(threadIdx.x), size_t{size}, bar));
    bar.arrive_and_wait();
    ++copies;
    if (what.by_group) {
      const copied wanted{place, size, origin(0), size, threads * piece, reported};
      DEVICE_CHECK(is_right(of_block, wanted, {threads - 1 - threadIdx.x, threads}));
    } else {
      const unsigned other = is_alone || what.destination == to::local ? threadIdx.x : (threadIdx.x + copies) % threads;
      const unsigned char* const found = what.destination == to::local ? to_local : of_block + other * piece;
      DEVICE_CHECK(is_right(found, {place, size, origin(other), size, piece, reported}, {0, 1}));
    }
    __syncthreads();
  }
  if (has_completion<Barrier>) DEVICE_CHECK(phases == copies);
}

struct sources {
  device_array<unsigned char> global{source_bytes(source_size)};
  unsigned char* pinned = nullptr;
  source_bytes_by_value parameter;

  sources() {
    gpu_test::expect_success(cudaMallocHost(&pinned, source_size), "cudaMallocHost");
    for (unsigned index = 0; index < source_size; ++index)
      pinned[index] = parameter.bytes[index] = byte_at(index);
    gpu_test::expect_success(cudaMemcpyToSymbol(in_constant_memory, pinned, source_size), "cudaMemcpyToSymbol");
  }
  ~sources() { cudaFreeHost(pinned); }
};

template <class Barrier>
void run_barrier(from source, const sources& all) {
  const device_array<unsigned char> to_global(blocks * threads * piece);
  const device_array<Barrier> bars(blocks);
  const bool is_alone = Barrier::scope == cuda::thread_scope_thread;
  for (const bool bar_in_global : {false, true})
    for (const bool by_group : {false, true})
      for (const to destination : {to::shared, to::global, to::local}) {
        if (is_alone && (bar_in_global || by_group)) continue;
        if (by_group && (source == from::local || destination == to::local)) continue;
        gpu_test::run(copy_between<Barrier>, {blocks, threads}, plan{source, destination, bar_in_global, by_group},
                      all.parameter, all.global.get(), all.pinned, to_global.get(), bars.get());
      }
}
void run_source(from source) {
  const sources all;
  run_barrier<cuda::barrier<cuda::thread_scope_block>>(source, all);
  run_barrier<cuda::barrier<cuda::thread_scope_device>>(source, all);
  run_barrier<cuda::barrier<cuda::thread_scope_system>>(source, all);
  run_barrier<cuda::barrier<cuda::thread_scope_thread>>(source, all);
  run_barrier<cuda::barrier<cuda::thread_scope_block, completion>>(source, all);
  run_barrier<cuda::barrier<cuda::thread_scope_device, completion>>(source, all);
  run_barrier<cuda::std::barrier<>>(source, all);
}
TEST(copies_from_global_memory) {
  run_source(from::global);
}
TEST(copies_from_shared_memory) {
  run_source(from::shared);
}
TEST(copies_from_local_memory) {
  run_source(from::local);
}
TEST(copies_from_pinned_host_memory) {
  run_source(from::pinned);
}
TEST(copies_from_constant_memory) {
  run_source(from::constant);
}
TEST(copies_from_a_kernel_parameter) {
  run_source(from::parameter);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
