// Random sequences of instructions, and what each must return: a sequential reference that follows the PTX manual.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_FUZZ_INSTRUCTIONS_H
#define CUDASYNC_TEST_FUZZ_INSTRUCTIONS_H

#include "../support/atomic_history.h"

#include <stdint.h>

#include <array>
#include <vector>

// All threads synchronize between two steps, and within a step the result of each thread is independent of the order of
// the threads. So there is one right log. Nothing here knows how the machine or the library works.
namespace instructions {

constexpr uint32_t threads = 64, barriers = 4, tile_words = 128, source_words = 1024;

enum what : uint32_t {
  init,
  invalidate,
  arrive,
  arrive_count,
  arrive_release_cta,
  arrive_release_cluster,
  arrive_no_complete,
  arrive_drop,
  arrive_drop_count,
  arrive_expect_tx,
  arrive_drop_expect_tx,
  arrive_together,
  arrive_remote,
  arrive_drop_remote,
  arrive_expect_tx_remote,
  expect_tx,
  expect_tx_remote,
  complete_tx,
  test_wait,
  try_wait,
  try_wait_hint,
  test_wait_parity,
  try_wait_parity,
  try_wait_parity_hint,
  await_parity,
  bulk_load,
  bulk_load_multicast,
  bulk_copy_to_block,
  bulk_store,
  bulk_store_add,
  read_tile,
  write_tile,
  read_stored,
  cp_async_groups,
  cp_async_arrive,
  cp_async_arrive_noinc,
  read_cells,
  bar_popc,
  bar_and,
  bar_or,
  bar_channel,
  shuffle,
  vote_ballot,
  vote_any,
  vote_all,
  match_any,
  elect,
  fences,
  atomic_global,
  atomic_shared,
  atomic_generic,
  atomic_remote,
  reduction,
  read_word,
  kinds_of_steps
};

constexpr const char* name_of[] = {"mbarrier.init",
                                   "mbarrier.inval",
                                   "mbarrier.arrive",
                                   "mbarrier.arrive count",
                                   "mbarrier.arrive.release.cta",
                                   "mbarrier.arrive.release.cluster",
                                   "mbarrier.arrive.noComplete",
                                   "mbarrier.arrive_drop",
                                   "mbarrier.arrive_drop count",
                                   "mbarrier.arrive.expect_tx",
                                   "mbarrier.arrive_drop.expect_tx",
                                   "mbarrier.arrive of several lanes",
                                   "mbarrier.arrive of another block",
                                   "mbarrier.arrive_drop of another block",
                                   "mbarrier.arrive.expect_tx of another block",
                                   "mbarrier.expect_tx",
                                   "mbarrier.expect_tx of another block",
                                   "mbarrier.complete_tx",
                                   "mbarrier.test_wait",
                                   "mbarrier.try_wait",
                                   "mbarrier.try_wait with a limit",
                                   "mbarrier.test_wait.parity",
                                   "mbarrier.try_wait.parity",
                                   "mbarrier.try_wait.parity with a limit",
                                   "mbarrier.try_wait.parity until true",
                                   "cp.async.bulk global to shared",
                                   "cp.async.bulk.multicast",
                                   "cp.async.bulk to another block",
                                   "cp.async.bulk shared to global",
                                   "cp.reduce.async.bulk",
                                   "read the tile",
                                   "write the tile",
                                   "read what was stored",
                                   "cp.async groups",
                                   "cp.async.mbarrier.arrive",
                                   "cp.async.mbarrier.arrive.noinc",
                                   "read the cells",
                                   "barrier.red.popc",
                                   "barrier.red.and",
                                   "barrier.red.or",
                                   "barrier.arrive and barrier.sync",
                                   "shfl.sync",
                                   "vote.ballot",
                                   "vote.any",
                                   "vote.all",
                                   "match.any",
                                   "elect.sync",
                                   "fences",
                                   "atom.global",
                                   "atom.shared",
                                   "atom",
                                   "atom of another block's memory",
                                   "red.global",
                                   "read the atomic word"};
static_assert(sizeof name_of / sizeof *name_of == kinds_of_steps);

//                 operation, the word that it changes
#define INSTRUCTIONS_ATOMICS(ROW) \
  ROW(add_u32, word)              \
  ROW(min_u32, word)              \
  ROW(min_s32, word)              \
  ROW(max_u32, word)              \
  ROW(max_s32, word)              \
  ROW(and_b32, word)              \
  ROW(or_b32, word)               \
  ROW(xor_b32, word)              \
  ROW(exch_b32, word)             \
  ROW(cas_b32, word)              \
  ROW(add_u64, wide)              \
  ROW(min_u64, wide)              \
  ROW(min_s64, wide)              \
  ROW(max_u64, wide)              \
  ROW(max_s64, wide)              \
  ROW(and_b64, wide)              \
  ROW(or_b64, wide)               \
  ROW(xor_b64, wide)              \
  ROW(exch_b64, wide)             \
  ROW(cas_b64, wide)              \
  ROW(add_f32, single)            \
  ROW(add_f64, real)              \
  ROW(add_f16, half)              \
  ROW(add_f16x2, halves)          \
  ROW(add_bf16, brain)            \
  ROW(add_bf16x2, brains)         \
  ROW(cas_b16, small)

enum operation : uint32_t {
#define INSTRUCTIONS_ROW(NAME, WORD) NAME,
  INSTRUCTIONS_ATOMICS(INSTRUCTIONS_ROW)
#undef INSTRUCTIONS_ROW
      operations
};

enum field : uint32_t { word, wide, single, real, half, halves, brain, brains, small, fields };

struct step {
  uint32_t kind;    // what
  uint32_t block;   // of the cluster; 2: both
  uint64_t lanes;   // the threads of the block that execute it
  uint32_t object;  // barrier, operation, or field
  uint32_t first, second, third;
  uint64_t value, other;
};

struct mbarrier {
  bool is_valid = false;
  uint32_t expected = 0, pending = 0, phase = 0;
  int64_t bytes = 0;      // expected and not yet arrived
  int64_t in_flight = 0;  // of these, the bytes of copies that have been started

