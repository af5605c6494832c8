// Two host threads in turns: each waits for an object that the other one ends. Nanoseconds for one hand-over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_HOST_HAND_OVER_H
#define CUDASYNC_BENCHMARKS_HOST_HAND_OVER_H

#include <atomic>
#include <memory>
#include <thread>

#include "waits.h"

namespace bench {

inline constexpr const char* hand_over = "hand-over";

template <class Way>
double hand_over_between_threads() {
  struct pair {
    alignas(128) Way there;
    alignas(128) Way back;
  };
  const auto ways = std::make_unique<pair>();
  std::atomic<int> ready{0};
  const auto meet = [&ready] {
    ++ready;
    while (ready != 2) {
    }
  };
  std::thread other([&] {
    meet();
    for (int round = 0; round < most_rounds; ++round) {
      ways->there.wait(round);
      ways->back.end(round);
    }
  });
  meet();
  const stopwatch time;
  for (int round = 0; round < most_rounds; ++round) {
    ways->there.end(round);
    ways->back.wait(round);
  }
  const double seconds = time.seconds();
  other.join();
  return seconds * 1e9 / (2 * most_rounds);
}

using hand_over_function = double (*)();

template <class Way>
void enroll_hand_over(const std::string& operation, const std::string& name, const std::string& kind) {
  const hand_over_function function = hand_over_between_threads<Way>;
  contestants().push_back(
      {hand_over, operation, name, kind, "native", reinterpret_cast<const void*>(function), nullptr});
}

}  // namespace bench

#endif
