// Litmus tests of the copy engine: counts wrong words with the fence or the wait that is needed, and without it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../fuzz/settings.h"
#include "../support/atomic_history.h"
#include "../support/gpu_test.h"
#if !defined LITMUS_WITHOUT_TENSOR_MAPS  // which the machine of test/model does not have
#include "../support/tensor_map.h"
#endif

#include <cuda.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using tile_size = cuda::aligned_size_t<16>;

constexpr unsigned threads = 128;
constexpr unsigned most_words = 2048;  // of a tile
constexpr unsigned loads = most_words / threads;
constexpr unsigned different_tiles = 64;
constexpr unsigned line = 32;  // words between two flags

// Those who access the words by ordinary loads and stores, and the thread that begins the copy.
enum class place : unsigned { block, blocks };
constexpr const char* name_of[] = {"one block", "different blocks"};

// How a launch plays: all of it changes from launch to launch.
struct playing {
  unsigned rounds;
  unsigned words;    // of a tile
  bool in_one_bank;  // the lanes of a warp access the same bank of shared memory, and different lines of global memory
  unsigned delays[2];  // most pauses before the accesses, and before the copy
  unsigned seed;
  unsigned* memory;         // a tile for each game
  const unsigned* numbers;  // tiles, all words of which are the number of the tile
  const CUtensorMap* maps;  // of the first two of these tiles
  CUtensorMap* own_maps;    // for each game
  unsigned* flags;          // two for each game
  unsigned long long* forbidden;
};

__device__ unsigned mixed(unsigned bits) {
  bits = (bits ^ (bits >> 16)) * 0x7feb352d;
  bits = (bits ^ (bits >> 15)) * 0x846ca68b;
  return bits ^ (bits >> 16);
}

// What a block has for one game.
struct table {
  const playing& how;
  unsigned* memory;
  CUtensorMap* map;
  unsigned (*tiles)[most_words];
  block_barrier& full;
  unsigned (&read)[loads];

  __device__ tile_size size() const { return tile_size(how.words * sizeof(unsigned)); }
  template <class Visit>
  __device__ void for_each_word(Visit visit) const {
#pragma unroll
    for (unsigned number = 0; number < loads; ++number) {
      const unsigned index = threadIdx.x + number * threads, rows = how.words / 32;
      if (index < how.words) visit(how.in_one_bank ? index % rows * 32 + index / rows : index, number);
    }
  }
  __device__ static unsigned value(unsigned round, unsigned index) { return round * 4099 + index; }
};

// --- What is played: those who access, then the thread that copies, then those who check ---

// The defaults. A shape in shared memory has one place, since each block has its own.
struct shape {
  static constexpr bool is_in_shared_memory = false, copies_to_tile = false, accessing_block_checks = false,
                        needs_tensor_maps = false;
  static __device__ void prepare(const table&, unsigned) {}  // the block of the copying thread
  static __device__ void access(const table&, unsigned) {}   // the threads of the other block
  template <bool IsStrong>
  static __device__ void wait_for_tile(block_barrier& full, bool parity) {
    full.wait_parity(parity);
  }
};

template <bool IsStrong>
__device__ void fence_of_global_memory() {
  if constexpr (IsStrong) cudasync::device::fence_before_bulk_copy();
}

struct write_then_load : shape {
  static constexpr const char *name = "ordinary write, bulk load of it", *fence = "fence.proxy.async";
  static constexpr bool copies_to_tile = true;
  static __device__ void access(const table& of, unsigned round) {
    of.for_each_word([&](unsigned index, unsigned) { of.memory[index] = table::value(round, index); });
  }
  template <bool IsStrong>
  static __device__ void copy(const table& of, unsigned) {
    fence_of_global_memory<IsStrong>();
    cuda::device::memcpy_async_tx(of.tiles[0], of.memory, of.size(), of.full);
  }
  static __device__ bool is_wrong(const table& of, unsigned round, unsigned index, unsigned) {
    return of.tiles[0][index] != table::value(round, index);
  }
};

struct write_then_store : shape {
  static constexpr const char *name = "ordinary write, bulk store from it", *fence = "fence.proxy.async";
  static constexpr bool is_in_shared_memory = true;
  static __device__ void access(const table& of, unsigned round) {
    of.for_each_word([&](unsigned index, unsigned) { of.tiles[0][index] = table::value(round, index); });
  }
  template <bool IsStrong>
  static __device__ void copy(const table& of, unsigned) {
    if constexpr (IsStrong) cudasync::device::fence_before_bulk_copy();
    cudasync::device::bulk_store(of.memory, of.tiles[0], of.size());
    cudasync::device::bulk_commit();
    cudasync::device::bulk_wait();
  }
  static __device__ bool is_wrong(const table& of, unsigned round, unsigned index, unsigned) {
    return of.memory[index] != table::value(round, index);
  }
};

