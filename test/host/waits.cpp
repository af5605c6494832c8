// Every wait of a host thread, in simulated time: what ends it without waking the thread, and that each notification wakes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"

#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <sched.h>
#include <unistd.h>

// The library's clock, yield and futex are those of the simulation.
#define clock_gettime simulated_clock_gettime
#define sched_yield simulated_sched_yield
#define syscall simulated_syscall
extern "C" int simulated_clock_gettime(clockid_t, timespec*);
extern "C" int simulated_sched_yield() noexcept;
extern "C" long simulated_syscall(long, ...) noexcept;

#include <cudasync/backend/permit/permits.h>

// Permits that other threads always take first: each attempt comes too late. The last one is only for a wait that would not
// end.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

struct contested_permits {
  static constexpr ptrdiff_t most_permits = 1000;
  explicit contested_permits(ptrdiff_t) {}

  int attempts = 0;
  uint32 word = 0;
};
template <>
struct permits_type<thread_scope_system, contested_permits::most_permits> {
  using type = contested_permits;
};
inline bool try_acquire_permit(target::host, contested_permits& permits) {
  return ++permits.attempts == 100000;
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/barrier>
#include <cudasync/grid_barrier.h>
#include <cudasync/peer_barrier.h>
#include <cudasync/world_barrier.h>

namespace {

using namespace std::chrono_literals;
using cudasync::participant;
using cudasync::uint32;
constexpr auto system_scope = cuda::thread_scope_system;

// --- Simulated time: one thread waits, and what ends its wait happens at some time, wherever the thread is ---

constexpr std::int64_t reading_the_clock = 25;  // ns
constexpr std::int64_t yielding = 1000;
constexpr std::int64_t starting_to_sleep = 1000;
constexpr std::int64_t waking = 10000;
constexpr std::int64_t delay_of_timers = 50000;  // of Linux, for threads that do not ask for less

// An object that a wait must not change; nothing, by default.
struct object_in_memory {
  std::shared_ptr<const void> object;
  std::size_t size = 0;
  std::string bytes() const { return std::string(static_cast<const char*>(object.get()), size); }
};

struct simulation {
  std::int64_t now = 1000000000;
  std::int64_t time_of_end = 0;
  std::function<void()> end;
  object_in_memory object;
  std::string bytes_of_wait;  // when the thread first yielded
  bool has_changed = false;   // during the wait, before its end
  bool has_ended = false;
  bool is_woken_by_notices = false;  // then nothing else ends a sleep
  const uint32* asleep_on = nullptr;
  bool is_woken = false;
  bool is_lost = false;  // it sleeps, and nobody wakes it
  std::int64_t slept = 0;
  std::int64_t time_to_yield = yielding;
  int yields = 0;
  int sleeps = 0;

  void pass(std::int64_t nanoseconds) {
    now += nanoseconds;
    if (!has_ended && now >= time_of_end) end_now();
  }
  void end_now() {
    has_ended = true;
    has_changed = yields > 0 && object.bytes() != bytes_of_wait;
    end();
  }
  void sleep(const uint32* word, uint32 value, std::int64_t limit) {
    pass(starting_to_sleep);
    if (*word != value) return;
    ++sleeps;
    const std::int64_t begin = now;
    if (!is_woken_by_notices) return pass(limit + delay_of_timers + waking), void(slept += now - begin);
    asleep_on = word;
    is_woken = false;
    if (!has_ended) {
      now = time_of_end > now ? time_of_end : now;
      end_now();
    }
    is_lost = is_lost || !is_woken;
    asleep_on = nullptr;
    now += waking;
  }
};
simulation* world = nullptr;

}  // namespace

extern "C" int simulated_clock_gettime(clockid_t, timespec* time) {
  world->pass(reading_the_clock);
  time->tv_sec = static_cast<time_t>(world->now / 1000000000);
  time->tv_nsec = static_cast<long>(world->now % 1000000000);
  return 0;
}
extern "C" int simulated_sched_yield() noexcept {
  if (world->yields++ == 0) world->bytes_of_wait = world->object.bytes();
  world->pass(world->time_to_yield);
  return 0;
}
// futex, the only system call of the library.
extern "C" long simulated_syscall(long number, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, number);
  const uint32* const word = va_arg(arguments, const uint32*);
  const bool is_wake = va_arg(arguments, int) != 0;
  const uint32 value = va_arg(arguments, uint32);
  const timespec* const limit = va_arg(arguments, const timespec*);
  va_end(arguments);
  if (is_wake) {
    world->is_woken = world->is_woken || word == world->asleep_on;
    return 0;
  }
  world->sleep(word, value, limit->tv_sec * 1000000000LL + limit->tv_nsec);
  return 0;
}

