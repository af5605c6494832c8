// Random sequences of instructions, whose results are those of a sequential reference: on the machine and on a GPU alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "instructions.h"

#include "../support/gpu_test.h"
#include "settings.h"

#include <cudasync/core/bits.h>
#include <cudasync/ptx/arithmetic.h>
#include <cudasync/ptx/atom.h>
#include <cudasync/ptx/bar.h>
#include <cudasync/ptx/barrier_cluster.h>
#include <cudasync/ptx/cp_async.h>
#include <cudasync/ptx/cp_async_bulk.h>
#include <cudasync/ptx/cp_reduce_async_bulk.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/ld_st.h>
#include <cudasync/ptx/mbarrier.h>
#include <cudasync/ptx/mbarrier_qualified.h>
#include <cudasync/ptx/red.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/ptx/tags.h>

using namespace instructions;
namespace ptx = cudasync::ptx;

namespace {

struct atomic_words {
  uint64_t wide;
  double real;
  uint32_t word;
  float single;
  uint32_t halves, brains;
  uint16_t half, brain, small;
};

struct global_memory {
  uint32_t stored[2][tile_words];
  atomic_words own;
};

struct alignas(128) shared_memory {
  uint32_t tile[tile_words];
  uint32_t cells[threads][8];
  uint64_t bars[barriers], states[barriers][threads];
  uint32_t channel[32];
  atomic_words own;
};

template <class Value>
__device__ uint64_t bits_of(Value value) {
  uint64_t result = 0;
  memcpy(&result, &value, sizeof value);
  return result;
}
template <class Value>
__device__ Value value_of(uint64_t bits) {
  Value result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

// --- Atomics ---

// How a kind of memory is addressed, with the order and the scope that these tests use there.
struct in_global {
  static constexpr ptx::sem_relaxed_t order{};
  static constexpr ptx::scope_gpu_t scope{};
  template <class Value>
  static __device__ auto to(Value* word) {
    return ptx::to_global_pointer(word);
  }
};
struct in_shared {
  static constexpr ptx::sem_acquire_t order{};
  static constexpr ptx::scope_cta_t scope{};
  template <class Value>
  static __device__ auto to(Value* word) {
    return ptx::to_shared_pointer(word);
  }
};
struct anywhere {
  static constexpr ptx::sem_acq_rel_t order{};
  static constexpr ptx::scope_cluster_t scope{};
  template <class Value>
  static __device__ auto to(Value* word) {
    return ptx::to_generic_pointer(word);
  }
};

//               case     type      word    tag
#define EACH_OPERATION(ROW)                         \
  ROW(add_u32, uint32_t, word, op_add_t)            \
  ROW(min_u32, uint32_t, word, op_min_t)            \
  ROW(min_s32, int32_t, word, op_min_t)             \
  ROW(max_u32, uint32_t, word, op_max_t)            \
  ROW(max_s32, int32_t, word, op_max_t)             \
  ROW(and_b32, uint32_t, word, op_and_op_t)         \
  ROW(or_b32, uint32_t, word, op_or_op_t)           \
  ROW(xor_b32, uint32_t, word, op_xor_op_t)         \
  ROW(add_u64, cudasync::uint64, wide, op_add_t)    \
  ROW(min_u64, cudasync::uint64, wide, op_min_t)    \
  ROW(min_s64, cudasync::int64, wide, op_min_t)     \
  ROW(max_u64, cudasync::uint64, wide, op_max_t)    \
  ROW(max_s64, cudasync::int64, wide, op_max_t)     \
  ROW(and_b64, cudasync::uint64, wide, op_and_op_t) \
  ROW(or_b64, cudasync::uint64, wide, op_or_op_t)   \
  ROW(xor_b64, cudasync::uint64, wide, op_xor_op_t) \
  ROW(add_f32, float, single, op_add_t)             \
  ROW(add_f64, double, real, op_add_t)              \
  ROW(add_f16, uint16_t, half, op_add_f16_t)        \
  ROW(add_bf16, uint16_t, brain, op_add_bf16_t)
#define EACH_ADDITION_OF_TWO(ROW)                  \
  ROW(add_f16x2, uint32_t, halves, op_add_f16x2_t) \
  ROW(add_bf16x2, uint32_t, brains, op_add_bf16x2_t)
#define EACH_EXCHANGE(ROW)      \
  ROW(exch_b32, uint32_t, word) \
  ROW(exch_b64, cudasync::uint64, wide)
#define EACH_COMPARE_EXCHANGE(ROW)     \
  ROW(cas_b32, uint32_t, word)         \
  ROW(cas_b64, cudasync::uint64, wide) \
  ROW(cas_b16, uint16_t, small)

// Outside of global memory a loop, as in backend/atomic/fetch_device.h.
template <class Place, class Tag>
__device__ uint32_t add_two(Tag tag, uint32_t* word, uint32_t value) {
  if constexpr (std::is_same_v<Place, in_global>) {
    return ptx::atom(Place::order, Place::scope, tag, Place::to(word), value);
  } else {
    uint32_t before = ptx::ld(ptx::sem_relaxed, Place::scope, Place::to(word));
    while (true) {
      const uint32_t after = ptx::add(tag, before, value);
      const uint32_t seen = ptx::atom(Place::order, Place::scope, ptx::op_cas_t{}, Place::to(word), before, after);
      if (seen == before) return before;
      before = seen;
    }
  }
}

template <class Place>
__device__ uint64_t do_atomic(atomic_words& at, const step& now) {
  switch (now.object) {
#define ROW(CASE, VALUE, WORD, TAG) \
  case CASE:                        \
    return add_two<Place>(ptx::TAG{}, &at.WORD, value_of<VALUE>(now.value));
    EACH_ADDITION_OF_TWO(ROW)
#undef ROW
#define ROW(CASE, VALUE, WORD, TAG)                                                                                 \
  case CASE:                                                                                                        \
    return bits_of(ptx::atom(Place::order, Place::scope, ptx::TAG{}, Place::to(reinterpret_cast<VALUE*>(&at.WORD)), \
                             value_of<VALUE>(now.value)));
    EACH_OPERATION(ROW)
#undef ROW
#define ROW(CASE, VALUE, WORD)                                             \
  case CASE:                                                               \
    return bits_of(ptx::atom(Place::order, Place::scope, ptx::op_exch_t{}, \
                             Place::to(reinterpret_cast<VALUE*>(&at.WORD)), value_of<VALUE>(now.value)));
    EACH_EXCHANGE(ROW)
#undef ROW
#define ROW(CASE, VALUE, WORD)                                                                          \
  case CASE:                                                                                            \
    return bits_of(ptx::atom(Place::order, Place::scope, ptx::op_cas_t{},                               \
                             Place::to(reinterpret_cast<VALUE*>(&at.WORD)), value_of<VALUE>(now.other), \
                             value_of<VALUE>(now.value)));
    EACH_COMPARE_EXCHANGE(ROW)
#undef ROW
  default:
    return 0;
  }
}
__device__ void reduce(atomic_words& at, const step& now) {
  switch (now.object) {
#define ROW(CASE, VALUE, WORD, TAG)                               \
  case CASE:                                                      \
    return ptx::red(ptx::sem_release, ptx::scope_gpu, ptx::TAG{}, \
                    ptx::to_global_pointer(reinterpret_cast<VALUE*>(&at.WORD)), value_of<VALUE>(now.value));
    EACH_OPERATION(ROW)
    EACH_ADDITION_OF_TWO(ROW)
#undef ROW
  default:
    return;
  }
}
__device__ uint64_t read(const atomic_words& at, uint32_t which) {
  switch (which) {
  case field::word:
    return at.word;
  case field::wide:
    return at.wide;
  case field::single:
    return bits_of(at.single);
  case field::real:
    return bits_of(at.real);
  case field::half:
    return at.half;
  case field::halves:
    return at.halves;
  case field::brain:
    return at.brain;
  case field::brains:
    return at.brains;
  default:
    return at.small;
  }
}

// --- One step of one thread ---

struct thread_context {
  shared_memory& shared;
  global_memory& global;
  const uint32_t* source;
  uint32_t rank, other;  // of the blocks

  __device__ uint64_t run(const step& now);
  __device__ uint64_t run_mbarrier(const step& now);
  __device__ uint64_t run_copy(const step& now);
  __device__ uint64_t run_group(const step& now);

  __device__ ptx::shared_address bar(const step& now) const { return ptx::to_shared(&shared.bars[now.object]); }
  __device__ ptx::cluster_address remote_bar(const step& now) const { return ptx::mapa(bar(now), other); }
  __device__ uint64_t kept(const step& now, uint64_t state) const {
    shared.states[now.object][threadIdx.x] = state;
    return ptx::mbarrier_pending_count(state);
  }
};

__device__ uint64_t thread_context::run_mbarrier(const step& now) {
  const uint64_t state = shared.states[now.object][threadIdx.x];
  switch (now.kind) {
  case init:
    ptx::mbarrier_init(bar(now), now.first);
    return 0;
  case invalidate:
    ptx::mbarrier_inval(bar(now));
    shared.bars[now.object] = now.value;
    return 0;
  case arrive:
    return kept(now, ptx::mbarrier_arrive(bar(now)));
  case arrive_count: {
    const uint64_t pending = kept(now, ptx::mbarrier_arrive(bar(now), now.first));
    return now.third != 0 ? 0 : pending;
  }
  case arrive_release_cta:
    return kept(now, ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, bar(now), now.first));
  case arrive_release_cluster:
    return kept(now, ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, bar(now), now.first));
  case arrive_no_complete:
    return kept(now, ptx::mbarrier_arrive_no_complete(bar(now), now.first));
  case arrive_drop:
    return kept(now, ptx::mbarrier_arrive_drop(bar(now)));
  case arrive_drop_count:
    return kept(now, ptx::mbarrier_arrive_drop(bar(now), now.first));
  case arrive_expect_tx:
    return kept(now, ptx::mbarrier_arrive_expect_tx(bar(now), now.first));
  case arrive_drop_expect_tx:
    return kept(now, ptx::mbarrier_arrive_drop_expect_tx(bar(now), now.first));
  case arrive_together:
    static_cast<void>(kept(now, ptx::mbarrier_arrive(bar(now))));
    return 0;
  case arrive_remote:
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, remote_bar(now), now.first);
    return 0;
  case arrive_drop_remote:
    ptx::mbarrier_arrive_drop(ptx::sem_release, ptx::scope_cluster, remote_bar(now), now.first);
    return 0;
  case arrive_expect_tx_remote:
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, remote_bar(now), now.first);
    return 0;
  case expect_tx:
    ptx::mbarrier_expect_tx(bar(now), now.first);
    return 0;
  case expect_tx_remote:
    ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, remote_bar(now), now.first);
    return 0;
  case complete_tx:
    ptx::mbarrier_complete_tx(bar(now), now.first);
    return 0;
  case test_wait:
    return ptx::mbarrier_test_wait(bar(now), state);
  case try_wait:
    return ptx::mbarrier_try_wait(bar(now), state);
  case try_wait_hint:
    return ptx::mbarrier_try_wait(bar(now), state, 100u);
  case test_wait_parity:
    return ptx::mbarrier_test_wait_parity(bar(now), now.first);
  case try_wait_parity:
    return ptx::mbarrier_try_wait_parity(bar(now), now.first);
  case try_wait_parity_hint:
    return ptx::mbarrier_try_wait_parity(bar(now), now.first, 100u);
  default:
    return ptx::mbarrier_try_wait_until_parity(bar(now), now.first);
  }
}

