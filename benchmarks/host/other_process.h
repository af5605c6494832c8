// Waits that another process ends, in memory that both share: as with a kernel, no notification comes. They need no GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_HOST_OTHER_PROCESS_H
#define CUDASYNC_BENCHMARKS_HOST_OTHER_PROCESS_H

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>

#include "waits.h"

namespace bench {

inline constexpr const char* other_process = "host waits";

template <class Way>
wait_cost wait_for_process(const std::string&, double microseconds, int rounds) {
  struct shared {
    Way way;
    alignas(128) mailbox mail;
  };
  void* const memory = mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) check(cudaErrorUnknown, "mmap");
  shared& all = *new (memory) shared{};
  mailbox& mail = all.mail;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) check(cudaErrorUnknown, "fork");
  if (child == 0) {
    for (int round = 0; round < rounds; ++round) {
      while (mail.rounds_begun <= round) {
      }
      pass(duration_in_round(microseconds, round));
      const double end = clock_in_microseconds(CLOCK_MONOTONIC);
      all.way.end(round);
      while (mail.rounds_ended <= round) {
      }
      mail.delays[round] = clock_in_microseconds(CLOCK_MONOTONIC) - end;
    }
    _exit(0);
  }
  wait_cost cost;
  cost.processor = wait_in_rounds(
      all.way, rounds, [&](int round) { mail.rounds_begun = round + 1; },
      [&](int round) { mail.rounds_ended = round + 1; });
  waitpid(child, nullptr, 0);
  cost.delay = median_delay(mail, rounds);
  munmap(memory, sizeof(shared));
  return cost;
}

}  // namespace bench

#endif