namespace {

// --- The waits: each function makes an object, and what waits for it and ends the wait ---

struct case_of_wait {
  std::string name;
  std::function<void()> wait;
  std::function<void()> end;
  object_in_memory object = {};
};
using cases = std::vector<case_of_wait>;

template <class Object, class... Arguments>
std::shared_ptr<Object> make(Arguments... arguments) {
  return std::make_shared<Object>(arguments...);
}
template <class Object>
object_in_memory in_memory(const std::shared_ptr<Object>& object) {
  return {object, sizeof(Object)};
}
// Of a type whose zero bytes are ready for use.
template <class Object>
std::shared_ptr<Object> make_zero(int count = 1) {
  Object* const objects = new Object[static_cast<std::size_t>(count)];
  std::memset(static_cast<void*>(objects), 0, static_cast<std::size_t>(count) * sizeof(Object));
  return std::shared_ptr<Object>(objects, std::default_delete<Object[]>());
}

struct large {
  int parts[5];
};

template <class Value, cuda::thread_scope Scope>
void add_atomic(cases& all, const std::string& type, Value before, Value after) {
  using object_type = cuda::atomic<Value, Scope>;
  const auto add = [&](const char* name, void (*wait)(object_type&, Value), void (*notify)(object_type&)) {
    const auto object = make<object_type>(before);
    all.push_back({type + ": " + name, [=] { wait(*object, before); },
                   [=] {
                     object->store(after);
                     notify(*object);
                   },
                   in_memory(object)});
  };
  const auto one = [](auto& object) { object.notify_one(); };
  const auto every = [](auto& object) { object.notify_all(); };
  add("wait, notify_one", [](auto& object, Value old) { object.wait(old); }, one);
  add("wait, notify_all", [](auto& object, Value old) { object.wait(old, cuda::memory_order_acquire); }, every);
  add("wait_for, notify_all", [](auto& object, Value old) { CHECK(object.wait_for(old, 1h)); }, every);
  add(
      "atomic_wait, atomic_notify_one", [](auto& object, Value old) { cuda::atomic_wait(&object, old); },
      [](auto& object) { cuda::atomic_notify_one(&object); });
  add(
      "atomic_wait_explicit, atomic_notify_all",
      [](auto& object, Value old) { cuda::atomic_wait_explicit(&object, old, cuda::memory_order_relaxed); },
      [](auto& object) { cuda::atomic_notify_all(&object); });
}

void add_predicate(cases& all) {
  const auto object = make<cuda::atomic<int, system_scope>>(1);
  all.push_back({"atomic: wait for a predicate, notify_one",
                 [=] { CHECK(object->wait([](int value) { return value > 1; }) == 2); },
                 [=] {
                   object->store(2);
                   object->notify_one();
                 }});
}

template <class Value>
void add_reference(cases& all, const std::string& type) {
  using reference = cuda::atomic_ref<Value, system_scope>;
  for (const bool is_one : {true, false}) {
    const auto object = make<Value>(Value(1));
    all.push_back({"atomic_ref<" + type + ">: wait, " + (is_one ? "notify_one" : "notify_all"),
                   [=] { reference(*object).wait(Value(1)); },
                   [=] {
                     const reference here(*object);
                     here.store(Value(2));
                     is_one ? here.notify_one() : here.notify_all();
                   }});
  }
  const auto object = make<Value>(Value(1));
  all.push_back({"atomic_ref<const " + type + ">: wait, notify_one",
                 [=] { cuda::atomic_ref<const Value, system_scope>(*object).wait(Value(1)); },
                 [=] {
                   reference(*object).store(Value(2));
                   reference(*object).notify_one();
                 }});
}

void add_flags(cases& all) {
  using flag = cuda::std::atomic_flag;
  const auto add = [&](const char* name, void (*wait)(flag&), void (*notify)(flag&)) {
    const auto object = make_zero<flag>();
    all.push_back({name, [=] { wait(*object); },
                   [=] {
                     static_cast<void>(object->test_and_set());
                     notify(*object);
                   }});
  };
  add("atomic_flag: wait, notify_one", [](flag& it) { it.wait(false); }, [](flag& it) { it.notify_one(); });
  add("atomic_flag: wait, notify_all", [](flag& it) { it.wait(false); }, [](flag& it) { it.notify_all(); });
  add(
      "atomic_flag: atomic_flag_wait, atomic_flag_notify_one",
      [](flag& it) { cuda::std::atomic_flag_wait(&it, false); },
      [](flag& it) { cuda::std::atomic_flag_notify_one(&it); });
  add(
      "atomic_flag: atomic_flag_wait_explicit, atomic_flag_notify_all",
      [](flag& it) { cuda::std::atomic_flag_wait_explicit(&it, false, cuda::std::memory_order_acquire); },
      [](flag& it) { cuda::std::atomic_flag_notify_all(&it); });
}

template <class Barrier>
void add_barrier(cases& all, const std::string& type) {
  const auto add = [&](const char* name, void (*wait)(Barrier&), void (*end)(Barrier&)) {
    const auto object = make<Barrier>(2);
    all.push_back({type + ": " + name, [=] { wait(*object); }, [=] { end(*object); }, in_memory(object)});
  };
  const auto arrive = [](Barrier& bar) { static_cast<void>(bar.arrive()); };
  add("arrive_and_wait, arrive", [](Barrier& bar) { bar.arrive_and_wait(); }, arrive);
  add(
      "wait, arrive_and_drop", [](Barrier& bar) { bar.wait(bar.arrive()); },
      [](Barrier& bar) { bar.arrive_and_drop(); });
  add(
      "wait_parity, two arrivals", [](Barrier& bar) { bar.wait_parity(false); },
      [](Barrier& bar) { static_cast<void>(bar.arrive(2)); });
  add("try_wait_for, arrive", [](Barrier& bar) { CHECK(bar.try_wait_for(bar.arrive(), 1h)); }, arrive);
  add(
      "try_wait_parity_for, two arrivals", [](Barrier& bar) { CHECK(bar.try_wait_parity_for(false, 1h)); },
      [](Barrier& bar) { static_cast<void>(bar.arrive(2)); });
}

template <class Semaphore>
void add_semaphore(cases& all, const std::string& type) {
  const auto add = [&](const char* name, void (*wait)(Semaphore&)) {
    const auto object = make<Semaphore>(0);
    all.push_back({type + ": " + name + ", release", [=] { wait(*object); }, [=] { object->release(); }});
  };
  add("acquire", [](Semaphore& it) { it.acquire(); });
  add("try_acquire_for", [](Semaphore& it) { CHECK(it.try_acquire_for(1h)); });
}

void add_latch(cases& all) {
  using latch = cuda::latch<system_scope>;
  const auto waited_for = make<latch>(1);
  all.push_back({"latch: wait, count_down", [=] { waited_for->wait(); }, [=] { waited_for->count_down(); },
                 in_memory(waited_for)});
  const auto met = make<latch>(2);
  all.push_back({"latch: arrive_and_wait, count_down", [=] { met->arrive_and_wait(); }, [=] { met->count_down(); },
                 in_memory(met)});
}

struct member {
  int rank;
  int thread_rank() const { return rank; }
  int size() const { return 2; }
  void sync() const {}
};

template <cuda::thread_scope Scope>
void add_pipeline(cases& all, const std::string& scope) {
  struct both {
    cuda::pipeline_shared_state<Scope, 1> state;
    cuda::pipeline<Scope> producer = cuda::make_pipeline(member{0}, &state, 1);
    cuda::pipeline<Scope> consumer = cuda::make_pipeline(member{1}, &state, 1);
    void produce() {
      producer.producer_acquire();
      producer.producer_commit();
    }
  };
  const auto fresh = [] { return std::shared_ptr<both>(new both); };
  const auto waiting = fresh();
  all.push_back({"pipeline of " + scope + " scope: consumer_wait, producer_commit",
                 [=] { waiting->consumer.consumer_wait(); }, [=] { waiting->produce(); }});
  const auto timed = fresh();
  all.push_back({"pipeline of " + scope + " scope: consumer_wait_for, producer_commit",
                 [=] { CHECK(timed->consumer.consumer_wait_for(1h)); }, [=] { timed->produce(); }});
  const auto full = fresh();
  full->produce();
  full->consumer.consumer_wait();
  all.push_back({"pipeline of " + scope + " scope: producer_acquire, consumer_release",
                 [=] { full->producer.producer_acquire(); }, [=] { full->consumer.consumer_release(); }});
}

template <cuda::thread_scope Scope>
void add_grid_barrier(cases& all, const std::string& scope) {
  const auto bar = make_zero<cudasync::grid_barrier<Scope>>();
  all.push_back({"grid_barrier of " + scope + " scope: arrive_and_wait, arrive",
                 [=] { bar->arrive_and_wait(participant{0, 2}); },
                 [=] { static_cast<void>(bar->arrive(participant{1, 2})); }, in_memory(bar)});
}

// The barriers of GPUs: two GPUs of one block.
void add_peers(cases& all) {
  using part = cudasync::peer_part<>;
  const auto parts = make_zero<part>(2);
  const auto addresses = std::make_shared<std::vector<part*>>(std::vector<part*>{parts.get(), parts.get() + 1});
  all.push_back(
      {"peer_barrier: arrive_and_wait, arrive",
       [=, keep = parts] { cudasync::peer_barrier<>(addresses->data(), 0, 2).arrive_and_wait(participant{0, 1}); },
       [=] {
         cudasync::peer_barrier<> other(addresses->data(), 1, 2);
         static_cast<void>(other.arrive(participant{0, 1}));
       }});
  const auto signal = make_zero<cudasync::peer_signal>();
  all.push_back({"peer_signal: wait, signal", [=] { signal->wait(1); }, [=] { signal->signal(1); }});
  const auto mailbox = make_zero<cudasync::peer_mailbox<float, 1>>();
  all.push_back(
      {"peer_mailbox: take, put", [=] { CHECK(mailbox->take(1, 0) == 2.f); }, [=] { mailbox->put(1, 0, 2.f); }});
}

// The only host: no signals.
struct rail_of_one_host {
  uint32 rank() const { return 0; }
  uint32 count() const { return 1; }
  uint32 radix() const { return 2; }
  void complete() const {}
  void raise(uint32, std::uint64_t, uint32) const {}
  void wait(uint32, std::uint64_t) const {}
};

// Block 1 waits for the other GPU, or for block 0 of its own GPU.
void add_world(cases& all) {
  using part = cudasync::world_part<>;
  using barrier = cudasync::world_barrier<rail_of_one_host>;
  for (const uint32 gpus : {1u, 2u}) {
    const auto parts = make_zero<part>(2);
    const auto addresses = std::make_shared<std::vector<part*>>(std::vector<part*>{parts.get(), parts.get() + 1});
    const auto bar = [=, keep = parts](uint32 rank) {
      return barrier(rail_of_one_host{}, addresses->data(), rank, gpus);
    };
    if (gpus == 2) {
      all.push_back({"world_barrier: arrive_and_wait of a GPU, arrive of another",
                     [=] { bar(0).arrive_and_wait(participant{0, 1}); },
                     [=] { static_cast<void>(bar(1).arrive(participant{0, 1})); }});
    } else {
      all.push_back({"world_barrier: arrive_and_wait of a block, wait of its leader",
                     [=] { bar(0).arrive_and_wait(participant{1, 2}); },
                     [=] { bar(0).arrive_and_wait(participant{0, 2}); }});
    }
  }
}

cases all_cases() {
  cases all;
  add_atomic<int, system_scope>(all, "atomic<int>", 1, 2);
  add_atomic<unsigned char, cuda::thread_scope_device>(all, "atomic<unsigned char> of device scope", 1, 2);
  add_atomic<long long, cuda::thread_scope_block>(all, "atomic<long long> of block scope", 1, 2);
  add_atomic<large, system_scope>(all, "atomic of 20 bytes", {{1, 2, 3, 4, 5}}, {{1, 2, 3, 4, 6}});
  add_predicate(all);
  add_reference<int>(all, "int");
  add_reference<double>(all, "double");
  add_flags(all);
  add_barrier<cuda::barrier<system_scope>>(all, "barrier of system scope");
  add_barrier<cuda::barrier<cuda::thread_scope_device>>(all, "barrier of device scope");
  add_barrier<cuda::barrier<cuda::thread_scope_block>>(all, "barrier of block scope");
  add_barrier<cuda::std::barrier<>>(all, "std::barrier");
  add_latch(all);
  add_semaphore<cuda::counting_semaphore<system_scope>>(all, "counting_semaphore");
  add_semaphore<cuda::binary_semaphore<system_scope>>(all, "binary_semaphore");
  add_pipeline<cuda::thread_scope_block>(all, "block");
  add_pipeline<system_scope>(all, "system");
  add_grid_barrier<system_scope>(all, "system");
  add_grid_barrier<cuda::thread_scope_device>(all, "device");
  add_peers(all);
  add_world(all);
  return all;
}

// Runs the wait with an end after so many nanoseconds.
simulation run(const case_of_wait& each, std::int64_t nanoseconds, bool is_woken_by_notices,
               std::int64_t time_to_yield = yielding) {
  simulation result;
  result.time_of_end = result.now + nanoseconds;
  result.end = each.end;
  result.object = each.object;
  result.is_woken_by_notices = is_woken_by_notices;
  result.time_to_yield = time_to_yield;
  world = &result;
  each.wait();
  world = nullptr;
  return result;
}

constexpr std::int64_t durations[] = {5000,    20000,    70000,    300000,    900000,    1100000,    1990000,   2010000,
                                      4000000, 10000000, 33000000, 100000000, 333333333, 1000000000, 3000000000};

}  // namespace

