// Store buffering, which seq_cst forbids to objects and to fences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// without ThreadSanitizer: it knows no fences, as g++ says, and its calls around each access hide store buffering
#include "catch.h"
#include "threads.h"

#include <cuda/atomic>

#include <vector>

constexpr auto relaxed = cuda::memory_order_relaxed;

// Two threads each write one object and read the other. That both read zero is forbidden to seq_cst, and what processors
// do otherwise: most often while both caches hold both objects, so each is read before and is alone in its line.
struct alignas(64) object_of_a_round {
  int value = 0;
};
template <class Write, class Read>
int forbidden_outcomes(Write write, Read read) {
  constexpr int rounds = 30000;
  std::vector<object_of_a_round> objects[2] = {std::vector<object_of_a_round>(rounds),
                                               std::vector<object_of_a_round>(rounds)};
  std::vector<int> seen[2] = {std::vector<int>(rounds), std::vector<int>(rounds)};
  meeting start(2);
  run_threads(2, [&](int rank) {
    for (int round = 0; round < rounds; ++round) {
      int& mine = objects[rank][round].value;
      int& theirs = objects[1 - rank][round].value;
      static_cast<void>(cuda::atomic_ref(mine).load(relaxed) + cuda::atomic_ref(theirs).load(relaxed));
      start.wait();
      write(mine);
      seen[rank][round] = read(theirs);
    }
  });
  int forbidden = 0;
  for (int round = 0; round < rounds; ++round)
    forbidden += seen[0][round] == 0 && seen[1][round] == 0;
  return forbidden;
}

// not_on_qemu: qemu emits no fence between stlr and ldar, so store buffering can be seen on x86
TEST_CASE("store buffering is forbidden to seq_cst", "[not_on_qemu]") {
  const auto load = [](int& object) { return cuda::atomic_ref(object).load(); };
  CHECK(forbidden_outcomes([](int& object) { cuda::atomic_ref(object).store(1); }, load) == 0);
  CHECK(forbidden_outcomes([](int& object) { cuda::atomic_ref<int>{object} = 1; }, load) == 0);
  CHECK(forbidden_outcomes([](int& object) { cuda::atomic_ref(object).store(1, cuda::memory_order_seq_cst); },
                           [](int& object) { return cuda::atomic_ref(object).load(cuda::memory_order::seq_cst); }) ==
        0);
  CHECK(forbidden_outcomes([](int& object) { cuda::atomic_ref(object).store(1, cuda::memory_order::seq_cst); }, load) ==
        0);
}

TEST_CASE("store buffering is forbidden across fences of seq_cst") {
  const auto load = [](int& object) { return cuda::atomic_ref(object).load(relaxed); };
  const auto check = [&](auto order) {
    CHECK(forbidden_outcomes(
              [=](int& object) {
                cuda::atomic_ref(object).store(1, relaxed);
                cuda::atomic_thread_fence(order);
              },
              load) == 0);
  };
  check(cuda::memory_order_seq_cst);
  check(cuda::memory_order::seq_cst);
}
