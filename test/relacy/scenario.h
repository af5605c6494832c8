// Scenarios: a few threads, what they share, and what must hold in every execution that relacy explores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_RELACY_SCENARIO_H
#define CUDASYNC_TEST_RELACY_SCENARIO_H

#include "words.h"

#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/thread/time.h>

#include <cstddef>
#include <new>
#include <vector>

namespace backend = cudasync::backend;
using backend::forever;
using cudasync::uint32;
using cudasync::uint64;

constexpr cudasync::target::host here{};
constexpr cudasync::thread_scope scope = cudasync::thread_scope_system;

// An execution fails if it breaks an expectation, has a data race on a message, reads a message that was not written,
// or does not end: a deadlock, or a thread that makes too many steps.
class scenario {
 public:
  scenario() = default;
  scenario(const scenario&) = delete;
  scenario& operator=(const scenario&) = delete;
  virtual void thread(unsigned rank) = 0;
  virtual void after() {}  // all threads have ended

 protected:
  ~scenario() = default;
};

#define EXPECT(condition) RL_ASSERT(condition)

// A variable that is not atomic.
class message {
 public:
  void write(int value) { value_(RL_INFO).store(value); }
  int read() { return value_(RL_INFO).load(); }

 private:
  rl::var<int> value_;
};

// The place where threads sleep that wait for an object.
inline void explore_parking_lot(const void* object) {
  explored::explore<uint32>(backend::parking_lot_of(object).sleepers);
  explored::explore<uint32>(backend::parking_lot_of(object).notices);
}

// An object whose atomic operations relacy explores.
template <class Object, class Word>
struct explored_object {
  template <class... Arguments>
  explicit explored_object(Arguments... arguments) : object(static_cast<Arguments&&>(arguments)...) {
    explored::explore<Word>(object);
    explore_parking_lot(&object);
  }
  Object& operator*() { return object; }
  Object* operator->() { return &object; }

  Object object;
};

// What a thread does while it waits for another without synchronizing.
inline void let_others_run() {
  rl::yield(1, RL_INFO);
}

// --- How executions are chosen ---

struct exploration {
  const char* name;
  int threads;
  unsigned preemptions;  // in a usual run
  scenario* (*make)(void* memory);
};

// All executions with few preemptions of a running thread, in which a load returns the latest or the preceding value;
// then executions at random, in which it returns one of the latest three.
struct effort {
  unsigned more_preemptions = 0;
  unsigned times = 20000;
};

// The scenario of an iteration.
struct current_scenario {
  scenario* (*make)(void* memory) = nullptr;
  void (*destroy)(scenario*) = nullptr;
  scenario* it = nullptr;
  alignas(64) unsigned char memory[8192];
};
inline current_scenario current;

template <class Scenario>
scenario* make_scenario(void* memory) {
  static_assert(sizeof(Scenario) <= sizeof current.memory);
  current.destroy = [](scenario* it) { static_cast<Scenario*>(it)->~Scenario(); };
  return new (memory) Scenario;
}

// relacy's templates are instantiated once for each number of threads, not for each scenario.
template <int Threads>
struct suite : rl::test_suite<suite<Threads>, Threads> {
  suite() {
    explored::begin();
    current.it = current.make(current.memory);
  }
  ~suite() {
    current.destroy(current.it);
    explored::end();
  }
  void thread(unsigned rank) { current.it->thread(rank); }
  void after() { current.it->after(); }
};

struct outcome {
  rl::test_result_e result;
  unsigned long long executions;
};

template <template <rl::thread_id_t> class Scheduler, int Threads>
outcome explore_by(rl::test_params& params, bool shows_history) {
  std::ostringstream silence;
  std::ostream* const output = params.output_stream;
  params.output_stream = params.progress_stream = &silence;
  rl::ostringstream state;
  const rl::test_result_e result = rl::run_test<suite<Threads>, Scheduler<Threads>>(params, state, false);
  const outcome found{result, params.stop_iteration};
  if (result != rl::test_result_success && shows_history) {
    rl::ostringstream ignored;
    params.initial_state = state.str();
    params.collect_history = true;
    params.output_stream = output;
    static_cast<void>(rl::run_test<suite<Threads>, Scheduler<Threads>>(params, ignored, true));
  }
  return found;
}

template <int Threads>
outcome explore_with(unsigned preemptions, effort how, bool shows_history) {
  rl::test_params params;
  params.context_bound = preemptions + how.more_preemptions;
  params.execution_depth_limit = 1000;
  const outcome first = explore_by<rl::context_bound_scheduler, Threads>(params, shows_history);
  if (first.result != rl::test_result_success) return first;
  params.iteration_count = how.times;
  const outcome second = explore_by<rl::random_scheduler, Threads>(params, shows_history);
  return {second.result, first.executions + second.executions};
}

inline outcome explore(const exploration& what, effort how, bool shows_history) {
  current.make = what.make;
  switch (what.threads) {
  case 2:
    return explore_with<2>(what.preemptions, how, shows_history);
  case 3:
    return explore_with<3>(what.preemptions, how, shows_history);
  default:
    return explore_with<4>(what.preemptions, how, shows_history);
  }
}

#endif