// Device threads and other processes cannot wake a thread.
TEST_CASE("a wait that ends without a notification is at most 5 % and 10 us late") {
  for (const std::int64_t duration : durations) {
    for (const case_of_wait& each : all_cases()) {
      INFO(each.name << ", " << duration << " ns");
      const simulation result = run(each, duration, false);
      CHECK(result.now - result.time_of_end <= duration / 20 + 10000);
    }
  }
}

TEST_CASE("long waits use little processor time") {
  for (const case_of_wait& each : all_cases()) {
    INFO(each.name);
    const simulation result = run(each, 1000000000, false);
    CHECK(result.slept >= 980000000);
    CHECK(result.sleeps <= 250);
  }
}

TEST_CASE("a wait that has ended before does not sleep") {
  for (const case_of_wait& each : all_cases()) {
    INFO(each.name);
    CHECK(run(each, 0, true).sleeps == 0);
  }
}

TEST_CASE("each notification wakes the threads that sleep") {
  for (const std::int64_t duration : {5000, 4000000, 50000000}) {
    for (const case_of_wait& each : all_cases()) {
      INFO(each.name << ", " << duration << " ns");
      const simulation result = run(each, duration, true);
      CHECK_FALSE(result.is_lost);
      if (duration > 3000000) CHECK(result.sleeps == 1);
    }
  }
}

