// Measures a device-scope barrier in global memory: cycles per phase, with at most one block on a multiprocessor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_barrier.h"
#include "device_hand.h"
#include "wakeup.h"

namespace bench {
namespace {

constexpr unsigned warm_up = 20;
constexpr unsigned measured = 200;
constexpr int repetitions = 7;

struct acquire_spin : raw_counter {
  __device__ __forceinline__ void arrive_only(unsigned = 0) { arrive(); }
};

const bool is_enrolled = [] {
  enroll_device_barrier<raw_counter>("raw counter, the phase is known", hand);
  enroll_device_barrier<ticket_counter>("raw counter, the phase from the ticket", hand);
  enroll_device_barrier<sense_reversal>("the last resets and flips a sense", hand);
  enroll_device_wakeup<acquire_spin>("counter, acquire spin", hand);
  return true;
}();

}  // namespace

void run_device_barrier(report& results) {
  struct configuration {
    int blocks;
    int threads;
  };
  const int all = gpu::current().multiprocessors;
  const std::vector<configuration> configurations{{all, 32}, {all / 2, 256}, {all, 256}, {all, 1024}};
  std::vector<std::string> names;
  for (const configuration& each : configurations)
    names.push_back(std::to_string(each.blocks) + " x " + std::to_string(each.threads));
  const device_array<char> storage(256);
  for (const char* operation : {all_arrive, leader_only}) {
    const auto sample = [&](const contestant& who, std::size_t index) {
      const auto [blocks, threads] = configurations[index];
      const device_array<long long> cycles(static_cast<std::size_t>(blocks));
      void* bar = storage.data();
      unsigned expected = static_cast<unsigned>(operation == all_arrive ? blocks * threads : blocks);
      void* prepare_arguments[] = {&bar, &expected};
      launch(who.prepare, 1, 1, prepare_arguments, 0, false, "init of " + who.name);
      unsigned before = warm_up;
      unsigned count = measured;
      long long* out = cycles.data();
      void* arguments[] = {&bar, &before, &count, &out};
      launch(who.kernel, blocks, threads, arguments, bytes_that_limit_blocks_to(1), true,
             who.operation + ", " + who.name);
      return median(cycles.copy()) / measured;
    };
    results.add(measure(enrolled("device_barrier", operation), names.size(), repetitions, sample), names,
                std::string("device scope: ") + operation + ", blocks x threads", "cycles per phase");
  }
}

}  // namespace bench