__device__ uint64_t thread_context::run_copy(const step& now) {
  const uint32_t own = threadIdx.x;
  uint32_t* const cells = shared.cells[own];
  const uint32_t* const from = source + (now.first + own) * 4;
  switch (now.kind) {
  case bulk_load:
    ptx::cp_async_bulk(ptx::to_shared(&shared.tile[now.first]), source + now.second, now.third, bar(now));
    return 0;
  case bulk_load_multicast:
    ptx::cp_async_bulk(ptx::to_cluster(&shared.tile[now.first]), source + now.second, now.third,
                       ptx::cluster_address(bar(now)), static_cast<uint16_t>(3));
    return 0;
  case bulk_copy_to_block:
    ptx::cp_async_bulk(ptx::mapa(ptx::to_shared(&shared.tile[now.first]), other),
                       ptx::to_shared(&shared.tile[now.second]), now.third, remote_bar(now));
    return 0;
  case bulk_store:
    ptx::cp_async_bulk(&global.stored[rank][now.first], ptx::to_shared(&shared.tile[now.second]), now.third);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group<0>();
    return 0;
  case bulk_store_add:
    ptx::cp_reduce_async_bulk_add(&global.stored[rank][now.first], ptx::to_shared(&shared.tile[now.second]), now.third);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group<0>();
    return 0;
  case read_tile:
    return shared.tile[own] | uint64_t{shared.tile[own + threads]} << 32;
  case write_tile:
    for (uint32_t index = own; index < tile_words; index += threads)
      shared.tile[index] = static_cast<uint32_t>(now.value * (index + 1) >> 32);
    return 0;
  case read_stored:
    return global.stored[rank][own] | uint64_t{global.stored[rank][own + threads]} << 32;
  case cp_async_groups: {
    ptx::cp_async(ptx::n32_t<16>{}, ptx::to_shared(cells), from);
    ptx::cp_async_commit_group();
    ptx::cp_async(ptx::n32_t<8>{}, ptx::to_shared(cells + 4), from + 4);
    ptx::cp_async_commit_group();
    ptx::cp_async(ptx::n32_t<4>{}, ptx::to_shared(cells + 6), from + 7);
    ptx::cp_async_commit_group();
    if (now.second == 0) ptx::cp_async_wait_group<0>();
    if (now.second == 1) ptx::cp_async_wait_group<1>();
    if (now.second == 2) ptx::cp_async_wait_group<2>();
    uint64_t result = cells[0] + uint64_t{3} * cells[3];
    if (now.second < 2) result += uint64_t{5} * cells[4] + uint64_t{7} * cells[5];
    if (now.second < 1) result += uint64_t{9} * cells[6];
    ptx::cp_async_wait_all();
    return result;
  }
  case cp_async_arrive:
    ptx::cp_async(ptx::n32_t<16>{}, ptx::to_shared(cells), from);
    ptx::cp_async_mbarrier_arrive(bar(now));
    return 0;
  case cp_async_arrive_noinc:
    ptx::cp_async(ptx::n32_t<16>{}, ptx::to_shared(cells), from);
    ptx::cp_async_mbarrier_arrive_noinc(bar(now));
    return 0;
  default:
    return cells[0] | uint64_t{cells[3]} << 32;
  }
}

