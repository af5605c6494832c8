// Counts the wrong words without a fence, and with different fences in different threads, before bulk copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness.h"

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cudasync/named_barrier.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bench { namespace {

constexpr std::uint32_t threads = 256;
constexpr std::uint32_t words = 2048;  // per tile
constexpr std::uint32_t rounds = 2000;
constexpr std::uint32_t different_tiles = 64;
constexpr cuda::aligned_size_t<16> tile_size(words * sizeof(std::uint32_t));
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// --- Fences ---

struct no_fence {
  static constexpr const char* name = "none";
  static __device__ void set() {}
};
struct shared_fence {
  static constexpr const char* name = "shared::cta";
  static __device__ void set() { cuda::ptx::fence_proxy_async(cuda::ptx::space_shared); }
};
struct global_fence {
  static constexpr const char* name = "global";
  static __device__ void set() { cuda::ptx::fence_proxy_async(cuda::ptx::space_global); }
};
struct both_fences {
  static constexpr const char* name = "fence_before_bulk_copy";
  static __device__ void set() { cudasync::device::fence_before_bulk_copy(); }
};

__device__ unsigned long long wrong_words;

__device__ void count(std::uint32_t wrong) {
  if (wrong != 0) atomicAdd(&wrong_words, static_cast<unsigned long long>(wrong));
}

// The lanes of a warp access the same bank of shared memory, or different cache lines of global memory, so that
// accesses are delayed.
__device__ std::uint32_t in_one_bank(std::uint32_t index) {
  return (threadIdx.x * 32 + threadIdx.x / 64 + index * 4) % words;
}
__device__ std::uint32_t in_own_line(std::uint32_t index) {
  return index % (words / 32) * 32 + index / (words / 32);
}

// --- Tiles in shared memory that threads read or write before the next tile is copied over them ---

enum class meeting {
  of_the_block,    // __syncthreads, then thread 0 copies
  by_each_thread,  // each thread arrives at a barrier; a thread of another warp waits for the barrier and copies
  by_one_thread,   // all threads synchronize at a named barrier, and one of them arrives
  by_each_warp     // the lanes of a warp synchronize, and one of them arrives
};

template <meeting How>
constexpr std::uint32_t arrivals = How == meeting::by_each_thread  ? threads
                                   : How == meeting::by_one_thread ? 1
                                                                   : threads / 32;

// The fences of the threads that access the tile, of one of them after it has synchronized with the others, and of the
// thread that copies.
template <meeting How, bool Writes, class Accessing, class Chosen, class Copying>
__global__ void load_over_tile(const std::uint32_t* source) {
  alignas(128) __shared__ std::uint32_t tile[words];
  __shared__ block_barrier full, empty;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(full),
                          cudasync::expects<arrivals<How>>(empty));
  const auto copy = [&](std::uint32_t round) {
    Copying::set();
    cuda::device::memcpy_async_tx(tile, source + round % different_tiles * words, tile_size, full);
    static_cast<void>(cuda::device::barrier_arrive_tx(full, 1, tile_size));
  };
  if (threadIdx.x >= threads) {
    if (threadIdx.x > threads || How == meeting::of_the_block) return;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      empty.wait_parity(round % 2 == 0);
      copy(round);
    }
    return;
  }
  std::uint32_t wrong = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    if (How == meeting::of_the_block && threadIdx.x == 0) copy(round);
    full.wait_parity(round % 2 != 0);
    volatile std::uint32_t* const there = tile;
    std::uint32_t read[16];
    for (std::uint32_t index = 0; index < 16; ++index)
      read[index] = there[in_one_bank(index)];
    if (Writes) {
      cudasync::named_barrier<2, threads>::sync();
      for (std::uint32_t index = 0; index < words / threads; ++index)
        there[in_one_bank(index)] = ~0u;
    }
    Accessing::set();
    if (How == meeting::of_the_block) cudasync::named_barrier<1, threads>::sync();
    if (How == meeting::by_each_thread) static_cast<void>(empty.arrive());
    if (How == meeting::by_one_thread) {
      cudasync::named_barrier<1, threads>::sync();
      if (threadIdx.x == 32) {
        Chosen::set();
        static_cast<void>(empty.arrive());
      }
    }
    if (How == meeting::by_each_warp) {
      __syncwarp();
      if (threadIdx.x % 32 == 0) {
        Chosen::set();
        static_cast<void>(empty.arrive());
      }
    }
    for (std::uint32_t word : read)
      wrong += word != round % different_tiles ? 1 : 0;
  }
  count(wrong);
}

