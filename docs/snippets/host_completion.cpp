// Host threads that iterate, with a completion function between two iterations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// [program]
#include <cuda/std/barrier>

#include <thread>
#include <vector>

int main() {
  constexpr int workers = 4;
  int iterations = 0;
  auto count = [&iterations]() noexcept { ++iterations; };  // once a phase, while nobody else runs
  cuda::std::barrier bar(workers, count);

  std::vector<std::thread> threads;
  for (int worker = 0; worker < workers; ++worker)
    threads.emplace_back([&] {
      while (iterations < 100)
        bar.arrive_and_wait();
    });
  for (std::thread& thread : threads)
    thread.join();
  return iterations == 100 ? 0 : 1;
}
// [end program]
