// Random programs of barriers, latches, semaphores, atomics, copies and pipelines, on host threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter.h"
#include "settings.h"

#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace {

using fuzz::agents, fuzz::row, fuzz::step;

// An agent of one thread.
class one_lane {
 public:
  using here = cudasync::target::here;
#if defined __SANITIZE_THREAD__
  static constexpr bool has_fences = false;  // ThreadSanitizer does not know fences
#else
  static constexpr bool has_fences = true;
#endif
  explicit one_lane(uint32_t agent) : agent_(agent) {}
  static uint32_t rank() { return 0; }
  static uint32_t count() { return 1; }
  static void sync() {}
  static uint32_t thread_rank() { return 0; }
  static uint32_t size() { return 1; }
  static void yield() { std::this_thread::yield(); }
  uint32_t agent() const { return agent_; }

  // Operations of the device alone, which no program for the host has.
  template <class Bar, class Size>
  static cudasync::uint64 copy_and_arrive(Bar&, int*, const int*, Size) {
    return 0;
  }
  static void meet(const step&, cudasync::grid_barrier<>&) {}

 private:
  uint32_t agent_;
};

// No program for the host has steps of the copy engine and of clusters.
struct no_others {
  template <class Runner>
  void use(const step&, const Runner&) const {}
};

// For make_pipeline: an order of its own, which the programs then do not rely on.
struct all_threads {
  uint32_t agent;
  cuda::barrier<cuda::thread_scope_system>* meeting;
  uint32_t thread_rank() const { return agent; }
  uint32_t size() const { return agents; }
  void sync() const { meeting->arrive_and_wait(); }
};

struct reporter {
  std::atomic<uint32_t>* count;
  fuzz::failures* found;
  uint32_t agent;
  void operator()(uint32_t index, uint32_t value) const {
    if (count->fetch_add(1) == 0) *found = {0, agent, index, value};
  }
};

unsigned covered[fuzz::operations][8];
bool has_failed = false;

template <cuda::thread_scope Scope>
void run_program(uint64_t seed) {
  const fuzz::program made(seed, {false, true, false, false}, fuzz::settings("CUDASYNC_FUZZ_STEPS", 400));
  alignas(16) int source[fuzz::sources][row] = {};
  for (uint32_t each = 0; each < agents; ++each) {
    for (const step& one : made.steps[each])
      ++covered[one.what][one.way];
    if (fuzz::settings("CUDASYNC_FUZZ_PRINT", 0) != 0) fuzz::print(each, made.steps[each]);
  }
  const auto all = std::make_unique<fuzz::objects<Scope>>();
  all->prepare(made.settings);
  cuda::pipeline_shared_state<Scope, fuzz::stages> state;
  cuda::barrier<cuda::thread_scope_system> meeting(agents);
  std::atomic<uint32_t> count{0};
  fuzz::failures found{};
  std::vector<std::thread> threads;
  for (uint32_t own = 0; own < agents; ++own)
    threads.emplace_back([&, own] {
      const bool is_producer = (made.settings.producers >> own & 1) != 0;
      auto pipe = cuda::make_pipeline(all_threads{own, &meeting}, &state,
                                      is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
      const one_lane lane(own);
      no_others none;
      fuzz::runner<Scope, one_lane, decltype(pipe), no_others, reporter> runner(*all, lane, pipe, none, source,
                                                                                {&count, &found, own});
      runner.run(made.steps[own].data(), static_cast<uint32_t>(made.steps[own].size()));
    });
  for (std::thread& each : threads)
    each.join();
  if (all->guarded[0] != static_cast<int>(made.settings.locked_times))
    reporter{&count, &found, agents}(0, static_cast<uint32_t>(all->guarded[0]));
  if (all->last_quits.load() != static_cast<int>(made.settings.last_quits))
    reporter{&count, &found, agents + 1}(0, static_cast<uint32_t>(all->last_quits.load()));
  found.count = count;
  if (found.count != 0) fuzz::explain(seed, found, made);
  has_failed = has_failed || found.count != 0 || !made.is_complete;
}

void run_seed(uint64_t seed) {
  alarm(60);  // a hang ends the program, after it has printed the seed
  if (seed % 2 == 0)
    run_program<cuda::thread_scope_block>(seed);
  else
    run_program<cuda::thread_scope_system>(seed);
}

}  // namespace

int main() {
  const uint64_t seeds = fuzz::for_each_seed(fuzz::corpus_of_host_programs, run_seed);
  if (fuzz::is_corpus())
    has_failed |= !fuzz::is_all_covered(covered, [](uint32_t what) {
      return what != fuzz::bar_copy_tx && (what < fuzz::block_sync || what > fuzz::grid_sync) &&
             what < fuzz::first_of_copy_engine;
    });
  printf("%llu programs, %s\n", static_cast<unsigned long long>(seeds), has_failed ? "FAILED" : "passed");
  return has_failed ? 1 : 0;
}