  void settle() {
    if (pending != 0 || bytes != 0) return;
    ++phase;
    pending = expected;
  }
  void arrive(uint32_t count) {
    pending -= count;
    settle();
  }
  bool is_complete(uint32_t of_phase) const { return of_phase < phase; }
  bool is_parity_complete(uint32_t parity) const { return (phase & 1) != parity; }
};

// Numbers in half precision and bfloat16 that are small integers.
inline uint32_t bits_of_small(int number, int mantissa, int bias) {
  if (number == 0) return 0;
  const uint32_t sign = number < 0 ? 0x8000 : 0;
  const auto size = static_cast<uint32_t>(number < 0 ? -number : number);
  int exponent = 0;
  while (size >> (exponent + 1) != 0)
    ++exponent;
  const uint32_t fraction = (size << (mantissa - exponent)) & ((1u << mantissa) - 1);
  return sign | static_cast<uint32_t>(exponent + bias) << mantissa | fraction;
}
inline uint32_t half_bits(int number) {
  return bits_of_small(number, 10, 15);
}
inline uint32_t brain_bits(int number) {
  return bits_of_small(number, 7, 127);
}

// The words of one kind of memory. Floating-point words hold small integers, for which additions are exact.
struct words {
  uint32_t word = 0, small = 0;
  uint64_t wide = 0;
  int single = 0, real = 0, half = 0, brain = 0;
  std::array<int, 2> halves{}, brains{};

  uint64_t bits(uint32_t which) const {
    uint64_t result = 0;
    const auto number32 = static_cast<float>(single);
    const auto number64 = static_cast<double>(real);
    switch (which) {
    case field::word:
      return word;
    case field::wide:
      return wide;
    case field::single:
      memcpy(&result, &number32, 4);
      return result;
    case field::real:
      memcpy(&result, &number64, 8);
      return result;
    case field::half:
      return half_bits(half);
    case field::halves:
      return half_bits(halves[0]) | uint64_t{half_bits(halves[1])} << 16;
    case field::brain:
      return brain_bits(brain);
    case field::brains:
      return brain_bits(brains[0]) | uint64_t{brain_bits(brains[1])} << 16;
    default:
      return small;
    }
  }
};

inline uint32_t field_of(uint32_t which) {
  constexpr uint32_t all[] = {
#define INSTRUCTIONS_ROW(NAME, WORD) field::WORD,
      INSTRUCTIONS_ATOMICS(INSTRUCTIONS_ROW)
#undef INSTRUCTIONS_ROW
  };
  return all[which];
}

// A sequence from a seed, with the log that it must give.
class sequence {
 public:
  sequence(uint64_t seed, uint32_t blocks, uint32_t length) : random_(seed), blocks_(blocks) {
    for (uint32_t index = 0; index < source_words; ++index)
      source.push_back(static_cast<uint32_t>(random_.next()));
    for (uint32_t rank = 0; rank < blocks; ++rank)
      write_whole_tile(rank);
    while (steps.size() < length)
      add_any();
    finish_all();
  }