struct read_then_load : shape {
  static constexpr const char *name = "ordinary read, bulk load over it", *fence = "fence.proxy.async";
  static constexpr bool is_in_shared_memory = true, copies_to_tile = true;
  static __device__ void access(const table& of, unsigned) {
    of.for_each_word([&](unsigned index, unsigned number) { of.read[number] = of.tiles[0][index]; });
  }
  template <bool IsStrong>
  static __device__ void copy(const table& of, unsigned round) {
    if constexpr (IsStrong) cudasync::device::fence_before_bulk_copy();
    const unsigned* const next = of.how.numbers + (round + 1) % different_tiles * most_words;
    cuda::device::memcpy_async_tx(of.tiles[0], next, of.size(), of.full);
  }
  static __device__ bool is_wrong(const table& of, unsigned round, unsigned, unsigned number) {
    return round != 0 && of.read[number] != round % different_tiles;
  }
};

template <bool Adds>
struct write_then_store_over : shape {
  static constexpr const char* name =
      Adds ? "ordinary write, bulk addition to it" : "ordinary write, bulk store over it";
  static constexpr const char* fence = "fence.proxy.async";
  static __device__ void prepare(const table& of, unsigned round) {
    if (round != 0) return;
    of.for_each_word([&](unsigned index, unsigned) { of.tiles[0][index] = 7; });
    cudasync::device::fence_before_bulk_copy();
  }
  static __device__ void access(const table& of, unsigned round) {
    of.for_each_word([&](unsigned index, unsigned) { of.memory[index] = table::value(round, index); });
  }
  template <bool IsStrong>
  static __device__ void copy(const table& of, unsigned) {
    fence_of_global_memory<IsStrong>();
    if constexpr (Adds)
      cudasync::device::bulk_store_add(of.memory, of.tiles[0], of.size());
    else
      cudasync::device::bulk_store(of.memory, of.tiles[0], of.size());
    cudasync::device::bulk_commit();
    cudasync::device::bulk_wait();
  }
  static __device__ bool is_wrong(const table& of, unsigned round, unsigned index, unsigned) {
    return of.memory[index] != (Adds ? table::value(round, index) + 7 : 7);
  }
};

struct read_then_store_over : shape {
  static constexpr const char *name = "ordinary read, bulk store over it", *fence = "fence.proxy.async";
  static constexpr bool accessing_block_checks = true;
  static __device__ void prepare(const table& of, unsigned round) {
    of.for_each_word([&](unsigned index, unsigned) { of.tiles[round % 2][index] = table::value(round + 1, index); });
    cudasync::device::fence_before_bulk_copy();
  }
  static __device__ void access(const table& of, unsigned) {
    of.for_each_word([&](unsigned index, unsigned number) { of.read[number] = of.memory[index]; });
  }
  template <bool IsStrong>
  static __device__ void copy(const table& of, unsigned round) {
    fence_of_global_memory<IsStrong>();
    cudasync::device::bulk_store(of.memory, of.tiles[round % 2], of.size());
    cudasync::device::bulk_commit();
    cudasync::device::bulk_wait();
  }
  static __device__ bool is_wrong(const table& of, unsigned round, unsigned index, unsigned number) {
    return round != 0 && of.read[number] != table::value(round, index);
  }
};

struct store_then_read : shape {
  static constexpr const char *name = "bulk store, ordinary read of it", *fence = "bulk_wait";
  static constexpr bool accessing_block_checks = true;
  static __device__ void prepare(const table& of, unsigned round) {
    of.for_each_word([&](unsigned index, unsigned) { of.tiles[0][index] = table::value(round, index); });
    cudasync::device::fence_before_bulk_copy();
  }
  template <bool IsStrong>
  static __device__ void copy(const table& of, unsigned) {
    cudasync::device::fence_before_bulk_copy();
    cudasync::device::bulk_store(of.memory, of.tiles[0], of.size());
    cudasync::device::bulk_commit();
    if constexpr (IsStrong)
      cudasync::device::bulk_wait();
    else
      cudasync::device::bulk_wait_read();
  }
  static __device__ bool is_wrong(const table& of, unsigned round, unsigned index, unsigned) {
    return of.memory[index] != table::value(round, index);
  }
};

