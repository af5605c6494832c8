// Waits of a host thread that nothing wakes, because another process or a kernel ends them: the delay, and processor time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_HOST_WAITS_H
#define CUDASYNC_BENCHMARKS_HOST_WAITS_H

#include <time.h>

#include <map>

#include "../harness.h"

#if defined(__CUDACC__)
#define BENCH_BOTH __host__ __device__
#else
#define BENCH_BOTH
#endif

namespace bench {

inline constexpr int most_rounds = 1000;

// In memory that both sides can access at any time. Each word is written by one side.
struct mailbox {
  volatile int rounds_begun;            // by the side that waits
  volatile int rounds_ended;            // the same
  volatile double delays[most_rounds];  // by the other side
};

// The result of some waits of about the same duration.
struct wait_cost {
  double delay;      // from the end until the other side knows that the thread has seen it, in us: the median
  double processor;  // the processor time that it has used, in percent of the time waited
};
// memory: where the object is. An empty object is constructed there.
using wait_function = wait_cost (*)(const std::string& memory, double microseconds, int rounds);

// Waits of one sample differ in their duration, lest the end always find the thread in the same step.
BENCH_BOTH inline double duration_in_round(double microseconds, int round) {
  return microseconds * (1 + (round * 37 + static_cast<int>(microseconds)) % 100 / 1000.0);
}

inline double clock_in_microseconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}
inline void pass(double microseconds) {
  const double start = clock_in_microseconds(CLOCK_MONOTONIC);
  while (clock_in_microseconds(CLOCK_MONOTONIC) - start < microseconds) {
  }
}

// Waits in all rounds; returns the processor time in percent of the time. begin(round), and in the end say(round), are called
// around each wait.
template <class Way, class Begin, class Say>
double wait_in_rounds(Way& way, int rounds, Begin begin, Say say) {
  double waited = 0;
  double used = 0;
  for (int round = 0; round < rounds; ++round) {
    begin(round);
    const double start = clock_in_microseconds(CLOCK_MONOTONIC);
    const double used_before = clock_in_microseconds(CLOCK_THREAD_CPUTIME_ID);
    way.wait(round);
    say(round);
    used += clock_in_microseconds(CLOCK_THREAD_CPUTIME_ID) - used_before;
    waited += clock_in_microseconds(CLOCK_MONOTONIC) - start;
  }
  return used / waited * 100;
}

inline double median_delay(const mailbox& mail, int rounds) {
  return median(std::vector<double>(mail.delays, mail.delays + rounds));
}

// A loop without pauses, in place of any of the objects.
struct polling_loop {
  int value = 0;
  BENCH_BOTH void wait(int round) {
    while (*static_cast<volatile int*>(&value) == round) {
    }
  }
  BENCH_BOTH void end(int round) { *static_cast<volatile int*>(&value) = round + 1; }
};

inline constexpr const char* way_names[] = {"atomic", "atomic_ref", "barrier", "latch", "semaphore"};

// --- Tables ---

inline const std::vector<double> durations{5, 20, 100, 500, 2000, 10000, 100000, 1000000};  // us
inline constexpr int wait_repetitions = 5;
inline constexpr int long_wait_repetitions = 2;  // of a tenth of a second and more

inline std::string duration_name(double microseconds) {
  const int whole = static_cast<int>(microseconds);
  if (whole >= 1000000) return std::to_string(whole / 1000000) + " s";
  return whole >= 1000 ? std::to_string(whole / 1000) + " ms" : std::to_string(whole) + " us";
}

template <class Function>
void enroll_wait(const std::string& benchmark, const std::string& operation, const std::string& name,
                 const std::string& kind, Function function) {
  const wait_function plain = function;
  contestants().push_back({benchmark, operation, name, kind, "native", reinterpret_cast<const void*>(plain), nullptr});
}

// Two tables: delays and, if with_processor, processor time. memory: passed to the contestants.
inline void add_waits(report& results, const std::string& benchmark, const std::string& operation,
                      const std::string& title, const std::string& memory, bool with_processor) {
  const std::vector<contestant> all = enrolled(benchmark, operation);
  std::vector<row> delays;
  std::vector<row> processor;
  std::vector<std::string> names;
  for (const contestant& each : all) {
    delays.push_back({each, {}});
    processor.push_back({each, {}});
  }
  for (const double duration : durations) {
    names.push_back(duration_name(duration));
    std::map<std::string, std::vector<double>> used;
    const auto sample = [&](const contestant& who, std::size_t) {
      const auto run = reinterpret_cast<wait_function>(const_cast<void*>(who.kernel));
      const int rounds = std::max(1, std::min(100, static_cast<int>(20000 / duration)));
      const wait_cost cost = run(memory, duration, rounds);
      used[who.name].push_back(cost.processor);
      return cost.delay;
    };
    const int repetitions = duration < 100000 ? wait_repetitions : long_wait_repetitions;
    const std::vector<row> measured = measure(all, 1, repetitions, sample);
    for (std::size_t index = 0; index < all.size(); ++index) {
      delays[index].samples.push_back(measured[index].samples[0]);
      processor[index].samples.push_back(used[all[index].name]);
    }
  }
  for (row& each : delays)
    each.who.operation = title;
  for (row& each : processor)
    each.who.operation = title + ", processor time";
  results.add(delays, names, title + ": delay after the end of a wait", "us");
  if (with_processor)
    results.add(processor, names, title + ": processor time of the thread that waits", "% of the time waited");
}

}  // namespace bench

#endif