  std::vector<uint32_t> source;
  std::vector<step> steps;
  std::vector<uint64_t> expected;  // of each step, block and thread

 private:
  struct block {
    mbarrier bars[barriers];
    int64_t phase_of_state[barriers][threads];
    std::vector<uint32_t> tile = std::vector<uint32_t>(tile_words), stored = std::vector<uint32_t>(tile_words);
    std::vector<uint32_t> landing;  // what the tile will hold when the copies have arrived
    bool is_tile_busy = false;
    uint32_t cells[threads][8] = {};
    words own;
    block() {
      for (auto& of_bar : phase_of_state)
        for (int64_t& phase : of_bar)
          phase = -1;
    }
  };

  uint32_t below(uint64_t limit) { return static_cast<uint32_t>(random_.next() % limit); }
  bool coin() { return below(2) != 0; }
  uint32_t small_count(uint32_t most) { return 1 + below(most < 1000 || below(8) == 0 ? most : 3); }
  uint32_t thread() { return below(threads); }
  static uint64_t bit(uint32_t index) { return uint64_t{1} << index; }

  step& add(what kind, uint32_t rank, uint64_t lanes, uint32_t object = 0) {
    steps.push_back({kind, rank, lanes, object, 0, 0, 0, 0, 0});
    expected.resize(expected.size() + blocks_ * threads);
    return steps.back();
  }
  void expect(uint32_t rank, uint32_t of_thread, uint64_t result) {
    expected[((steps.size() - 1) * blocks_ + rank) * threads + of_thread] = result;
  }

  void add_any() {
    const uint32_t rank = below(blocks_);
    switch (below(16)) {
    case 0:
      return add_groups(rank);
    case 1:
      return add_named(rank);
    case 2:
      return add_warp(rank);
    case 3:
    case 4:
    case 5:
      return add_atomic(rank);
    case 6:
      return add_tile(rank);
    case 7:
      add(fences, 2, ~uint64_t{0});
      return;
    default:
      return add_mbarrier(rank, below(barriers));
    }
  }

  // --- mbarriers ---

  void add_init(uint32_t rank, uint32_t index) {
    mbarrier& bar = blocks[rank].bars[index];
    bar = mbarrier();
    bar.is_valid = true;
    const uint32_t bound[] = {2, 8, 40, 1000, (1u << 20) - 1};
    bar.expected = bar.pending = small_count(bound[below(5)]);
    add(init, rank, bit(thread()), index).first = bar.expected;
    for (int64_t& phase : blocks[rank].phase_of_state[index])
      phase = -1;
  }

  void add_mbarrier(uint32_t rank, uint32_t index) {
    mbarrier& bar = blocks[rank].bars[index];
    if (!bar.is_valid) return add_init(rank, index);
    switch (below(8)) {
    case 0:
      return add_load(rank, index);
    case 1:
      if (bar.in_flight == 0 && below(3) == 0) {
        add(invalidate, rank, bit(thread()), index).value = random_.next();
        bar.is_valid = false;
        return;
      }
      return add_bytes(rank, index);
    case 2:
      return add_bytes(rank, index);
    case 3:
    case 4:
      return add_test(rank, index);
    case 5:
      return add_arrivals_by_copies(rank, index);
    default:
      return add_arrival(rank, index);
    }
  }

  // After an operation that leaves only copies under way missing, all threads wait.
  void await_if_due(uint32_t rank, uint32_t index) {
    mbarrier& bar = blocks[rank].bars[index];
    if (bar.in_flight == 0 || bar.pending != 0 || bar.bytes != bar.in_flight) return;
    const uint32_t parity = bar.phase & 1;
    bar.bytes = bar.in_flight = 0;
    bar.settle();
    await(rank, index, parity);
    blocks[rank].tile = blocks[rank].landing;
    blocks[rank].is_tile_busy = false;
    add_read_tile(rank);
  }
  void await(uint32_t rank, uint32_t index, uint32_t parity) {
    add(await_parity, rank, ~uint64_t{0}, index).first = parity;
    for (uint32_t each = 0; each < threads; ++each)
      expect(rank, each, 1);
  }

  // Leaves at least one arrival missing if bytes have come that nobody has expected: whether their expectation would
  // complete the phase, the manual does not say.
  uint32_t most_arrivals(const mbarrier& bar) const {
    return bar.bytes < bar.in_flight ? bar.pending - 1 : bar.pending;
  }

  void note_state(uint32_t rank, uint32_t index, uint32_t of_thread, const mbarrier& before) {
    blocks[rank].phase_of_state[index][of_thread] = before.phase;
    expect(rank, of_thread, before.pending);
  }