struct load_then_read : shape {
  static constexpr const char *name = "bulk load, ordinary read of it", *fence = "try_wait.acquire";
  static constexpr bool is_in_shared_memory = true, copies_to_tile = true;
  template <bool IsStrong>
  static __device__ void copy(const table& of, unsigned round) {
    cudasync::device::fence_before_bulk_copy();
    const unsigned* const next = of.how.numbers + round % different_tiles * most_words;
    cuda::device::memcpy_async_tx(of.tiles[0], next, of.size(), of.full);
  }
  template <bool IsStrong>
  static __device__ void wait_for_tile(block_barrier& full, bool parity) {
    if constexpr (IsStrong) return full.wait_parity(parity);
    auto* const handle = cuda::device::barrier_native_handle(full);
    while (!cuda::ptx::mbarrier_try_wait_parity(cuda::ptx::sem_relaxed, cuda::ptx::scope_cta, handle, parity)) {
    }
  }
  static __device__ bool is_wrong(const table& of, unsigned round, unsigned index, unsigned) {
    return of.tiles[0][index] != round % different_tiles;
  }
};

#if !defined LITMUS_WITHOUT_TENSOR_MAPS
struct change_map_then_load : shape {
  static constexpr const char *name = "change of a tensor map, bulk load by it", *fence = "fence.proxy.tensormap";
  static constexpr bool copies_to_tile = true, needs_tensor_maps = true;
  static __device__ void access(const table& of, unsigned round) {
    constexpr unsigned words_of_map = sizeof(CUtensorMap) / sizeof(unsigned);
    if (threadIdx.x >= words_of_map) return;
    const CUtensorMap* const next = of.how.maps + round % 2;
    reinterpret_cast<unsigned*>(of.map)[threadIdx.x] = reinterpret_cast<const unsigned*>(next)[threadIdx.x];
    cudasync::device::release_tensor_map();
  }
  template <bool IsStrong>
  static __device__ void copy(const table& of, unsigned) {
    if constexpr (IsStrong) cudasync::device::acquire_tensor_map(of.map);
    cuda::device::experimental::cp_async_bulk_tensor_2d_global_to_shared(of.tiles[0], of.map, 0, 0, of.full);
  }
  static __device__ bool is_wrong(const table& of, unsigned round, unsigned index, unsigned) {
    return of.tiles[0][index] != round % 2;
  }
};
#endif

// --- The game ---

using flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

// From all threads of one block to all threads of the other, or in one block.
template <place Where>
__device__ void hand_over(unsigned* to, unsigned round, bool is_from_here) {
  __syncthreads();
  if (Where == place::block) return;
  if (threadIdx.x == 0) {
    if (is_from_here) flag(*to).store(round + 1, cuda::memory_order_release);
    while (!is_from_here && flag(*to).load(cuda::memory_order_acquire) != round + 1) {
    }
  }
  __syncthreads();
}

__device__ void pause(const playing& how, unsigned which, unsigned round) {
  const unsigned warp = (blockIdx.x * threads + threadIdx.x) / 32;
  for (unsigned pauses = mixed(how.seed + round * 4096 + warp) % (how.delays[which] + 1); pauses > 0; --pauses)
    __nanosleep(0);
}

template <class Shape, place Where, bool IsStrong>
__device__ void play_rounds(const playing& how) {
  alignas(128) __shared__ unsigned tiles[2][most_words];
  __shared__ block_barrier full;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(full));
  const unsigned game = Where == place::block ? blockIdx.x : blockIdx.x / 2;
  const bool accesses = Where == place::block || blockIdx.x % 2 == 0, copies = Where == place::block || !accesses;
  const bool checks = Shape::accessing_block_checks ? accesses : copies;
  unsigned read[loads];
  const table of{how, how.memory + size_t{game} * most_words, how.own_maps + game, tiles, full, read};
  unsigned* const flags = how.flags + size_t{game} * 2 * line;
  unsigned forbidden = 0;
  for (unsigned round = 0; round < how.rounds; ++round) {
    if (copies) Shape::prepare(of, round);
    if (accesses) {
      pause(how, 0, round);
      Shape::access(of, round);
    }
    hand_over<Where>(flags, round, accesses);
    if (copies) {
      if (threadIdx.x == 0) {
        pause(how, 1, round);
        if (Shape::copies_to_tile)
          static_cast<void>(cuda::device::barrier_arrive_tx(full, 1, static_cast<long>(of.size())));
        if (Shape::copies_to_tile &&
            !Shape::is_in_shared_memory)  // those who checked the last round have read the tile
          cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
        Shape::template copy<IsStrong>(of, round);
      }
      if (Shape::copies_to_tile) Shape::template wait_for_tile<IsStrong>(full, round % 2 != 0);
    }
    if (Shape::accessing_block_checks) hand_over<Where>(flags + line, round, copies);
    if (!Shape::copies_to_tile) __syncthreads();
    bool is_wrong = false;
    if (checks)
      of.for_each_word([&](unsigned index, unsigned number) { is_wrong |= Shape::is_wrong(of, round, index, number); });
    if (__syncthreads_or(is_wrong ? 1 : 0) != 0) ++forbidden;
    if (!Shape::accessing_block_checks) hand_over<Where>(flags + line, round, copies);
  }
  if (threadIdx.x == 0) cudasync::device::bulk_wait();
  if (threadIdx.x == 0 && forbidden != 0) atomicAdd(how.forbidden, static_cast<unsigned long long>(forbidden));
}