// --- Words that threads write and the copy engine then reads or overwrites ---

// Stores to shared memory, then a bulk store of the same words.
template <class Writing, class Copying>
__global__ void store_of_tile(std::uint32_t* global) {
  alignas(128) __shared__ std::uint32_t tile[words];
  global += std::size_t{blockIdx.x} * words;
  std::uint32_t wrong = 0;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    for (std::uint32_t index = 0; index < words / threads; ++index)
      static_cast<volatile std::uint32_t*>(tile)[in_one_bank(index)] = round;
    Writing::set();
    __syncthreads();
    if (threadIdx.x == 0) {
      Copying::set();
      cudasync::device::bulk_store(global, tile, tile_size);
      cudasync::device::bulk_commit();
      cudasync::device::bulk_wait();
    }
    __syncthreads();
    for (std::uint32_t index = 0; index < words / threads; ++index)
      wrong += __ldcg(&global[in_one_bank(index)]) != round ? 1 : 0;
    __syncthreads();
  }
  count(wrong);
}

// Stores to global memory, then a bulk load of the same words.
template <class Writing, class Copying>
__global__ void load_of_words(std::uint32_t* global) {
  alignas(128) __shared__ std::uint32_t tile[words];
  __shared__ block_barrier full;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(full));
  global += std::size_t{blockIdx.x} * words;
  std::uint32_t wrong = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t index = threadIdx.x; index < words; index += threads)
      global[in_own_line(index)] = round + index;
    Writing::set();
    __syncthreads();
    if (threadIdx.x == 0) {
      Copying::set();
      cuda::device::memcpy_async_tx(tile, global, tile_size, full);
      static_cast<void>(cuda::device::barrier_arrive_tx(full, 1, tile_size));
    }
    full.wait_parity(round % 2 != 0);
    for (std::uint32_t index = threadIdx.x; index < words; index += threads)
      wrong += tile[in_own_line(index)] != round + index ? 1 : 0;
    shared_fence::set();
    __syncthreads();
  }
  count(wrong);
}

// Stores to global memory, then a bulk store or addition to the same words.
template <bool Adds, class Writing, class Copying>
__global__ void store_over_words(std::uint32_t* global) {
  alignas(128) __shared__ std::uint32_t tile[words];
  for (std::uint32_t index = threadIdx.x; index < words; index += threads)
    tile[index] = 7;
  shared_fence::set();
  global += std::size_t{blockIdx.x} * words;
  std::uint32_t wrong = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t index = threadIdx.x; index < words; index += threads)
      global[in_own_line(index)] = round * 16 + index;
    Writing::set();
    __syncthreads();
    if (threadIdx.x == 0) {
      Copying::set();
      if constexpr (Adds)
        cudasync::device::bulk_store_add(global, tile, tile_size);
      else
        cudasync::device::bulk_store(global, tile, tile_size);
      cudasync::device::bulk_commit();
      cudasync::device::bulk_wait();
    }
    __syncthreads();
    for (std::uint32_t index = threadIdx.x; index < words; index += threads)
      wrong += __ldcg(&global[in_own_line(index)]) != (Adds ? round * 16 + index + 7 : 7) ? 1 : 0;
    __syncthreads();
  }
  count(wrong);
}