  void add_arrival(uint32_t rank, uint32_t index) {
    mbarrier& bar = blocks[rank].bars[index];
    const mbarrier before = bar;
    const uint32_t most = most_arrivals(bar), who = thread();
    if (most == 0) return add_bytes(rank, index);
    const uint32_t droppable = bar.expected - 1 < most ? bar.expected - 1 : most;
    const uint32_t from = blocks_ - 1 - rank;  // the other block, if there is one
    switch (below(10)) {
    case 0: {
      add(arrive, rank, bit(who), index);
      note_state(rank, index, who, before);
      bar.arrive(1);
      break;
    }
    case 1:
    case 2: {
      const what kinds[] = {arrive_count, arrive_release_cta, arrive_release_cluster};
      const uint32_t count = small_count(most);
      add(kinds[below(3)], rank, bit(who), index).first = count;
      note_state(rank, index, who, before);
      bar.arrive(count);
      break;
    }
    case 3: {
      if (bar.pending < 2) return;
      const uint32_t count = small_count(bar.pending - 1);
      add(arrive_no_complete, rank, bit(who), index).first = count;
      note_state(rank, index, who, before);
      bar.arrive(count);
      break;
    }
    case 4: {
      if (droppable == 0) return;
      const bool is_one = coin();
      const uint32_t count = is_one ? 1 : small_count(droppable);
      add(is_one ? arrive_drop : arrive_drop_count, rank, bit(who), index).first = count;
      note_state(rank, index, who, before);
      bar.expected -= count;
      bar.arrive(count);
      break;
    }
    case 5: {
      const bool drops = droppable > 0 && coin();
      const uint32_t bytes = below(3) == 0 || bar.bytes >= 100000 ? 0 : small_count(4096);
      add(drops ? arrive_drop_expect_tx : arrive_expect_tx, rank, bit(who), index).first = bytes;
      note_state(rank, index, who, before);
      bar.bytes += bytes;
      bar.expected -= drops ? 1 : 0;
      bar.arrive(1);
      break;
    }
    case 6:
    case 7: {
      // Lanes of one warp: the hardware makes one arrival of them, whose states are not specified.
      uint64_t lanes = (random_.next() & 0xffffffff) << (coin() ? 32 : 0);
      while (static_cast<uint32_t>(__builtin_popcountll(lanes)) > most)
        lanes &= lanes - 1;
      if (lanes == 0) return;
      add(arrive_together, rank, lanes, index);
      for (uint32_t each = 0; each < threads; ++each)
        if ((lanes & bit(each)) != 0) blocks[rank].phase_of_state[index][each] = before.phase;
      bar.arrive(static_cast<uint32_t>(__builtin_popcountll(lanes)));
      break;
    }
    case 8: {
      if (blocks_ == 1) return;
      const bool drops = droppable > 0 && coin();
      const uint32_t count = small_count(drops ? droppable : most);
      add(drops ? arrive_drop_remote : arrive_remote, from, bit(who), index).first = count;
      bar.expected -= drops ? count : 0;
      bar.arrive(count);
      break;
    }
    default: {
      if (blocks_ == 1 || bar.bytes >= 100000) return;
      const uint32_t bytes = small_count(4096);
      add(arrive_expect_tx_remote, from, bit(who), index).first = bytes;
      bar.bytes += bytes;
      bar.arrive(1);
    }
    }
    await_if_due(rank, index);
  }

  void add_bytes(uint32_t rank, uint32_t index) {
    mbarrier& bar = blocks[rank].bars[index];
    const int64_t missing = bar.bytes - bar.in_flight;
    if (missing > 0 && below(4) != 0) {
      const auto bytes = coin() ? static_cast<uint32_t>(missing) : small_count(static_cast<uint32_t>(missing));
      add(complete_tx, rank, bit(thread()), index).first = bytes;
      bar.bytes -= bytes;
      bar.settle();
    } else if (missing <= 0 && bar.pending > 0 && missing > -4096 && below(3) == 0) {
      const uint32_t bytes = small_count(500);  // before they are expected
      add(complete_tx, rank, bit(thread()), index).first = bytes;
      bar.bytes -= bytes;
    } else if (missing < 4096 && (bar.pending > 0 || bar.bytes > 0)) {
      const bool is_remote = blocks_ > 1 && coin();
      const uint32_t bytes = missing < 0 && coin() ? static_cast<uint32_t>(-missing) : small_count(4096);
      add(is_remote ? expect_tx_remote : expect_tx, is_remote ? 1 - rank : rank, bit(thread()), index).first = bytes;
      bar.bytes += bytes;
    }
    await_if_due(rank, index);
  }