// A GPU may change the object meanwhile, in memory where the two do not see each other's read-modify-writes as one.
TEST_CASE("a wait changes no byte of its object") {
  for (const std::int64_t duration : {20000, 4000000, 50000000}) {
    for (const case_of_wait& each : all_cases()) {
      INFO(each.name << ", " << duration << " ns");
      CHECK_FALSE(run(each, duration, true).has_changed);
    }
  }
}

// All other threads of a processor run before a thread that yields.
TEST_CASE("a thread sleeps early if others need its processor") {
  for (const case_of_wait& each : all_cases()) {
    if (each.name.find("semaphore") != std::string::npos) continue;  // retries for a millisecond
    INFO(each.name);
    const simulation result = run(each, 30000000, true, 3000000);
    CHECK(result.yields <= 2);
    CHECK_FALSE(result.is_lost);
  }
}

struct simulated_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<simulated_clock>;
  static constexpr bool is_steady = true;
  static time_point now() { return time_point(duration(world->now)); }
};

template <class Barrier, class Check>
void check_timed_barrier(Check check) {
  Barrier bar(1);
  const auto end = [&] { static_cast<void>(bar.arrive()); };
  const auto parity = [&] { return bar.try_wait_parity(false); };  // of the current phase
  const auto token = [&] { return std::uint64_t{parity()} << 63; };
  check([&](auto time) { return bar.try_wait_for(token(), time); },
        [&](auto time) { return bar.try_wait_until(token(), time); }, end);
  check([&](auto time) { return bar.try_wait_parity_for(parity(), time); },
        [&](auto time) { return bar.try_wait_parity_until(parity(), time); }, end);
}