__device__ uint64_t thread_context::run_group(const step& now) {
  const uint32_t own = threadIdx.x, lane = own % 32;
  const uint32_t mask = static_cast<uint32_t>(now.lanes >> (own - lane));
  const uint32_t count = static_cast<uint32_t>(__popcll(now.lanes));
  const bool predicate = (now.value >> own & 1) != 0;
  switch (now.kind) {
  case bar_popc:
    return ptx::barrier_red_popc(now.object, count, predicate);
  case bar_and:
    return ptx::barrier_red_and(now.object, count, predicate);
  case bar_or:
    return ptx::barrier_red_or(now.object, count, predicate);
  case bar_channel:
    if (own < 32) {
      shared.channel[own] = static_cast<uint32_t>(now.value * (own + 1));
      ptx::barrier_arrive(now.object, threads);
      return 0;
    }
    ptx::barrier_sync(now.object, threads);
    return shared.channel[31 - lane];
  case shuffle:
    return __shfl_sync(mask, static_cast<uint32_t>(now.value) * (own + 1), static_cast<int>(now.first));
  case vote_ballot:
    return __ballot_sync(mask, predicate);
  case vote_any:
    return __any_sync(mask, predicate) != 0;
  case vote_all:
    return __all_sync(mask, predicate) != 0;
  case match_any:
    return __match_any_sync(mask, static_cast<uint32_t>(now.value >> (2 * lane % 30) & 3));
  case elect:
    return static_cast<uint64_t>(__popc(__ballot_sync(mask, ptx::elect_sync(mask))));
  default:
    ptx::fence(ptx::sem_sc, ptx::scope_gpu);
    ptx::fence(ptx::sem_acq_rel, ptx::scope_cta);
    ptx::fence(ptx::sem_acq_rel, ptx::scope_cluster);
    ptx::fence(ptx::sem_acq_rel, ptx::scope_sys);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::fence_proxy_async(ptx::space_global);
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::fence_proxy_async(ptx::space_cluster);
    return 0;
  }
}

