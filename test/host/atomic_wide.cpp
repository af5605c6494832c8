// Atomics of sixteen bytes, which the host does with its compiler's library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <chrono>
#include <cstdint>

struct sixteen_bytes {
  std::uint64_t first, second;
};
bool operator==(sixteen_bytes left, sixteen_bytes right) {
  return left.first == right.first && left.second == right.second;
}
struct alignas(16) aligned_letters {
  char letters[16];
};

static_assert(alignof(cuda::atomic<sixteen_bytes>) == 16 && sizeof(cuda::atomic<aligned_letters>) == 16);
static_assert(cuda::atomic_ref<sixteen_bytes>::required_alignment == 16);
static_assert(!cuda::atomic_ref<sixteen_bytes>::is_always_lock_free);

template <class Atom>
void check_accesses(Atom& atom) {
  CHECK(atom.load() == sixteen_bytes{1, 2});
  atom.store({3, 4});
  CHECK(atom.load(cuda::memory_order_relaxed) == sixteen_bytes{3, 4});
  CHECK(atom.exchange({5, 6}, cuda::memory_order_acq_rel) == sixteen_bytes{3, 4});
  sixteen_bytes expected{5, 7};
  CHECK_FALSE(atom.compare_exchange_strong(expected, sixteen_bytes{8, 9}));
  CHECK(expected == sixteen_bytes{5, 6});
  CHECK(atom.compare_exchange_weak(expected, sixteen_bytes{8, 9}, cuda::memory_order_release,
                                   cuda::memory_order_relaxed));
  CHECK(atom.load(cuda::memory_order_acquire) == sixteen_bytes{8, 9});
  atom.wait({9, 8});
  CHECK(atom.wait([](const sixteen_bytes& value) { return value.second == 9; }) == sixteen_bytes{8, 9});
  CHECK_FALSE(atom.wait_for(sixteen_bytes{8, 9}, std::chrono::milliseconds(1)));
}

TEST_CASE("objects and references of sixteen bytes") {
  cuda::atomic<sixteen_bytes> system({1, 2});
  check_accesses(system);
  volatile cuda::std::atomic<sixteen_bytes> standard({1, 2});
  check_accesses(standard);
  alignas(16) sixteen_bytes objects[3] = {{7, 6}, {1, 2}, {7, 6}};
  const cuda::atomic_ref<sixteen_bytes, cuda::thread_scope_device> ref(objects[1]);
  check_accesses(ref);
  CHECK(objects[0] == sixteen_bytes{7, 6});
  CHECK(objects[2] == sixteen_bytes{7, 6});
}

TEST_CASE("references to volatile objects of sixteen bytes") {
  alignas(16) volatile sixteen_bytes object{1, 2};
  const cuda::atomic_ref<volatile sixteen_bytes> ref(object);
  check_accesses(ref);
  const cuda::std::atomic_ref<const volatile sixteen_bytes> reader(object);
  CHECK(reader.load() == sixteen_bytes{8, 9});
  CHECK_FALSE(reader.wait_for(sixteen_bytes{8, 9}, std::chrono::milliseconds(1)));
}

TEST_CASE("a struct of sixteen characters") {
  const aligned_letters initial{{'a', 'b'}};
  cuda::atomic<aligned_letters> atom(initial);
  CHECK(atom.exchange({{'c'}}).letters[1] == 'b');
  CHECK(atom.load().letters[0] == 'c');
}

TEST_CASE("threads count in both halves at once") {
  constexpr int threads = 4;
  constexpr std::uint64_t rounds = 3000;
  cuda::atomic<sixteen_bytes> atom({0, 0});
  failure_count failures;
  run_threads(threads, [&](int) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      sixteen_bytes seen = atom.load(cuda::memory_order_relaxed);
      failures.expect(seen.second == 3 * seen.first);
      while (!atom.compare_exchange_weak(seen, sixteen_bytes{seen.first + 1, seen.second + 3}))
        failures.expect(seen.second == 3 * seen.first);
    }
  });
  CHECK(failures.value() == 0);
  CHECK(atom.load() == sixteen_bytes{threads * rounds, 3 * threads * rounds});
}

#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 wide_int;

// Catch2 cannot print it.
bool is_equal(wide_int left, wide_int right) {
  return left == right;
}

TEST_CASE("integers of 128 bits") {
  const wide_int carry = static_cast<wide_int>(1) << 64;
  cuda::atomic<wide_int> atom(carry - 1);
  CHECK(is_equal(atom.fetch_add(1), carry - 1));
  CHECK(is_equal(atom.fetch_sub(2), carry));
  CHECK(is_equal(atom.fetch_min(-carry), carry - 2));
  CHECK(is_equal(atom.fetch_max(carry), -carry));
  CHECK(is_equal(atom.fetch_or(1), carry));
  CHECK(is_equal(atom.fetch_xor(carry), carry + 1));
  CHECK(is_equal(atom.fetch_and(-2), 1));
  CHECK(is_equal(--atom, -1));
  CHECK(is_equal(atom++, -1));
  CHECK(is_equal(atom.load(), 0));
}
#endif