template <class Shape, place Where, bool IsStrong, class Here = cudasync::target::here>
__device__ void play_if_possible(const playing& how) {
  if constexpr (!cudasync::target::lacks<Here, cudasync::target::sm90>) play_rounds<Shape, Where, IsStrong>(how);
}
template <class Shape, place Where, bool IsStrong>
__global__ void __launch_bounds__(threads) play(const playing how) {
  play_if_possible<Shape, Where, IsStrong>(how);
}

// --- The counts ---

#if !defined LITMUS_WITHOUT_TENSOR_MAPS
CUtensorMap map_of(const unsigned* tile) {
  constexpr unsigned columns = 32, rows = most_words / columns;
  return tensor_map_of(reinterpret_cast<const int*>(tile), {{columns, rows}, {columns, rows}});
}
#endif

// Memory for the largest launch.
class all_tables {
 public:
  all_tables(unsigned blocks, [[maybe_unused]] bool has_maps)
      : blocks_(blocks), memory_(size_t{blocks} * most_words), numbers_(numbered_tiles()), own_maps_(blocks),
        flags_(size_t{blocks} * 2 * line), forbidden_(1) {
#if !defined LITMUS_WITHOUT_TENSOR_MAPS
    if (has_maps)
      maps_.reset(
          new gpu_test::device_array<CUtensorMap>({map_of(numbers_.get()), map_of(numbers_.get() + most_words)}));
#endif
  }

  // Returns the runs, and those with the forbidden outcome.
  std::pair<unsigned long long, unsigned long long> count(void (*kernel)(playing), bool needs_maps, place where,
                                                          unsigned long long least_runs, random_numbers& random) {
    unsigned long long runs = 0;
    while (runs < least_runs) {
      const playing how = random_playing(needs_maps, random);
      gpu_test::expect_success(cudaMemsetAsync(flags_.get(), 0, size_t{blocks_} * 2 * line * sizeof(unsigned)),
                               "clear");
      gpu_test::run(kernel, {blocks_, threads}, how);
      runs += (where == place::block ? blocks_ : blocks_ / 2) * how.rounds;
    }
    const unsigned long long forbidden = forbidden_.values()[0];
    gpu_test::expect_success(cudaMemset(forbidden_.get(), 0, sizeof forbidden), "clear");
    return {runs, forbidden};
  }

 private:
  static std::vector<unsigned> numbered_tiles() {
    std::vector<unsigned> values(different_tiles * most_words);
    for (unsigned index = 0; index < values.size(); ++index)
      values[index] = index / most_words;
    return values;
  }

  playing random_playing(bool needs_maps, random_numbers& random) const {
    const auto one_of = [&](auto... each) {
      const unsigned values[] = {static_cast<unsigned>(each)...};
      return values[random.next() % sizeof...(each)];
    };
    playing how = {};
    how.rounds = fuzz::settings("CUDASYNC_LITMUS_ROUNDS", 200);
    how.words = needs_maps ? most_words : one_of(32, 128, 512, most_words);
    how.in_one_bank = one_of(0, 1) == 1;
    how.delays[0] = one_of(0, 0, 4, 32);
    how.delays[1] = one_of(0, 0, 4, 32);
    how.seed = static_cast<unsigned>(random.next());
    how.memory = memory_.get();
    how.numbers = numbers_.get();
    how.maps = maps_ ? maps_->get() : nullptr;
    how.own_maps = own_maps_.get();
    how.flags = flags_.get();
    how.forbidden = forbidden_.get();
    return how;
  }

