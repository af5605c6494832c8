// cuda::pipeline on host threads: layout, streams through rings of all lengths, who waits for whom, timed waits, handles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"

#include <cuda/pipeline>
#include <cudasync/pipeline/ring_state.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using std::chrono::system_clock;

template <cuda::thread_scope Scope>
constexpr bool handles_move_alone =
    !std::is_default_constructible_v<cuda::pipeline<Scope>> && !std::is_copy_constructible_v<cuda::pipeline<Scope>> &&
    !std::is_copy_assignable_v<cuda::pipeline<Scope>> && std::is_move_constructible_v<cuda::pipeline<Scope>>;
static_assert(handles_move_alone<cuda::thread_scope_block> && handles_move_alone<cuda::thread_scope_device>);
static_assert(handles_move_alone<cuda::thread_scope_system> && handles_move_alone<cuda::thread_scope_thread>);
static_assert(sizeof(cuda::pipeline<cuda::thread_scope_block>) == 16);
static_assert(sizeof(cuda::pipeline<cuda::thread_scope_thread>) == 2);

template <cuda::thread_scope Scope, std::uint8_t Stages>
struct ring {
  static constexpr int stages = Stages;
  using state = cuda::pipeline_shared_state<Scope, Stages>;
  using handle = cuda::pipeline<Scope>;
};

// By any number of stages, also if a sum with it does not fit in 32 bits.
template <std::uint32_t Stages>
constexpr bool advances_by_any_number() {
  for (const std::uint32_t count :
       {0u, 1u, Stages - 1, Stages, 2 * Stages + 1, 0x7fffffffu, 0xfffffffeu, 0xffffffffu}) {
    cudasync::ring_state<Stages> before;
    for (std::uint32_t place = 0; place < 2 * Stages; ++place, before.advance()) {
      cudasync::ring_state<Stages> at = before;
      at.advance(count);
      const std::uint64_t expected = (std::uint64_t{place} + count) % (2 * Stages);
      if (at.index() != expected % Stages || at.parity() != expected / Stages) return false;
    }
  }
  return true;
}
static_assert(advances_by_any_number<1>() && advances_by_any_number<2>() && advances_by_any_number<3>());
static_assert(advances_by_any_number<5>() && advances_by_any_number<8>());

template <class State>
constexpr bool lies_in_shared_memory =
    std::is_trivially_default_constructible_v<State> && std::is_trivially_destructible_v<State> &&
    !std::is_copy_constructible_v<State> && !std::is_copy_assignable_v<State>;
template <class Ring, std::size_t Size>
constexpr bool has_layout = sizeof(typename Ring::state) == Size && lies_in_shared_memory<typename Ring::state>;
static_assert(has_layout<ring<cuda::thread_scope_block, 1>, 24> && has_layout<ring<cuda::thread_scope_block, 2>, 40>);
static_assert(has_layout<ring<cuda::thread_scope_device, 3>, 56> && has_layout<ring<cuda::thread_scope_system, 1>, 24>);
static_assert(has_layout<ring<cuda::thread_scope_block, 255>, 8 + 255 * 16>);

// State as it is found in shared memory, full of what was there before.
template <class State>
std::unique_ptr<State> used_memory() {
  void* const bytes = ::operator new(sizeof(State));
  std::fill_n(static_cast<unsigned char*>(bytes), sizeof(State), static_cast<unsigned char>(0xb5));
  return std::unique_ptr<State>(new (bytes) State);
}

enum class form { unified, by_count, by_role };

// Who does what in a group of threads.
struct cast {
  form kind;
  int threads;
  unsigned producers;  // a bit for each rank

  bool produces(int rank) const { return kind == form::unified || (producers >> rank & 1) != 0; }
  bool consumes(int rank) const { return kind == form::unified || (producers >> rank & 1) == 0; }
};

cast unified(int threads) {
  return {form::unified, threads, 0};
}
cast first_are_producers(int producers, int threads) {
  return {form::by_count, threads, (1u << producers) - 1};
}
cast with_roles(unsigned producers, int threads) {
  return {form::by_role, threads, producers};
}