__device__ uint64_t thread_context::run(const step& now) {
  if (now.kind <= await_parity) return run_mbarrier(now);
  if (now.kind <= read_cells) return run_copy(now);
  if (now.kind <= fences) return run_group(now);
  uint64_t old = 0;
  if (now.kind == read_word) return read(now.first != 0 ? global.own : shared.own, now.object);
  if (now.kind == atomic_global) old = do_atomic<in_global>(global.own, now);
  if (now.kind == atomic_shared) old = do_atomic<in_shared>(shared.own, now);
  if (now.kind == atomic_generic) old = do_atomic<anywhere>(now.second != 0 ? global.own : shared.own, now);
  if (now.kind == atomic_remote)
    old = do_atomic<anywhere>(*static_cast<atomic_words*>(__cluster_map_shared_rank(&shared.own, other)), now);
  if (now.kind == reduction) reduce(global.own, now);
  return now.first != 0 ? old : 0;
}

__global__ void __launch_bounds__(threads)
    run_steps(const step* steps, uint32_t count, const uint32_t* source, global_memory* global, uint64_t* log) {
  __shared__ shared_memory shared;
  const uint32_t own = threadIdx.x, rank = blockIdx.x, blocks = gridDim.x;
  if (own == 0) memset(&shared.own, 0, sizeof shared.own);
  thread_context context{shared, *global, source, rank, blocks - 1 - rank};
  for (uint32_t index = 0; index < count; ++index) {
    // No thread's accesses of the last step remain unordered, and none of the copy engine's.
    ptx::fence_proxy_async();
    __syncwarp();
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    const step now = steps[index];
    if ((now.block == 2 || now.block == rank) && (now.lanes >> own & 1) != 0)
      log[(index * blocks + rank) * threads + own] = context.run(now);
  }
  ptx::barrier_cluster_arrive(ptx::sem_release);  // no block ends while the other may access its memory
  ptx::barrier_cluster_wait(ptx::sem_acquire);
}