template <class Semaphore, class Check>
void check_timed_semaphore(Check check) {
  Semaphore permits(0);
  check([&](auto time) { return permits.try_acquire_for(time); },
        [&](auto time) { return permits.try_acquire_until(time); }, [&] { permits.release(); });
}

// Calls check(wait for a duration, wait until a time, what ends one of them) for every timed wait.
template <class Check>
void check_timed_waits(Check check) {
  cuda::atomic<int, system_scope> value(1);
  check([&](auto time) { return value.wait_for(value.load(), time); },
        [&](auto time) { return value.wait_until(value.load(), time); }, [&] { ++value; });
  int object = 1;
  const cuda::atomic_ref<int, cuda::thread_scope_block> reference(object);
  check([&](auto time) { return reference.wait_for(reference.load(), time); },
        [&](auto time) { return reference.wait_until(reference.load(), time); }, [&] { ++object; });
  check_timed_barrier<cuda::barrier<system_scope>>(check);
  check_timed_barrier<cuda::barrier<cuda::thread_scope_block>>(check);
  cuda::latch<system_scope> bar;
  const auto closed = [&]() -> auto& { return init(&bar, 1), bar; };
  check([&](auto time) { return closed().try_wait_for(time); },
        [&](auto time) { return closed().try_wait_until(time); }, [&] { bar.count_down(); });
  check_timed_semaphore<cuda::counting_semaphore<system_scope>>(check);
  check_timed_semaphore<cuda::binary_semaphore<system_scope>>(check);
  cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  auto producer = cuda::make_pipeline(member{0}, &state, 1);
  auto consumer = cuda::make_pipeline(member{1}, &state, 1);
  const auto released = [&](bool is_complete) {
    if (is_complete) consumer.consumer_release();
    return is_complete;
  };
  check([&](auto time) { return released(consumer.consumer_wait_for(time)); },
        [&](auto time) { return released(consumer.consumer_wait_until(time)); }, [&] { producer.producer_commit(); });
}