  void add_test(uint32_t rank, uint32_t index) {
    const mbarrier& bar = blocks[rank].bars[index];
    const uint64_t lanes = random_.next() | bit(thread());
    if (coin()) {
      const what kinds[] = {test_wait_parity, try_wait_parity, try_wait_parity_hint};
      const uint32_t parity = below(2);
      add(kinds[below(3)], rank, lanes, index).first = parity;
      for (uint32_t each = 0; each < threads; ++each)
        if ((lanes & bit(each)) != 0) expect(rank, each, bar.is_parity_complete(parity));
      return;
    }
    // A state may be asked about while its phase is the current one or the one before.
    uint64_t with_state = 0;
    for (uint32_t each = 0; each < threads; ++each) {
      const int64_t phase = blocks[rank].phase_of_state[index][each];
      if (phase >= 0 && phase + 1 >= bar.phase) with_state |= bit(each);
    }
    if (with_state == 0) return;
    const what kinds[] = {test_wait, try_wait, try_wait_hint};
    add(kinds[below(3)], rank, with_state, index);
    for (uint32_t each = 0; each < threads; ++each)
      if ((with_state & bit(each)) != 0)
        expect(rank, each, bar.is_complete(static_cast<uint32_t>(blocks[rank].phase_of_state[index][each])));
  }

  // --- Copies ---

  void write_whole_tile(uint32_t rank) {
    step& made = add(write_tile, rank, ~uint64_t{0});
    made.value = random_.next();
    for (uint32_t index = 0; index < tile_words; ++index)
      blocks[rank].tile[index] = static_cast<uint32_t>(made.value * (index + 1) >> 32);
  }
  void add_read_tile(uint32_t rank) {
    add(read_tile, rank, ~uint64_t{0});
    for (uint32_t each = 0; each < threads; ++each)
      expect(rank, each, blocks[rank].tile[each] | uint64_t{blocks[rank].tile[each + threads]} << 32);
  }

  void start_copy(uint32_t rank, uint32_t index, uint32_t bytes) {
    block& here = blocks[rank];
    here.bars[index].in_flight += bytes;
    here.landing = here.tile;
    here.is_tile_busy = true;
  }

  // The bytes are expected, and then copied; other steps may follow before the phase can complete.
  void add_load(uint32_t rank, uint32_t index) {
    block& here = blocks[rank];
    if (here.is_tile_busy || here.bars[index].pending == 0) return add_bytes(rank, index);
    const uint32_t bytes = 16 * (1 + below(coin() ? 4 : tile_words / 4)), words = bytes / 4;
    const uint32_t to = below((tile_words - words) / 4 + 1) * 4, from = below((source_words - words) / 4 + 1) * 4;
    const uint32_t other = 1 - rank;
    const bool is_pair = blocks_ > 1 && blocks[other].bars[index].is_valid && !blocks[other].is_tile_busy &&
                         blocks[other].bars[index].pending != 0;
    const uint32_t way = is_pair ? below(3) : 0;
    const auto expect_bytes = [&](uint32_t of_block) {
      add(expect_tx, of_block, bit(thread()), index).first = bytes;
      blocks[of_block].bars[index].bytes += bytes;
    };
    expect_bytes(rank);
    if (way == 1) expect_bytes(other);
    const what kinds[] = {bulk_load, bulk_load_multicast, bulk_copy_to_block};
    step& made = add(kinds[way], way == 2 ? other : rank, bit(thread()), index);
    made.first = to;
    made.second = way == 2 ? below((tile_words - words) / 4 + 1) * 4 : from;
    made.third = bytes;
    const uint32_t second = made.second;
    for (uint32_t of_block = 0; of_block < blocks_; ++of_block) {
      if (of_block != rank && way != 1) continue;
      start_copy(of_block, index, bytes);
      for (uint32_t each = 0; each < words; ++each)
        blocks[of_block].landing[to + each] = way == 2 ? blocks[other].tile[second + each] : source[second + each];
    }
    // The other block's tile is read for an unknown time: the copy is awaited at once.
    if (way == 2) finish(rank, index);
  }