uint64_t hash(const std::vector<uint64_t>& log) {
  uint64_t result = 0xcbf29ce484222325;
  for (const uint64_t each : log)
    result = (result ^ each) * 0x100000001b3;
  return result;
}

std::vector<unsigned> covered(kinds_of_steps), covered_operations(operations);

void print(const step& at, size_t number) {
  printf("step %zu: %s, block %u, threads %016llx, object %u, %u %u %u, %#llx %#llx\n", number, name_of[at.kind],
         at.block, static_cast<unsigned long long>(at.lanes), at.object, at.first, at.second, at.third,
         static_cast<unsigned long long>(at.value), static_cast<unsigned long long>(at.other));
}

// CUDASYNC_FUZZ_PRINT=1 prints the steps, 2 also what each thread has logged.
void run_seed(uint64_t seed) {
  const uint32_t blocks = seed % 3 == 0 ? 1 : 2, detail = fuzz::settings("CUDASYNC_FUZZ_PRINT", 0);
  const sequence made(seed, blocks, fuzz::settings("CUDASYNC_FUZZ_STEPS", 150));
  for (size_t number = 0; number < made.steps.size(); ++number) {
    const step& each = made.steps[number];
    ++covered[each.kind];
    if (each.kind >= atomic_global && each.kind <= reduction) ++covered_operations[each.object];
    if (detail > 0) print(each, number);
  }
  const gpu_test::device_array<step> steps(made.steps);
  const gpu_test::device_array<uint32_t> source(made.source);
  const gpu_test::device_array<global_memory> global(1);
  const gpu_test::device_array<uint64_t> log(made.expected.size());
  gpu_test::shape how{blocks, threads};
  how.cluster = blocks;
  gpu_test::run(run_steps, how, steps.get(), static_cast<uint32_t>(made.steps.size()), source.get(), global.get(),
                log.get());
  const std::vector<uint64_t> found = log.values();
  unsigned different = 0;
  for (size_t index = 0; index < found.size(); ++index) {
    const size_t number = index / threads / blocks;
    const bool is_wrong = found[index] != made.expected[index];
    if ((is_wrong && different < 10) || (detail > 1 && (made.steps[number].lanes >> index % threads & 1) != 0)) {
      if (is_wrong && detail == 0) print(made.steps[number], number);
      printf("seed %llu, step %zu, block %zu, thread %zu: %#llx, expected %#llx\n",
             static_cast<unsigned long long>(seed), number, index / threads % blocks, index % threads,
             static_cast<unsigned long long>(found[index]), static_cast<unsigned long long>(made.expected[index]));
    }
    different += is_wrong;
  }
  CHECK(different == 0);
  printf("seed %llu: %zu steps, log %016llx\n", static_cast<unsigned long long>(seed), made.steps.size(),
         static_cast<unsigned long long>(hash(found)));
}

TEST(random_instructions_return_what_the_manual_says) {
  fuzz::for_each_seed(fuzz::corpus_of_instructions, run_seed);
}

// With the seeds of the corpus.
TEST(every_instruction_is_covered) {
  SKIP_IF(!fuzz::is_corpus(), "other seeds");
  for (uint32_t kind = 0; kind < kinds_of_steps; ++kind)
    if (covered[kind] == 0) {
      printf("no seed has %s\n", name_of[kind]);
      CHECK(false);
    }
  for (const unsigned times : covered_operations)
    CHECK(times != 0);
}

}  // namespace

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
