// Measures a block's barrier in shared memory: cycles per phase, for blocks of 32 to 1,024 threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "barrier.h"
#include "hand.h"
#include "wakeup.h"

namespace bench {
namespace {

constexpr unsigned warm_up = 64;
constexpr unsigned measured = 2000;
constexpr int repetitions = 9;

struct configuration {
  std::string name;
  int threads;
  int blocks;  // per multiprocessor
};

const bool is_enrolled = [] {
  enroll_barrier<hand_mbarrier<loop_try_wait>>("C++ loop, try_wait", hand, "sm90");
  enroll_barrier<hand_mbarrier<block_try_wait>>("asm loop, try_wait", hand, "sm90");
  enroll_barrier<hand_mbarrier<block_through_try_wait>>("asm loop with an exit, try_wait", hand, "sm90");
  enroll_barrier<hand_mbarrier<block_twice_try_wait>>("asm loop with two ways out, try_wait", hand, "sm90");
  enroll_barrier<hand_mbarrier<block_through_test_wait>>("asm loop with an exit, test_wait", hand, "sm80");
  enroll_barrier<hand_mbarrier<first<one_test_wait, loop_try_wait>>>("test_wait, then C++ loop, try_wait", hand,
                                                                     "sm90");
  enroll_barrier<hand_mbarrier<loop_test_wait>>("C++ loop, test_wait", hand, "sm90");
  enroll_barrier<hand_mbarrier<block_test_wait>>("asm loop, test_wait", hand, "sm90");
  enroll_barrier<hand_mbarrier<first<one_try_wait, block_through_try_wait>>>("try_wait, then asm loop with an exit",
                                                                             hand, "sm90");
  enroll_barrier<hand_mbarrier<block_hint_wait>>("asm loop, try_wait with CUTLASS's hint", hand, "sm90");
  enroll_barrier<hand_mbarrier<loop<one_hint_wait>>>("C++ loop, try_wait with CUTLASS's hint", hand, "sm90");

  enroll_barrier<hand_mbarrier<loop_try_wait>, sight::pointer>("C++ loop, try_wait, unknown space", "reference",
                                                               "sm90");
  enroll_barrier<hand_mbarrier<loop_try_wait>, sight::function>("C++ loop, try_wait, reference, not inlined",
                                                                "reference", "sm90");

  enroll_barrier<hand_mbarrier<loop_test_wait>>("C++ loop, test_wait", hand, "sm80");
  enroll_barrier<hand_mbarrier<block_test_wait>>("asm loop, test_wait", hand, "sm80");
  enroll_barrier<hand_mbarrier<block_twice_test_wait>>("asm loop with two ways out, test_wait", hand, "sm80");
  enroll_barrier<hand_mbarrier<first<one_test_wait, block_through_test_wait>>>("test_wait, then asm loop with an exit",
                                                                               hand, "sm80");
  enroll_barrier<hand_mbarrier<loop<one_test_wait, 20>>>("C++ loop, test_wait, nanosleep 20", hand, "sm80");
  enroll_barrier<hand_mbarrier<loop<one_test_wait, 100>>>("C++ loop, test_wait, nanosleep 100", hand, "sm80");

  enroll_barrier<hand_shared_counter<false>>("counter, acquire spin", hand, "sm70");
  enroll_barrier<hand_shared_counter<true>>("counter, one lane arrives, acquire spin", hand, "sm70");

  enroll_block_wakeup<hand_mbarrier<loop_try_wait>>("C++ loop, try_wait", hand, "sm90");
  enroll_block_wakeup<hand_mbarrier<block_hint_wait>>("asm loop, try_wait with CUTLASS's hint", "reference", "sm90");
  enroll_block_wakeup<hand_mbarrier<loop_test_wait>>("C++ loop, test_wait", hand, "sm80");
  enroll_block_wakeup<hand_shared_counter<false>>("counter, acquire spin", hand, "sm70");
  return true;
}();

}  // namespace

void run_barrier(report& results) {
  const int multiprocessors = gpu::current().multiprocessors;
  const std::vector<configuration> configurations{{"32", 32, 1},      {"64", 64, 1},   {"128", 128, 1},
                                                  {"256", 256, 1},    {"512", 512, 1}, {"1024", 1024, 1},
                                                  {"4 x 256", 256, 4}};
  std::vector<std::string> names;
  for (const configuration& each : configurations)
    names.push_back(each.name);
  const device_array<unsigned> sink(1);
  for (const char* operation :
       {arrive_and_wait::name, split::name, split_float<16>::name, split_float<32>::name, split_float<64>::name,
        split_load::name, staggered::name, parity::name, parity_float<16>::name, parity_float<32>::name,
        parity_float<64>::name, staggered_parity::name}) {
    const auto sample = [&](const contestant& who, std::size_t index) {
      const configuration& chosen = configurations[index];
      const int blocks = chosen.blocks * multiprocessors;
      const device_array<long long> cycles(static_cast<std::size_t>(blocks));
      unsigned before = warm_up;
      unsigned count = measured;
      long long* out = cycles.data();
      unsigned* unused = sink.data();
      void* arguments[] = {&before, &count, &out, &unused};
      launch(who.kernel, blocks, chosen.threads, arguments, bytes_that_limit_blocks_to(chosen.blocks), false,
             who.operation + ", " + who.name);
      return median(cycles.copy()) / measured;
    };
    results.add(measure(enrolled("barrier", operation), configurations.size(), repetitions, sample), names,
                std::string("block scope: ") + operation + ", threads per block (x blocks per multiprocessor)",
                "cycles per phase");
  }
}

}  // namespace bench