  void finish(uint32_t rank, uint32_t index) {
    mbarrier& bar = blocks[rank].bars[index];
    if (bar.in_flight == 0) return;
    if (const int64_t missing = bar.bytes - bar.in_flight; missing > 0) {
      add(complete_tx, rank, bit(thread()), index).first = static_cast<uint32_t>(missing);
      bar.bytes -= missing;
    } else if (missing < 0) {
      add(expect_tx, rank, bit(thread()), index).first = static_cast<uint32_t>(-missing);
      bar.bytes -= missing;
    }
    if (bar.pending > 0) {
      const uint32_t who = thread();
      add(arrive_count, rank, bit(who), index).first = bar.pending;
      note_state(rank, index, who, bar);
      bar.arrive(bar.pending);
    }
    await_if_due(rank, index);
  }
  void finish_all() {
    for (uint32_t rank = 0; rank < blocks_; ++rank) {
      for (uint32_t index = 0; index < barriers; ++index)
        finish(rank, index);
      add_read_tile(rank);
      for (uint32_t which = 0; which < fields; ++which)
        add_read_word(rank, which, coin());
    }
  }

  void add_tile(uint32_t rank) {
    block& here = blocks[rank];
    if (here.is_tile_busy) return;
    switch (below(4)) {
    case 0:
      return write_whole_tile(rank);
    case 1:
      return add_read_tile(rank);
    default: {
      const bool adds = coin();
      const uint32_t words = 4 * (1 + below(tile_words / 4));
      step& made = add(adds ? bulk_store_add : bulk_store, rank, bit(thread()));
      made.first = below((tile_words - words) / 4 + 1) * 4;
      made.second = below((tile_words - words) / 4 + 1) * 4;
      made.third = words * 4;
      for (uint32_t each = 0; each < words; ++each) {
        uint32_t& to = here.stored[made.first + each];
        to = here.tile[made.second + each] + (adds ? to : 0);
      }
      add(read_stored, rank, ~uint64_t{0});
      for (uint32_t each = 0; each < threads; ++each)
        expect(rank, each, here.stored[each] | uint64_t{here.stored[each + threads]} << 32);
    }
    }
  }

  // Of cp.async, in units of 4 words, to which the rank of the thread is added: each thread has 8 words.
  uint32_t any_source() { return below(source_words / 4 - threads); }

  // cp.async: up to three groups, of 4, 8 and 16 bytes. The groups that the wait covers are read.
  void add_groups(uint32_t rank) {
    const uint64_t lanes = random_.next() | bit(thread());
    step& made = add(cp_async_groups, rank, lanes);
    made.first = any_source();
    made.second = below(3);  // groups that may stay pending
    for (uint32_t each = 0; each < threads; ++each) {
      if ((lanes & bit(each)) == 0) continue;
      uint32_t* const cells = blocks[rank].cells[each];
      const uint32_t from = (made.first + each) * 4;
      for (uint32_t word = 0; word < 4; ++word)
        cells[word] = source[from + word];
      cells[4] = source[from + 4];
      cells[5] = source[from + 5];
      cells[6] = source[from + 7];
      uint64_t result = cells[0] + uint64_t{3} * cells[3];
      if (made.second < 2) result += uint64_t{5} * cells[4] + uint64_t{7} * cells[5];
      if (made.second < 1) result += uint64_t{9} * cells[6];
      expect(rank, each, result);
    }
  }

  // Arrivals that copies by threads make. Then nothing else is missing, so that the end of the phase shows them.
  void add_arrivals_by_copies(uint32_t rank, uint32_t index) {
    mbarrier& bar = blocks[rank].bars[index];
    if (bar.bytes != 0 || bar.in_flight != 0 || bar.pending == 0 || bar.pending > 1000000)
      return add_bytes(rank, index);
    const bool adds_one = coin();
    const uint32_t count = adds_one ? 1 + below(20) : 1 + below(bar.pending < 20 ? bar.pending : 20);
    const uint32_t first = below(threads / 2) + (coin() ? 12 : 0);
    const uint64_t lanes = ((bit(count) - 1) << first);
    if (!adds_one && bar.pending > count) {
      const uint32_t who = thread();
      add(arrive_count, rank, bit(who), index).first = bar.pending - count;
      note_state(rank, index, who, bar);
      bar.pending = count;
    }
    step& made = add(adds_one ? cp_async_arrive : cp_async_arrive_noinc, rank, lanes, index);
    made.first = any_source();
    for (uint32_t each = first; each < first + count; ++each)
      for (uint32_t word = 0; word < 4; ++word)
        blocks[rank].cells[each][word] = source[(made.first + each) * 4 + word];
    if (adds_one) {
      const uint32_t who = thread();
      add(arrive_count, rank, bit(who), index).first = bar.pending;
      // The pending count of this state is that of a moment at which copies may still be missing.
      expect(rank, who, 0);
      steps.back().third = 1;
      blocks[rank].phase_of_state[index][who] = bar.phase;
    }
    const uint32_t parity = bar.phase & 1;
    bar.arrive(bar.pending);
    await(rank, index, parity);
    add(read_cells, rank, lanes);
    for (uint32_t each = first; each < first + count; ++each)
      expect(rank, each, blocks[rank].cells[each][0] | uint64_t{blocks[rank].cells[each][3]} << 32);
  }