TEST_CASE("timed waits end at their time, late by less than a sleep") {
  simulation result;
  result.time_of_end = INT64_MAX;
  world = &result;
  for (const std::int64_t limit : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1000},
                                   std::int64_t{100000}, std::int64_t{3000000}, std::int64_t{70000000}}) {
    INFO(limit << " ns");
    const auto check = [&](auto wait) {
      const std::int64_t start = world->now;
      CHECK_FALSE(wait());
      CHECK((limit < 0 || world->now - start >= limit));
      CHECK(world->now - start - (limit < 0 ? 0 : limit) <=
            yielding + starting_to_sleep + waking + delay_of_timers + 1000);
    };
    check_timed_waits([&](auto wait_for, auto wait_until, auto) {
      using time_point = simulated_clock::time_point;
      check([&] { return wait_for(std::chrono::nanoseconds(limit)); });
      check([&] {
        return wait_until(limit == INT64_MIN ? time_point::min()
                                             : simulated_clock::now() + std::chrono::nanoseconds(limit));
      });
    });
  }
  world = nullptr;
}

TEST_CASE("the longest time limits are longer than any wait") {
  check_timed_waits([&](auto wait_for, auto wait_until, auto end) {
    const auto check = [&](auto wait) {
      simulation result;
      result.time_of_end = result.now + 40000000;
      result.end = end;
      world = &result;
      CHECK(wait());
      CHECK(result.has_ended);
      world = nullptr;
    };
    check([&] { return wait_for(std::chrono::nanoseconds::max()); });
    check([&] { return wait_for(std::chrono::duration<double>(std::numeric_limits<double>::infinity())); });
    check([&] { return wait_until(simulated_clock::time_point::max()); });
  });
}