template <class Group, class State>
auto join(const cast& who, const Group& group, State* state) {
  if (who.kind == form::unified) return cuda::make_pipeline(group, state);
  const bool is_producer = who.produces(group.thread_rank());
  if (who.kind == form::by_role)
    return cuda::make_pipeline(group, state,
                               is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  std::size_t producers = 0;
  for (int rank = 0; rank < who.threads; ++rank)
    producers += who.produces(rank);
  return cuda::make_pipeline(group, state, producers);
}

// --- Streams ---

// Each producer writes its part of every stage; consumers look at all parts, twice. The parts are not atomic, and nothing
// else orders them: ThreadSanitizer judges the pipeline.
template <class Ring>
class stream {
 public:
  explicit stream(const cast& who) : who_(who), state_(used_memory<typename Ring::state>()), stages_(Ring::stages) {
    for (stage& each : stages_)
      each.parts.resize(who.threads);
  }

  typename Ring::handle join(const thread_group& group) { return ::join(who_, group, state_.get()); }

  void produce(typename Ring::handle& pipe, int rank, int position) {
    pipe.producer_acquire();
    stage& here = stages_[position % Ring::stages];
    failures_.expect(here.readers.load(std::memory_order_relaxed) == 0);
    here.parts[rank] = part(rank, position);
    pipe.producer_commit();
  }

  void consume(typename Ring::handle& pipe, int position, bool is_slow) {
    pipe.consumer_wait();
    stage& here = stages_[position % Ring::stages];
    here.readers.fetch_add(1, std::memory_order_relaxed);
    expect_parts(here, position);
    if (is_slow) std::this_thread::yield();
    expect_parts(here, position);
    here.readers.fetch_sub(1, std::memory_order_relaxed);
    pipe.consumer_release();
  }

  int failures() const { return failures_.value(); }

 private:
  struct stage {
    std::vector<int> parts;
    std::atomic<int> readers{0};
  };

  static int part(int rank, int position) { return position * 64 + rank + 1; }

  void expect_parts(const stage& here, int position) {
    for (int rank = 0; rank < who_.threads; ++rank)
      failures_.expect(!who_.produces(rank) || here.parts[rank] == part(rank, position));
  }

  const cast who_;
  const std::unique_ptr<typename Ring::state> state_;
  std::vector<stage> stages_;
  failure_count failures_;
};

enum class slow { nobody, producers, consumers };

// The threads of a unified pipeline fill up to depth stages ahead.
template <class Ring>
int failures_of_stream(const cast& who, int positions, int depth, slow side) {
  stream<Ring> all(who);
  meeting place(who.threads);
  run_threads(who.threads, [&](int rank) {
    auto pipe = all.join(thread_group(place, rank, who.threads));
    const int ahead = who.consumes(rank) ? depth : positions;
    for (int position = 0; position < positions + ahead; ++position) {
      const bool is_pause = (position + rank) % 3 == 0;
      if (who.produces(rank) && position < positions) {
        if (side == slow::producers && is_pause) std::this_thread::yield();
        all.produce(pipe, rank, position);
      }
      const int oldest = who.kind == form::unified ? position - ahead + 1 : position;
      if (who.consumes(rank) && oldest >= 0 && oldest < positions)
        all.consume(pipe, oldest, side == slow::consumers && is_pause);
    }
  });
  return all.failures();
}

template <class Ring>
void check_streams(int rounds) {
  const slow side = GENERATE(slow::nobody, slow::producers, slow::consumers);
  const int positions = rounds * Ring::stages + 1;
  for (const int threads : {1, 2, 5}) {
    for (const int depth : {1, Ring::stages})
      CHECK(failures_of_stream<Ring>(unified(threads), positions, depth, side) == 0);
  }
  for (const auto& [producers, threads] : {std::pair(1, 2), {1, 4}, {3, 4}, {2, 5}})
    CHECK(failures_of_stream<Ring>(first_are_producers(producers, threads), positions, 1, side) == 0);
  for (const unsigned producers : {1u, 2u, 5u, 6u})
    CHECK(failures_of_stream<Ring>(with_roles(producers, 3), positions, 1, side) == 0);
}

#define RINGS_OF_A_BLOCK                                                                                             \
  (ring<cuda::thread_scope_block, 1>), (ring<cuda::thread_scope_block, 2>), (ring<cuda::thread_scope_block, 3>),     \
      (ring<cuda::thread_scope_block, 4>), (ring<cuda::thread_scope_block, 5>), (ring<cuda::thread_scope_block, 6>), \
      (ring<cuda::thread_scope_block, 7>), (ring<cuda::thread_scope_block, 8>)
#define RINGS_OF_THE_DEVICE                                                                                         \
  (ring<cuda::thread_scope_device, 1>), (ring<cuda::thread_scope_device, 2>), (ring<cuda::thread_scope_system, 1>), \
      (ring<cuda::thread_scope_system, 5>)

TEMPLATE_TEST_CASE("consumers find what producers committed", "", RINGS_OF_A_BLOCK, RINGS_OF_THE_DEVICE) {
  check_streams<TestType>(TestType::stages < 3 ? 150 : 50);
}

TEMPLATE_TEST_CASE("a ring has up to 255 stages", "", (ring<cuda::thread_scope_block, 255>),
                   (ring<cuda::thread_scope_device, 255>), (ring<cuda::thread_scope_system, 255>)) {
  constexpr int positions = 5 * 255 + 1;
  CHECK(failures_of_stream<TestType>(unified(2), positions, 255, slow::nobody) == 0);
  CHECK(failures_of_stream<TestType>(first_are_producers(1, 3), positions, 1, slow::consumers) == 0);
  CHECK(failures_of_stream<TestType>(with_roles(6, 3), positions, 1, slow::producers) == 0);
}

TEST_CASE("threads take their roles in any order") {
  using three = ring<cuda::thread_scope_block, 3>;
  for (unsigned producers = 1; producers < 15; ++producers)
    CHECK(failures_of_stream<three>(with_roles(producers, 4), 40, 1, slow::nobody) == 0);
}

TEST_CASE("threads of a unified pipeline differ in how far they run ahead") {
  using four = ring<cuda::thread_scope_block, 4>;
  constexpr int threads = 4;
  constexpr int positions = 200;
  stream<four> all(unified(threads));
  meeting place(threads);
  run_threads(threads, [&](int rank) {
    auto pipe = all.join(thread_group(place, rank, threads));
    for (int position = 0; position < positions + rank; ++position) {
      if (position < positions) all.produce(pipe, rank, position);
      if (position >= rank) all.consume(pipe, position - rank, false);
    }
  });
  CHECK(all.failures() == 0);
}

// --- Who waits for whom, in one thread that holds all handles ---

// Nobody else is there to be synchronized with.
struct member {
  int rank;
  int members;

  int thread_rank() const { return rank; }
  int size() const { return members; }
  void sync() const {}
};

// Each thread's positions in the stream: a stage is there when all producers have committed it, and free again when all
// consumers have released it.
template <class Ring>
class model {
 public:
  explicit model(const cast& who) : who_(who), state_(used_memory<typename Ring::state>()), actors_(who.threads) {
    for (int rank = 0; rank < who.threads; ++rank)
      handles_.push_back(::join(who, member{rank, who.threads}, state_.get()));
  }

  // Returns false where the waits of this thread told something else than the model.
  bool step(int rank, unsigned chance) {
    actor& self = actors_[rank];
    typename Ring::handle& pipe = handles_[rank];
    if (who_.produces(rank) && chance % 2 == 0) {
      if (self.has_acquired) {
        pipe.producer_commit();
        ++self.head;
        self.has_acquired = false;
      } else if (self.head - Ring::stages < least(&actor::tail, &cast::consumes)) {
        pipe.producer_acquire();
        self.has_acquired = true;
      }
      return true;
    }
    if (!who_.consumes(rank)) return true;
    const bool is_there = self.tail < least(&actor::head, &cast::produces);
    if (pipe.consumer_wait_for(0ns) != is_there) return false;
    if (!is_there || chance % 4 == 1) return true;
    pipe.consumer_wait();
    pipe.consumer_release();
    ++self.tail;
    return true;
  }

  int released() const { return least(&actor::tail, &cast::consumes); }

 private:
  struct actor {
    int head = 0;
    int tail = 0;
    bool has_acquired = false;
  };

  int least(int actor::* position, bool (cast::*takes_part)(int) const) const {
    int result = 1 << 30;
    for (int rank = 0; rank < who_.threads; ++rank)
      if ((who_.*takes_part)(rank)) result = (std::min)(result, actors_[rank].*position);
    return result;
  }

  const cast who_;
  const std::unique_ptr<typename Ring::state> state_;
  std::vector<typename Ring::handle> handles_;
  std::vector<actor> actors_;
};

TEMPLATE_TEST_CASE("waits agree with a model, whatever the schedule", "", (ring<cuda::thread_scope_block, 1>),
                   (ring<cuda::thread_scope_block, 2>), (ring<cuda::thread_scope_block, 5>),
                   (ring<cuda::thread_scope_device, 3>), (ring<cuda::thread_scope_system, 1>)) {
  std::mt19937 chance(7);  // the same numbers everywhere
  for (const cast& who : {unified(1), unified(2), unified(4), first_are_producers(1, 2), first_are_producers(1, 4),
                          first_are_producers(3, 4), first_are_producers(2, 5)}) {
    model<TestType> all(who);
    bool agrees = true;
    for (int steps = 0; steps < 3000; ++steps) {
      const int rank = static_cast<int>(chance() % who.threads);
      agrees = agrees && all.step(rank, chance());
    }
    CHECK(agrees);
    CHECK(all.released() > 3 * TestType::stages);
  }
}

// --- Waits ---

TEMPLATE_TEST_CASE("a producer waits until the last consumer has released", "", (ring<cuda::thread_scope_block, 1>),
                   (ring<cuda::thread_scope_block, 3>), (ring<cuda::thread_scope_system, 2>)) {
  constexpr int consumers = 2;
  constexpr int threads = consumers + 1;
  const auto state = used_memory<typename TestType::state>();
  meeting place(threads);
  failure_count failures;
  std::atomic<int> acquired{0};
  std::atomic<int> released[consumers] = {};
  run_threads(threads, [&](int rank) {
    auto pipe = cuda::make_pipeline(thread_group(place, rank, threads), state.get(), 1);
    for (int position = 0; position < 5 * TestType::stages; ++position) {
      if (rank == 0) {
        pipe.producer_acquire();
        for (const std::atomic<int>& each : released)
          failures.expect(each > position - TestType::stages);
        acquired = position + 1;
        pipe.producer_commit();
      } else {
        pipe.consumer_wait();
        failures.expect(acquired > position);
        if (position % 3 == rank - 1) std::this_thread::sleep_for(3ms);
        failures.expect(acquired <= position + TestType::stages);
        ++released[rank - 1];
        pipe.consumer_release();
      }
    }
  });
  CHECK(failures.value() == 0);
}

TEMPLATE_TEST_CASE("timed waits for a stage end at their time or with the last commit", "",
                   (ring<cuda::thread_scope_block, 2>), (ring<cuda::thread_scope_device, 1>),
                   (ring<cuda::thread_scope_system, 3>)) {
  const auto state = used_memory<typename TestType::state>();
  std::vector<typename TestType::handle> pipes;
  for (int rank = 0; rank < 3; ++rank)
    pipes.push_back(cuda::make_pipeline(member{rank, 3}, state.get(), 2));
  typename TestType::handle& consumer = pipes[2];
  const auto check_times_out = [](double seconds, const std::function<bool()>& wait) {
    const auto start = steady_clock::now();
    CHECK_FALSE(wait());
    CHECK(seconds_since(start) >= seconds);
    CHECK(seconds_since(start) < seconds + 0.5);
  };
  for (int position = 0; position < 2 * TestType::stages + 1; ++position) {
    for (const int rank : {0, 1}) {
      check_times_out(0, [&] { return consumer.consumer_wait_for(0s); });
      check_times_out(0, [&] { return consumer.consumer_wait_for(-1h); });
      check_times_out(0.003, [&] { return consumer.consumer_wait_for(3ms); });
      check_times_out(0.001, [&] { return consumer.consumer_wait_for(std::chrono::duration<double>(0.001)); });
      check_times_out(0.002, [&] { return consumer.consumer_wait_until(steady_clock::now() + 2ms); });
      check_times_out(0.002, [&] { return consumer.consumer_wait_until(system_clock::now() + 2ms); });
      check_times_out(0, [&] { return consumer.consumer_wait_until(steady_clock::now() - 1h); });
      check_times_out(0, [&] { return consumer.consumer_wait_until(steady_clock::time_point::min()); });
      pipes[rank].producer_acquire();
      pipes[rank].producer_commit();
    }
    const auto start = steady_clock::now();
    CHECK(consumer.consumer_wait_for(0s));
    CHECK(consumer.consumer_wait_for(std::chrono::hours::max()));
    CHECK(consumer.consumer_wait_until(steady_clock::now() - 1h));
    CHECK(consumer.consumer_wait_until(system_clock::now() + 24h));
    CHECK(seconds_since(start) < 0.5);
    consumer.consumer_release();
  }
}

TEST_CASE("what a timed wait was for is visible after it") {
  using two = ring<cuda::thread_scope_block, 2>;
  const auto state = used_memory<two::state>();
  meeting place(2);
  failure_count failures;
  int slots[2] = {};  // not atomic
  run_threads(2, [&](int rank) {
    auto pipe = cuda::make_pipeline(thread_group(place, rank, 2), state.get(), 1);
    for (int position = 0; position < 200; ++position) {
      if (rank == 0) {
        if (position % 20 == 0) std::this_thread::sleep_for(3ms);  // the consumer sleeps in the kernel
        pipe.producer_acquire();
        slots[position % 2] = position;
        pipe.producer_commit();
      } else {
        failures.expect(position % 2 == 0 ? pipe.consumer_wait_for(1h)
                                          : pipe.consumer_wait_until(steady_clock::now() + 1h));
        failures.expect(slots[position % 2] == position);
        pipe.consumer_release();
      }
    }
  });
  CHECK(failures.value() == 0);
}

// --- Copies ---

// Sixteen bytes a producer and stage, by all ways to say so; the handle's stage alone tells what they are for.
TEMPLATE_TEST_CASE("copies on a pipeline are there after the wait", "", (ring<cuda::thread_scope_block, 2>),
                   (ring<cuda::thread_scope_device, 3>), (ring<cuda::thread_scope_system, 1>)) {
  struct alignas(16) four_words {
    std::uint32_t words[4];
  };
  constexpr int producers = 2;
  constexpr int consumers = 2;
  constexpr int threads = producers + consumers;
  constexpr int positions = 120;
  const auto state = used_memory<typename TestType::state>();
  meeting place(threads);
  meeting place_of_producers(producers);
  failure_count failures;
  four_words buffers[TestType::stages][producers + 1] = {};
  run_threads(threads, [&](int rank) {
    auto pipe = make_pipeline(thread_group(place, rank, threads), state.get(), producers);  // found by its argument
    const thread_group together(place_of_producers, rank, producers);
    four_words source{};
    four_words shared{};
    for (int position = 0; position < positions; ++position) {
      four_words* const stage = buffers[position % TestType::stages];
      const auto word = static_cast<std::uint32_t>(position * threads + 7);
      if (rank < producers) {
        source = {{word + rank, word, ~word, word * 3}};
        shared = {{word, word + 9, word, word}};
        pipe.producer_acquire();
        switch (position % 5) {
        case 0:
          memcpy_async(&stage[rank], &source, unknown(16), pipe);
          break;
        case 1:
          memcpy_async(static_cast<void*>(&stage[rank]), &source, unknown(16), pipe);
          break;
        case 2:
          memcpy_async(&stage[rank], &source, cuda::aligned_size_t<16>(unknown(16)), pipe);
          break;
        case 3:
          memcpy_async(stage[rank].words, source.words, unknown(8), pipe);
          memcpy_async(stage[rank].words + 2, source.words + 2, cuda::aligned_size_t<4>(8), pipe);
          break;
        case 4:
          memcpy_async(&stage[rank], &source, cudasync::zero_filled_size(16, 5), pipe);
          break;
        }
        const auto result =
            position % 2 == 0
                ? cuda::memcpy_async(together, &stage[producers], &shared, unknown(16), pipe)
                : cuda::memcpy_async(together, static_cast<void*>(&stage[producers]), static_cast<void*>(&shared),
                                     cuda::aligned_size_t<8>(unknown(16)), pipe);
        failures.expect(result == cuda::async_contract_fulfillment::none);
        pipe.producer_commit();
      } else {
        pipe.consumer_wait();
        for (std::uint32_t producer = 0; producer < producers; ++producer) {
          const std::uint32_t (&words)[4] = stage[producer].words;
          failures.expect(words[0] == word + producer);
          if (position % 5 == 4)
            failures.expect(words[1] == (word & 0xff) && words[2] == 0 && words[3] == 0);
          else
            failures.expect(words[1] == word && words[2] == ~word && words[3] == word * 3);
        }
        failures.expect(stage[producers].words[1] == word + 9 && stage[producers].words[3] == word);
        pipe.consumer_release();
      }
    }
  });
  CHECK(failures.value() == 0);
}

// --- Handles and groups ---

TEST_CASE("a handle can be moved, between stages and amid one") {
  using three = ring<cuda::thread_scope_block, 3>;
  const auto state = used_memory<three::state>();
  const auto other_state = used_memory<three::state>();
  auto other = cuda::make_pipeline(member{0, 1}, other_state.get());
  auto pipe = std::make_unique<three::handle>(cuda::make_pipeline(member{0, 1}, state.get()));
  for (int position = 0; position < 20; ++position) {
    pipe->producer_acquire();
    pipe = std::make_unique<three::handle>(std::move(*pipe));
    CHECK_FALSE(pipe->consumer_wait_for(0s));
    pipe->producer_commit();
    pipe = std::make_unique<three::handle>(std::move(*pipe));
    CHECK(pipe->consumer_wait_for(0s));
    other = std::move(*pipe);
    CHECK(other.consumer_wait_for(0s));
    other.consumer_release();
    *pipe = std::move(other);
  }
}

template <class Integer>
struct group_of_one {
  Integer thread_rank() const { return 0; }
  Integer size() const { return 1; }
  void sync() const {}
};

TEMPLATE_TEST_CASE("ranks and sizes of groups are of any integer type", "", bool, signed char, unsigned char, short,
                   unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long) {
  using one = ring<cuda::thread_scope_block, 1>;
  const auto state = used_memory<one::state>();
  auto pipe = make_pipeline(group_of_one<TestType>(), state.get());
  for (int position = 0; position < 5; ++position) {
    const int source = position + 1;
    int destination = 0;
    pipe.producer_acquire();
    memcpy_async(group_of_one<TestType>(), &destination, &source, sizeof source, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    CHECK(destination == source);
    pipe.consumer_release();
  }
}

TEST_CASE("a size of 127 fits in a group of signed char") {
  struct small_group {
    signed char rank;
    signed char thread_rank() const { return rank; }
    static signed char size() { return 127; }
    void sync() const {}
  };
  using two = ring<cuda::thread_scope_block, 2>;
  const auto state = used_memory<two::state>();
  std::vector<two::handle> pipes;
  for (int rank = 0; rank < 127; ++rank)
    pipes.push_back(make_pipeline(small_group{static_cast<signed char>(rank)}, state.get(), 100));
  for (int position = 0; position < 5; ++position) {
    for (int producer = 0; producer < 100; ++producer) {
      pipes[producer].producer_acquire();
      CHECK_FALSE(pipes[126].consumer_wait_for(0s));
      pipes[producer].producer_commit();
    }
    for (int consumer = 100; consumer < 127; ++consumer) {
      CHECK(pipes[consumer].consumer_wait_for(0s));
      pipes[consumer].consumer_release();
    }
  }
}