  // --- Named barriers and warps ---

  void add_named(uint32_t rank) {
    const uint32_t id = 1 + below(15);
    const uint64_t value = below(4) == 0 ? 0 : below(3) == 0 ? ~uint64_t{0} : random_.next();
    if (below(4) == 0) {
      step& made = add(bar_channel, rank, ~uint64_t{0}, id);
      made.value = value;
      for (uint32_t lane = 0; lane < 32; ++lane)
        expect(rank, 32 + lane, static_cast<uint32_t>(value * (32 - lane)));
      return;
    }
    const uint64_t warp[] = {0xffffffff, uint64_t{0xffffffff} << 32, ~uint64_t{0}};
    const uint64_t lanes = warp[below(3)];
    const uint32_t way = below(3);
    const what kinds[] = {bar_popc, bar_and, bar_or};
    add(kinds[way], rank, lanes, id).value = value;
    const uint64_t found = value & lanes;
    const uint64_t result = way == 0   ? static_cast<uint64_t>(__builtin_popcountll(found))
                            : way == 1 ? uint64_t{found == lanes}
                                       : uint64_t{found != 0};
    for (uint32_t each = 0; each < threads; ++each)
      if ((lanes & bit(each)) != 0) expect(rank, each, result);
  }

  void add_warp(uint32_t rank) {
    const uint32_t base = coin() ? 32 : 0;
    const uint64_t lanes = ((random_.next() & 0xffffffff) | bit(below(32))) << base;
    const auto mask = static_cast<uint32_t>(lanes >> base);
    const what kinds[] = {shuffle, vote_ballot, vote_any, vote_all, match_any, elect};
    const what kind = kinds[below(6)];
    const uint64_t value = below(4) == 0 ? 0 : below(3) == 0 ? ~uint64_t{0} : random_.next();
    uint32_t from = below(32);
    while ((mask & bit(from)) == 0)
      from = (from + 1) % 32;
    step& made = add(kind, rank, lanes);
    made.value = value;
    made.first = from;
    const auto predicates = static_cast<uint32_t>(value >> base) & mask;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if ((mask & bit(lane)) == 0) continue;
      uint64_t result = 0;
      switch (kind) {
      case shuffle:
        result = static_cast<uint32_t>(value) * (base + from + 1);
        break;
      case vote_ballot:
        result = predicates;
        break;
      case vote_any:
        result = predicates != 0;
        break;
      case vote_all:
        result = predicates == mask;
        break;
      case match_any:
        for (uint32_t other = 0; other < 32; ++other)
          if ((mask & bit(other)) != 0 && (value >> (2 * other % 30) & 3) == (value >> (2 * lane % 30) & 3))
            result |= bit(other);
        break;
      default:
        result = 1;  // one lane is elected
      }
      expect(rank, base + lane, result);
    }
  }

  // --- Atomics ---

  words& words_of(uint32_t rank, bool is_global) { return is_global ? global_ : blocks[rank].own; }

  void add_read_word(uint32_t rank, uint32_t which, bool is_global) {
    const uint32_t who = thread();
    add(read_word, rank, bit(who), which).first = is_global;
    expect(rank, who, words_of(rank, is_global).bits(which));
  }

  static int small_number(uint64_t value) { return static_cast<int>(value % 17) - 8; }
  static bool is_commutative(uint32_t which) {
    return which != exch_b32 && which != exch_b64 && which != cas_b32 && which != cas_b64 && which != cas_b16;
  }

