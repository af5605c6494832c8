// The objects that one side waits for and another ends the wait, of the library whose headers were included before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_HOST_WAYS_H
#define CUDASYNC_BENCHMARKS_HOST_WAYS_H

#include <new>

#include "waits.h"

namespace bench { namespace {  // the translation units of a program include different libraries

constexpr auto system = cuda::thread_scope_system;

struct atomic_way {
  static constexpr const char* name = "atomic";
  cuda::atomic<int, system> value{0};
  BENCH_BOTH void wait(int round) { value.wait(round, cuda::memory_order_acquire); }
  BENCH_BOTH void end(int round) {
    value.store(round + 1, cuda::memory_order_release);
    value.notify_all();
  }
};

struct atomic_ref_way {
  static constexpr const char* name = "atomic_ref";
  int value = 0;
  BENCH_BOTH void wait(int round) { cuda::atomic_ref<int, system>(value).wait(round, cuda::memory_order_acquire); }
  BENCH_BOTH void end(int round) {
    const cuda::atomic_ref<int, system> all(value);
    all.store(round + 1, cuda::memory_order_release);
    all.notify_all();
  }
};

struct barrier_way {
  static constexpr const char* name = "barrier";
  cuda::barrier<system> bar{1};
  BENCH_BOTH void wait(int round) { bar.wait_parity(round % 2 != 0); }
  BENCH_BOTH void end(int) { static_cast<void>(bar.arrive()); }
};

struct latch_way {
  static constexpr const char* name = "latch";
  alignas(cuda::latch<system>) unsigned char bytes[most_rounds * sizeof(cuda::latch<system>)];
  latch_way() {
    for (int round = 0; round < most_rounds; ++round)
      new (&at(round)) cuda::latch<system>(1);
  }
  BENCH_BOTH cuda::latch<system>& at(int round) { return reinterpret_cast<cuda::latch<system>*>(bytes)[round]; }
  BENCH_BOTH void wait(int round) { at(round).wait(); }
  BENCH_BOTH void end(int round) { at(round).count_down(); }
};

struct semaphore_way {
  static constexpr const char* name = "semaphore";
  cuda::counting_semaphore<system> permits{0};
  BENCH_BOTH void wait(int) { permits.acquire(); }
  BENCH_BOTH void end(int) { permits.release(); }
};

// Calls enroll(Way*) for each.
template <class Enroll>
void for_each_way(Enroll enroll) {
  enroll(static_cast<atomic_way*>(nullptr));
  enroll(static_cast<atomic_ref_way*>(nullptr));
  enroll(static_cast<barrier_way*>(nullptr));
  enroll(static_cast<latch_way*>(nullptr));
  enroll(static_cast<semaphore_way*>(nullptr));
}

#if defined(CUDASYNC_VERSION)
std::string library_name() {
  return "cudasync";
}
constexpr const char* library_kind = "ours";
#else
std::string library_name() {
  return cccl_name();
}
constexpr const char* library_kind = "peer";
#endif

}}  // namespace bench

#endif