// Loads from global memory, then a bulk store to the same words.
template <class Reading, class Copying>
__global__ void store_over_words_being_read(std::uint32_t* global) {
  alignas(128) __shared__ std::uint32_t tiles[2][words];
  global += std::size_t{blockIdx.x} * words;
  for (std::uint32_t index = threadIdx.x; index < words; index += threads)
    global[index] = 0;
  global_fence::set();
  __syncthreads();
  std::uint32_t wrong = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::uint32_t* const tile = tiles[round % 2];
    for (std::uint32_t index = threadIdx.x; index < words; index += threads)
      tile[index] = round + 1;
    shared_fence::set();
    __syncthreads();
    std::uint32_t read[8];
    for (std::uint32_t index = 0; index < 8; ++index)
      read[index] = __ldcg(&global[in_own_line(threadIdx.x + index * threads)]);
    Reading::set();
    __syncthreads();
    if (threadIdx.x == 0) {
      Copying::set();
      cudasync::device::bulk_store(global, tile, tile_size);
      cudasync::device::bulk_commit();
    }
    for (std::uint32_t word : read)
      wrong += word != round ? 1 : 0;
    if (threadIdx.x == 0) cudasync::device::bulk_wait();
    __syncthreads();
  }
  count(wrong);
}

// --- The table ---

struct case_of {
  std::string accesses, accessing, chosen, copying;
  const void* kernel;
  std::uint32_t block;
  double words_a_launch;  // per block
  bool is_from_source;    // if false, each block writes to its own global memory
};

std::vector<case_of>& cases() {
  static std::vector<case_of> all;
  return all;
}

template <meeting How, bool Writes, class Accessing, class Chosen, class Copying>
void add_load_over_tile(const std::string& name) {
  cases().push_back({name, Accessing::name, Chosen::name, Copying::name,
                     reinterpret_cast<const void*>(&load_over_tile<How, Writes, Accessing, Chosen, Copying>),
                     threads + 32, 16.0 * threads * rounds, true});
}
template <meeting How, bool Writes>
void add_loads_over_tile(const std::string& name) {
  add_load_over_tile<How, Writes, no_fence, no_fence, no_fence>(name);
  add_load_over_tile<How, Writes, shared_fence, no_fence, no_fence>(name);
  if constexpr (How == meeting::by_one_thread || How == meeting::by_each_warp)
    add_load_over_tile<How, Writes, no_fence, shared_fence, no_fence>(name);
  add_load_over_tile<How, Writes, no_fence, no_fence, shared_fence>(name);
  add_load_over_tile<How, Writes, no_fence, no_fence, both_fences>(name);
}
template <template <class, class> class Kernel>
void add_others(const std::string& name) {
  const auto add = [&](auto accessing, auto copying) {
    using first = decltype(accessing);
    using second = decltype(copying);
    cases().push_back({name, first::name, "none", second::name, Kernel<first, second>::address(), threads,
                       static_cast<double>(words) * rounds, false});
  };
  add(no_fence{}, no_fence{});
  add(shared_fence{}, no_fence{});
  add(both_fences{}, no_fence{});
  add(no_fence{}, shared_fence{});
  add(no_fence{}, global_fence{});
  add(no_fence{}, both_fences{});
}
#define KERNEL(NAME, ...)                                                                \
  template <class Accessing, class Copying>                                              \
  struct NAME {                                                                          \
    static const void* address() { return reinterpret_cast<const void*>(&__VA_ARGS__); } \
  };
KERNEL(of_tile, store_of_tile<Accessing, Copying>)
KERNEL(of_words, load_of_words<Accessing, Copying>)
KERNEL(addition, store_over_words<true, Accessing, Copying>)
KERNEL(over_words, store_over_words<false, Accessing, Copying>)
KERNEL(over_words_being_read, store_over_words_being_read<Accessing, Copying>)
#undef KERNEL

void add_cases() {
  add_loads_over_tile<meeting::of_the_block, false>("shared words read, __syncthreads, bulk load over them");
  add_loads_over_tile<meeting::by_each_thread, false>("shared words read, each thread arrives, bulk load over them");
  add_loads_over_tile<meeting::by_one_thread, false>("shared words read, one thread arrives, bulk load over them");
  add_loads_over_tile<meeting::by_each_warp, false>(
      "shared words read, a lane of each warp arrives, bulk load over them");
  add_loads_over_tile<meeting::by_each_thread, true>("shared words written, each thread arrives, bulk load over them");
  add_others<of_tile>("shared words written, bulk store of them");
  add_others<of_words>("global words written, bulk load of them");
  add_others<addition>("global words written, bulk addition to them");
  add_others<over_words>("global words written, bulk store over them");
  add_others<over_words_being_read>("global words read, bulk store over them");
}