  static void apply(words& to, uint32_t which, uint64_t value, uint64_t other) {
    const auto value32 = static_cast<uint32_t>(value);
    const auto signed32 = static_cast<int32_t>(value32);
    const auto signed64 = static_cast<int64_t>(value);
    const auto lesser = [](auto one, auto two) { return two < one ? two : one; };
    const auto greater = [](auto one, auto two) { return one < two ? two : one; };
    switch (which) {
    case add_u32:
      to.word += value32;
      break;
    case min_u32:
      to.word = lesser(to.word, value32);
      break;
    case min_s32:
      to.word = static_cast<uint32_t>(lesser(static_cast<int32_t>(to.word), signed32));
      break;
    case max_u32:
      to.word = greater(to.word, value32);
      break;
    case max_s32:
      to.word = static_cast<uint32_t>(greater(static_cast<int32_t>(to.word), signed32));
      break;
    case and_b32:
      to.word &= value32;
      break;
    case or_b32:
      to.word |= value32;
      break;
    case xor_b32:
      to.word ^= value32;
      break;
    case exch_b32:
      to.word = value32;
      break;
    case cas_b32:
      if (to.word == static_cast<uint32_t>(other)) to.word = value32;
      break;
    case add_u64:
      to.wide += value;
      break;
    case min_u64:
      to.wide = lesser(to.wide, value);
      break;
    case min_s64:
      to.wide = static_cast<uint64_t>(lesser(static_cast<int64_t>(to.wide), signed64));
      break;
    case max_u64:
      to.wide = greater(to.wide, value);
      break;
    case max_s64:
      to.wide = static_cast<uint64_t>(greater(static_cast<int64_t>(to.wide), signed64));
      break;
    case and_b64:
      to.wide &= value;
      break;
    case or_b64:
      to.wide |= value;
      break;
    case xor_b64:
      to.wide ^= value;
      break;
    case exch_b64:
      to.wide = value;
      break;
    case cas_b64:
      if (to.wide == other) to.wide = value;
      break;
    case add_f32:
      to.single += small_number(value);
      break;
    case add_f64:
      to.real += small_number(value);
      break;
    case add_f16:
      to.half += small_number(value);
      break;
    case add_f16x2:
      to.halves[0] += small_number(value);
      to.halves[1] += small_number(value / 17);
      break;
    case add_bf16:
      to.brain += small_number(value);
      break;
    case add_bf16x2:
      to.brains[0] += small_number(value);
      to.brains[1] += small_number(value / 17);
      break;
    default:
      if (to.small == static_cast<uint16_t>(other)) to.small = static_cast<uint16_t>(value);
    }
  }

  // The sums of half precision and bfloat16 must remain exact.
  static bool is_exact(const words& now, int added) {
    const auto fits = [added](int sum, int most) { return (sum < 0 ? -sum : sum) + added <= most; };
    return fits(now.half, 2048) && fits(now.halves[0], 2048) && fits(now.halves[1], 2048) && fits(now.brain, 256) &&
           fits(now.brains[0], 256) && fits(now.brains[1], 256);
  }

  // The operand as the instruction takes it.
  static uint64_t operand(uint32_t which, uint64_t value) {
    words made;
    apply(made, which, value, 0);
    return which >= add_f32 && which <= add_bf16x2 ? made.bits(field_of(which)) : value;
  }

  void add_atomic(uint32_t rank) {
    if (below(5) == 0) return add_read_word(rank, below(fields), coin());
    uint32_t which = below(operations);
    uint32_t way = below(5);  // global, shared, generic, of another block, reduction
    if (way == 3 && (blocks_ == 1 || (which != exch_b32 && which != exch_b64 && which != cas_b32 && which != cas_b64)))
      way = blocks_ > 1 ? 3 : 1;
    if (way == 3) {
      const uint32_t some[] = {exch_b32, exch_b64, cas_b32, cas_b64, add_u32, max_s32, xor_b32};
      which = some[below(7)];
    }
    const bool is_generic_shared = coin();
    const bool is_global = way == 0 || way == 4 || (way == 2 && !is_generic_shared);
    const uint32_t of = way == 3 ? 1 - rank : rank;
    words& to = words_of(of, is_global);
    if (way == 4 && !is_commutative(which)) which = add_u64;
    uint64_t lanes = bit(thread());
    const bool is_small = which >= add_f32 && which <= add_bf16x2;
    if (is_commutative(which) && coin()) lanes |= random_.next() & (is_small ? 0x0100001000100001 : ~uint64_t{0});
    const int count = __builtin_popcountll(lanes);
    if (is_small && !is_exact(to, 8 * count)) return;
    const what kinds[] = {atomic_global, atomic_shared, atomic_generic, atomic_remote, reduction};
    step& made = add(kinds[way], rank, lanes, which);
    const uint64_t value = random_.next();
    made.first = count == 1 && way != 4;  // the old value is logged
    made.second = is_global;
    made.value = operand(which, value);
    const uint32_t changed = field_of(which);
    made.other = coin() ? to.bits(changed) : random_.next();
    const uint64_t other = made.other;
    for (uint32_t each = 0; each < threads; ++each) {
      if ((lanes & bit(each)) == 0) continue;
      if (made.first != 0) expect(rank, each, to.bits(changed));
      apply(to, which, value, other);
    }
    add_read_word(of, changed, is_global);
  }

  random_numbers random_;
  uint32_t blocks_;
  block blocks[2];
  words global_;
};

}  // namespace instructions

#endif