TEST_CASE("polls of CCCL's own types end at their time, and without one if it is zero") {
  simulation result;
  result.time_of_end = INT64_MAX;
  world = &result;
  int looks = 0;
  const auto is_true_in_the_end = [&] { return ++looks % 10000 == 0; };
  const auto ends_by_the_condition = [&](auto... limit) {
    looks = 0;
    return cuda::std::__cccl_thread_poll_with_backoff(is_true_in_the_end, limit...);
  };
  CHECK(ends_by_the_condition());
  CHECK(ends_by_the_condition(0s));
  CHECK(ends_by_the_condition(1h));
  CHECK_FALSE(ends_by_the_condition(-1s));
  CHECK(looks == 1);
  const std::int64_t start = result.now;
  CHECK_FALSE(ends_by_the_condition(100us));
  CHECK(result.now - start >= 100000);
  CHECK(result.now - start <= 100000 + yielding + 2 * reading_the_clock);
  world = nullptr;
}

TEST_CASE("a timed acquire ends at its time, even if other threads take each permit first") {
  simulation result;
  result.time_of_end = INT64_MAX;
  world = &result;
  for (const std::int64_t limit : {-1, 0, 1000, 100000}) {
    INFO(limit << " ns");
    const std::int64_t start = result.now;
    cuda::counting_semaphore<system_scope, cudasync::backend::contested_permits::most_permits> permits(0);
    CHECK_FALSE(permits.try_acquire_for(std::chrono::nanoseconds(limit)));
    CHECK(result.now - start >= limit);
    CHECK(result.now - start <= limit + (limit > 0 ? yielding : 0) + 4 * reading_the_clock);
  }
  world = nullptr;
}

// The schedule itself: a later look would break the promise of 5 %, and an earlier one would waste processor time.
TEST_CASE("sleeps grow with the time waited") {
  namespace backend = cudasync::backend;
  std::uint64_t before = 0;
  for (std::uint64_t waited = 0; waited < 20000000000; waited += 1 + waited / 64) {
    const std::uint64_t sleep = backend::sleep_after(waited);
    CHECK(sleep >= before);
    CHECK(sleep <= backend::longest_sleep);
    if (waited >= backend::shortest_slept_wait) CHECK(sleep + 60000 <= waited / 20 + 10000);
    before = sleep;
  }
  CHECK(before == backend::longest_sleep);
}