  unsigned blocks_;
  gpu_test::device_array<unsigned> memory_, numbers_;
  gpu_test::device_array<CUtensorMap> own_maps_;
  gpu_test::device_array<unsigned> flags_;
  gpu_test::device_array<unsigned long long> forbidden_;
  std::unique_ptr<gpu_test::device_array<CUtensorMap>> maps_;
};

// CUDASYNC_LITMUS_RUNS: of each row, at least; CUDASYNC_LITMUS_TWINS=0: not without the fences; CUDASYNC_LITMUS_JSON: a file to
// which the rows are added, a JSON object a line.
template <class Shape, place Where>
void add_row() {
  SKIP_IF(gpu_test::attribute(cudaDevAttrComputeCapabilityMajor) < 9, "requires sm_90");
  const unsigned resident = std::min(gpu_test::resident_blocks(play<Shape, Where, true>, threads),
                                     gpu_test::resident_blocks(play<Shape, Where, false>, threads));
  all_tables tables(std::min(resident, fuzz::settings("CUDASYNC_LITMUS_BLOCKS", resident)) / 2 * 2,
                    Shape::needs_tensor_maps);
  random_numbers random(fuzz::settings("CUDASYNC_LITMUS_SEED", 1));
  const unsigned least_runs = fuzz::settings("CUDASYNC_LITMUS_RUNS", 500000);
  const auto count = [&](auto* kernel) {
    return tables.count(kernel, Shape::needs_tensor_maps, Where, least_runs, random);
  };
  const auto [runs, forbidden] = count(play<Shape, Where, true>);
  unsigned long long twin_runs = 0, seen = 0;
  if (fuzz::settings("CUDASYNC_LITMUS_TWINS", 1) != 0) std::tie(twin_runs, seen) = count(play<Shape, Where, false>);
  const char* const where = name_of[static_cast<unsigned>(Where)];
  printf("%s, %s: %llu runs with %s: %llu forbidden; %llu without: seen %llu\n", Shape::name, where, runs, Shape::fence,
         forbidden, twin_runs, seen);
  CHECK(forbidden == 0);
  const char* const path = getenv("CUDASYNC_LITMUS_JSON");
  if (path == nullptr) return;
  FILE* const file = fopen(path, "a");
  CHECK(file != nullptr);
  if (file == nullptr) return;
  cudaDeviceProp properties;
  gpu_test::expect_success(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  fprintf(
      file,
      "{\"gpu\": \"%s\", \"accesses\": \"%s\", \"place\": \"%s\", \"order\": \"%s\", \"runs\": %llu, \"forbidden\": %llu, "
      "\"twin_runs\": %llu, \"seen\": %llu}\n",
      properties.name, Shape::name, where, Shape::fence, runs, forbidden, twin_runs, seen);
  fclose(file);
}

TEST(write_then_load_in_a_block) {
  add_row<write_then_load, place::block>();
}
TEST(write_then_load_in_two_blocks) {
  add_row<write_then_load, place::blocks>();
}
TEST(write_then_store_in_a_block) {
  add_row<write_then_store, place::block>();
}
TEST(read_then_load_in_a_block) {
  add_row<read_then_load, place::block>();
}
TEST(write_then_store_over_in_a_block) {
  add_row<write_then_store_over<false>, place::block>();
}
TEST(write_then_store_over_in_two_blocks) {
  add_row<write_then_store_over<false>, place::blocks>();
}
TEST(write_then_add_in_a_block) {
  add_row<write_then_store_over<true>, place::block>();
}
TEST(write_then_add_in_two_blocks) {
  add_row<write_then_store_over<true>, place::blocks>();
}
TEST(read_then_store_over_in_a_block) {
  add_row<read_then_store_over, place::block>();
}
TEST(read_then_store_over_in_two_blocks) {
  add_row<read_then_store_over, place::blocks>();
}
TEST(store_then_read_in_a_block) {
  add_row<store_then_read, place::block>();
}
TEST(store_then_read_in_two_blocks) {
  add_row<store_then_read, place::blocks>();
}
TEST(load_then_read_in_a_block) {
  add_row<load_then_read, place::block>();
}
#if !defined LITMUS_WITHOUT_TENSOR_MAPS
TEST(change_map_then_load_in_a_block) {
  add_row<change_map_then_load, place::block>();
}
TEST(change_map_then_load_in_two_blocks) {
  add_row<change_map_then_load, place::blocks>();
}
#endif

}  // namespace

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
