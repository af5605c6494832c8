// A host thread and a kernel in turns, on an object in managed or pinned memory: either of them waits, the other ends it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_HOST_GPU_KERNEL_H
#define CUDASYNC_BENCHMARKS_HOST_GPU_KERNEL_H

#include <new>

#include "../host/waits.h"

namespace bench {

inline constexpr const char* host_waits = "host waits for kernel";
inline constexpr const char* kernel_waits = "kernel waits for host";

__device__ inline unsigned long long nanoseconds() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  return time;
}

// Until the other side has begun or ended the round. It is given up after 30 s, so that a fault does not hang the machine.
__device__ inline void await_word(const volatile int& word, int round) {
  const unsigned long long start = nanoseconds();
  while (word <= round && nanoseconds() - start < 30000000000) {
  }
}

template <class Way>
__global__ void end_waits(Way* way, mailbox* mail, double microseconds, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const double duration = duration_in_round(microseconds, round) * 1000;
    await_word(mail->rounds_begun, round);
    const unsigned long long start = nanoseconds();
    while (static_cast<double>(nanoseconds() - start) < duration) {
    }
    const unsigned long long end = nanoseconds();
    way->end(round);
    await_word(mail->rounds_ended, round);
    mail->delays[round] = static_cast<double>(nanoseconds() - end) / 1000;
  }
}

template <class Way>
__global__ void wait_often(Way* way, mailbox* mail, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    mail->rounds_begun = round + 1;
    way->wait(round);
    mail->rounds_ended = round + 1;
  }
}

// The object, in managed or pinned memory, and the mailbox, always in pinned memory.
template <class Way>
struct placed {
  explicit placed(const std::string& memory) : is_managed(memory == "managed") {
    void* raw = nullptr;
    check(is_managed ? cudaMallocManaged(&raw, sizeof(Way)) : cudaMallocHost(&raw, sizeof(Way)), memory);
    way = new (raw) Way{};
    check(cudaMallocHost(&raw, sizeof(mailbox)), "cudaMallocHost");
    mail = new (raw) mailbox{};
  }
  ~placed() {
    check(is_managed ? cudaFree(way) : cudaFreeHost(way), "cudaFree");
    check(cudaFreeHost(mail), "cudaFreeHost");
  }
  placed(const placed&) = delete;
  placed& operator=(const placed&) = delete;

  bool is_managed;
  Way* way;
  mailbox* mail;
};

template <class Way>
wait_cost wait_for_kernel(const std::string& memory, double microseconds, int rounds) {
  const placed<Way> all(memory);
  mailbox& mail = *all.mail;
  end_waits<<<1, 1>>>(all.way, all.mail, microseconds, rounds);
  check(cudaGetLastError(), "end_waits");
  wait_cost cost;
  cost.processor = wait_in_rounds(
      *all.way, rounds, [&](int round) { mail.rounds_begun = round + 1; },
      [&](int round) { mail.rounds_ended = round + 1; });
  check(cudaDeviceSynchronize(), "end_waits");
  cost.delay = median_delay(mail, rounds);
  return cost;
}

template <class Way>
wait_cost let_kernel_wait(const std::string& memory, double microseconds, int rounds) {
  const placed<Way> all(memory);
  mailbox& mail = *all.mail;
  wait_often<<<1, 1>>>(all.way, all.mail, rounds);
  check(cudaGetLastError(), "wait_often");
  for (int round = 0; round < rounds; ++round) {
    while (mail.rounds_begun <= round) {
    }
    pass(duration_in_round(microseconds, round));
    const double end = clock_in_microseconds(CLOCK_MONOTONIC);
    all.way->end(round);
    while (mail.rounds_ended <= round) {
    }
    mail.delays[round] = clock_in_microseconds(CLOCK_MONOTONIC) - end;
  }
  check(cudaDeviceSynchronize(), "wait_often");
  return {median_delay(mail, rounds), 100};
}

template <class Way>
void enroll_both(const char* operation, const std::string& name, const std::string& kind) {
  enroll_wait(host_waits, operation, name, kind, wait_for_kernel<Way>);
  enroll_wait(kernel_waits, operation, name, kind, let_kernel_wait<Way>);
}

}  // namespace bench

#endif
