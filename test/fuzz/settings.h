// Which seeds a random test runs: those of the corpus, one that the environment names, or new ones for some time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_FUZZ_SETTINGS_H
#define CUDASYNC_TEST_FUZZ_SETTINGS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <vector>

namespace fuzz {

// Seeds that cover all kinds of steps together; tests check this. A seed that found a fault is added to its list.
const std::vector<uint64_t> corpus_of_instructions = {1, 2, 3, 4, 5, 6, 7, 1676};
const std::vector<uint64_t> corpus_of_programs = {1, 2, 3, 7, 9, 17, 38, 41, 49, 59, 60, 303};
const std::vector<uint64_t> corpus_of_host_programs = {1, 2, 3, 4, 5, 6};

inline uint32_t settings(const char* name, uint32_t otherwise) {
  const char* const text = getenv(name);
  return text != nullptr && *text != 0 ? static_cast<uint32_t>(strtoul(text, nullptr, 10)) : otherwise;
}
// The name of an operation that programs leave out, as a fault that must be found.
inline const char* planted_fault() {
  const char* const name = getenv("CUDASYNC_FUZZ_FAULT");
  return name != nullptr ? name : "";
}
inline bool has_limit() {
  return settings("CUDASYNC_FUZZ_SECONDS", 0) != 0;
}
inline bool is_corpus() {
  return !has_limit() && getenv("CUDASYNC_FUZZ_SEED") == nullptr;
}

inline double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// CUDASYNC_FUZZ_SEED alone: this one. CUDASYNC_FUZZ_SECONDS: seeds from CUDASYNC_FUZZ_SEED on, or from the time of day.
// Returns how many seeds it ran.
template <class Run>
uint64_t for_each_seed(const std::vector<uint64_t>& corpus, Run run) {
  const uint32_t seconds = settings("CUDASYNC_FUZZ_SECONDS", 0);
  const char* const named = getenv("CUDASYNC_FUZZ_SEED");
  uint64_t seed = named != nullptr ? strtoull(named, nullptr, 10) : static_cast<uint64_t>(time(nullptr)) * 100000;
  if (seconds == 0) {
    if (named != nullptr) return run(seed), 1;
    for (const uint64_t each : corpus)
      run(each);
    return corpus.size();
  }
  const uint64_t first = seed;
  for (const double end = now() + seconds; now() < end; ++seed) {
    printf("seed %llu\n", static_cast<unsigned long long>(seed));
    fflush(stdout);  // before a run that may not return
    run(seed);
  }
  printf("%llu seeds from %llu\n", static_cast<unsigned long long>(seed - first),
         static_cast<unsigned long long>(first));
  return seed - first;
}

}  // namespace fuzz

#endif