std::vector<std::uint32_t> numbered_tiles() {
  std::vector<std::uint32_t> values(different_tiles * words);
  for (std::size_t index = 0; index < values.size(); ++index)
    values[index] = static_cast<std::uint32_t>(index / words);
  return values;
}

// Launches the kernel repeatedly for this time. Returns the number of wrong words and the number of all words.
std::pair<double, double> run(const case_of& each, std::uint32_t* source, std::uint32_t* own, double milliseconds) {
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, each.kernel, static_cast<int>(each.block), 0),
        each.accesses);
  const int blocks = std::min(resident, 8) * gpu::current().multiprocessors;
  unsigned long long wrong = 0;
  check(cudaMemcpyToSymbol(wrong_words, &wrong, sizeof wrong), "cudaMemcpyToSymbol");
  void* arguments[] = {each.is_from_source ? &source : &own};
  double all = 0;
  for (double spent = 0; spent < milliseconds; all += each.words_a_launch * blocks)
    spent += microseconds(each.kernel, blocks, static_cast<int>(each.block), arguments, each.accesses) / 1000;
  check(cudaMemcpyFromSymbol(&wrong, wrong_words, sizeof wrong), "cudaMemcpyFromSymbol");
  return {static_cast<double>(wrong), all};
}

// If the program is interrupted, the file has the results of the cases before.
void write_json(const std::string& path, const std::string& results) {
  const std::string part = path + ".part";
  std::FILE* const file = std::fopen(part.c_str(), "w");
  if (file == nullptr) check(cudaErrorUnknown, "cannot write " + part);
  std::fprintf(file, "{\"gpu\": \"%s\", \"results\": [\n%s\n]}\n", gpu::current().name.c_str(), results.c_str());
  std::fclose(file);
  if (std::rename(part.c_str(), path.c_str()) != 0) check(cudaErrorUnknown, "cannot write " + path);
}

void run_all(const std::string& json, double milliseconds) {
  add_cases();
  device_array<std::uint32_t> source(different_tiles * words);
  const std::vector<std::uint32_t> tiles = numbered_tiles();
  check(cudaMemcpy(source.data(), tiles.data(), tiles.size() * sizeof tiles[0], cudaMemcpyHostToDevice), "cudaMemcpy");
  device_array<std::uint32_t> own(static_cast<std::size_t>(gpu::current().multiprocessors) * 8 * words);
  std::string results, last;
  std::size_t number = 0;
  for (const case_of& each : cases()) {
    if (each.accesses != last)
      std::printf("\n%s\n          %-24s%-14s%-24s%14s  of words\n", each.accesses.c_str(), "accessing threads",
                  "chosen one", "copying thread", "wrong");
    last = each.accesses;
    std::printf("[%2zu/%zu] %-24s%-14s%-24s", ++number, cases().size(), each.accessing.c_str(), each.chosen.c_str(),
                each.copying.c_str());
    std::fflush(stdout);
    const auto [wrong, all] = run(each, source.data(), own.data(), milliseconds);
    std::printf("%14.0f  %.2e\n", wrong, all);
    if (!results.empty()) results += ",\n";
    results += "{\"accesses\": \"" + each.accesses + "\", \"accessing\": \"" + each.accessing + "\", \"chosen\": \"" +
               each.chosen + "\", \"copying\": \"" + each.copying + "\", \"wrong\": " + std::to_string(wrong) +
               ", \"words\": " + std::to_string(all) + "}";
    if (!json.empty()) write_json(json, results);
  }
}

}}  // namespace bench

// fences [--json FILE] [MILLISECONDS per case]
int main(int count, char** words) {
  std::string json;
  double milliseconds = 500;
  for (int index = 1; index < count; ++index) {
    if (std::string(words[index]) == "--json" && index + 1 < count)
      json = words[++index];
    else
      milliseconds = std::atof(words[index]);
  }
  if (milliseconds <= 0) {
    std::fprintf(stderr, "usage: %s [--json FILE] [MILLISECONDS]\n", words[0]);
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no GPU\n");
    return 77;
  }
  if (bench::gpu::current().major < 9) {
    std::printf("skipped: the GPU does not support bulk copies, which require sm_90\n");
    return 77;
  }
  bench::run_all(json, milliseconds);
}
