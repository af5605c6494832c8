// A consumer without CUDA: a barrier hands a value from one thread to another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

#if defined(WITH_HEADER_MAP)
#include <cudasync_header_map.h>
static_assert(cudasync::header_count > 100, "the headers are not in the map");
#endif

#include <thread>

int main() {
  cuda::barrier<cuda::thread_scope_system> written(2);
  int value = 0;
  std::thread writer([&] {
    value = 42;
    written.arrive_and_wait();
  });
  written.arrive_and_wait();
  const bool correct = value == 42;
  writer.join();
  return correct ? 0 : 1;
}
