// cuda::memcpy_async on barriers on the host: every form, size and alignment; nothing but the destination is written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"

#include <cuda/barrier>
#include <cuda/std/barrier>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <sys/mman.h>
#include <unistd.h>

struct nothing {
  void operator()() {}
};

#define BARRIERS_OF_SEVERAL_THREADS                                                                \
  cuda::barrier<cuda::thread_scope_block>, cuda::barrier<cuda::thread_scope_device>,               \
      cuda::barrier<cuda::thread_scope_system>, cuda::std::barrier<>, cuda::std::barrier<nothing>, \
      (cuda::barrier<cuda::thread_scope_block, nothing>), (cuda::barrier<cuda::thread_scope_device, nothing>)
#define ALL_BARRIERS                                                     \
  BARRIERS_OF_SEVERAL_THREADS, cuda::barrier<cuda::thread_scope_thread>, \
      (cuda::barrier<cuda::thread_scope_thread, nothing>)

using cuda::async_contract_fulfillment;
using cuda::thread_scope_block;

constexpr std::size_t largest = 300;

// A source, and a destination with room on both sides that no copy may touch.
class buffers {
 public:
  buffers(std::size_t destination_offset, std::size_t source_offset)
      : first_(guard + destination_offset), source_first_(source_offset) {
    std::fill(std::begin(destination_), std::end(destination_), untouched);
    for (std::size_t at = 0; at < sizeof source_; ++at)
      source_[at] = static_cast<unsigned char>(at % 251 + 1);  // neither zero nor untouched where it matters
  }

  unsigned char* destination() { return destination_ + first_; }
  const unsigned char* source() const { return source_ + source_first_; }

  // Whether the first copied bytes of the destination are the source's, then come so many zeros, and nothing else changed.
  bool hold(std::size_t copied, std::size_t zeros = 0) const {
    for (std::size_t at = 0; at < sizeof destination_; ++at) {
      const std::size_t offset = at - first_;
      const unsigned char expected = at < first_ || offset >= copied + zeros ? untouched
                                     : offset < copied                       ? source_[source_first_ + offset]
                                                                             : 0;
      if (destination_[at] != expected) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t guard = 64;
  static constexpr unsigned char untouched = 0xfe;

  alignas(64) unsigned char destination_[guard + largest + 2 * guard];
  alignas(64) unsigned char source_[largest + 64];
  const std::size_t first_;
  const std::size_t source_first_;
};

// Copies by function(destination, source, barrier), then looks at the result.
template <class Barrier, class Function>
bool copies(std::size_t destination_offset, std::size_t source_offset, std::size_t copied, std::size_t zeros,
            Function function) {
  buffers all(destination_offset, source_offset);
  Barrier bar(1);
  static_assert(std::is_same_v<decltype(function(all.destination(), all.source(), bar)), async_contract_fulfillment>);
  const bool is_over = function(all.destination(), all.source(), bar) == async_contract_fulfillment::none;
  bar.arrive_and_wait();
  return is_over && all.hold(copied, zeros);
}

template <class Integer>
struct group_of_one {
  Integer thread_rank() const { return 0; }
  Integer size() const { return 1; }
  void sync() const {}
};

TEMPLATE_TEST_CASE("bytes of any number and alignment", "", ALL_BARRIERS) {
  bool is_right = true;
  for (std::size_t size = 0; size <= largest; ++size) {
    const auto check = [&](auto function) {
      is_right = is_right && copies<TestType>(size % 7, size % 5, size, 0, function);
    };
    check([=](auto* to, auto* from, auto& bar) { return memcpy_async(to, from, size, bar); });
    check([=](void* to, const void* from, auto& bar) { return cuda::memcpy_async(to, from, size, bar); });
    check([=](auto* to, auto* from, auto& bar) { return memcpy_async(group_of_one<int>(), to, from, size, bar); });
    check([=](void* to, const void* from, auto& bar) {
      return cuda::memcpy_async(group_of_one<int>(), to, from, size, bar);
    });
  }
  CHECK(is_right);
}

TEMPLATE_TEST_CASE("sizes are of any integer type", "", signed char, unsigned char, short, unsigned short, int,
                   unsigned, long, unsigned long, long long, unsigned long long) {
  const auto size = static_cast<TestType>(100);
  using block_barrier = cuda::barrier<thread_scope_block>;
  CHECK(copies<block_barrier>(1, 2, 100, 0,
                              [=](auto* to, auto* from, auto& bar) { return memcpy_async(to, from, size, bar); }));
  CHECK(copies<block_barrier>(3, 1, 100, 0, [=](void* to, const void* from, auto& bar) {
    return memcpy_async(group_of_one<int>(), to, from, size, bar);
  }));
}

template <std::size_t Alignment>
struct aligned {
  static constexpr std::size_t value = Alignment;
};

TEMPLATE_TEST_CASE("sizes that promise an alignment", "", aligned<1>, aligned<2>, aligned<4>, aligned<8>, aligned<16>,
                   aligned<32>) {
  using system_barrier = cuda::barrier<cuda::thread_scope_system>;
  constexpr std::size_t alignment = TestType::value;
  bool is_right = true;
  for (std::size_t size = 0; size <= largest; size += alignment) {
    const cuda::aligned_size_t<alignment> bytes(size);
    const std::size_t to_offset = size % 3 * alignment % 64;
    const std::size_t from_offset = size % 5 * alignment % 64;
    const auto check = [&](auto function) {
      is_right = is_right && copies<system_barrier>(to_offset, from_offset, size, 0, function);
    };
    check([=](auto* to, auto* from, auto& bar) { return memcpy_async(to, from, bytes, bar); });
    check([=](void* to, const void* from, auto& bar) { return memcpy_async(to, from, bytes, bar); });
    check([=](auto* to, auto* from, auto& bar) { return memcpy_async(group_of_one<short>(), to, from, bytes, bar); });
    check([=](void* to, const void* from, auto& bar) {
      return memcpy_async(group_of_one<short>(), to, from, bytes, bar);
    });
  }
  CHECK(is_right);
}

static_assert(std::is_same_v<decltype(cudasync::zero_filled_size(8, 3)), cudasync::zero_filled_size<1>>);
static_assert(
    std::is_same_v<decltype(cudasync::zero_filled_size(cuda::aligned_size_t<8>(8), 3)), cudasync::zero_filled_size<8>>);

TEMPLATE_TEST_CASE("bytes beyond the valid ones become zeros", "", cuda::barrier<thread_scope_block>,
                   cuda::std::barrier<nothing>) {
  bool is_right = true;
  for (std::size_t size = 0; size <= 80; ++size) {
    for (std::size_t valid = 0; valid <= size; ++valid) {
      const auto check = [&](std::size_t offset, auto function) {
        is_right = is_right && copies<TestType>(offset, valid % 5 * 16 % 64, valid, size - valid, function);
      };
      const cudasync::zero_filled_size bytes(size, valid);
      check(size % 7, [=](auto* to, auto* from, auto& bar) { return memcpy_async(to, from, bytes, bar); });
      check(size % 7, [=](void* to, const void* from, auto& bar) {
        return memcpy_async(group_of_one<long>(), to, from, bytes, bar);
      });
      if (size % 16 != 0) continue;
      const cudasync::zero_filled_size units(cuda::aligned_size_t<16>(size), valid);
      check(16, [=](void* to, const void* from, auto& bar) { return memcpy_async(to, from, units, bar); });
      check(32,
            [=](auto* to, auto* from, auto& bar) { return memcpy_async(group_of_one<long>(), to, from, units, bar); });
    }
  }
  CHECK(is_right);
}

// The source is the last bytes of memory that can be read.
TEST_CASE("bytes beyond the valid ones are not read") {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  unsigned char* const end = static_cast<unsigned char*>(pages) + page;
  REQUIRE(mprotect(end, page, PROT_NONE) == 0);
  std::fill_n(end - 64, 64, static_cast<unsigned char>(0x33));
  unsigned char destination[64];
  for (std::size_t valid = 0; valid <= 64; ++valid) {
    std::fill_n(destination, 64, static_cast<unsigned char>(0xfe));
    cuda::barrier<thread_scope_block> bar(1);
    memcpy_async(destination, end - valid, cudasync::zero_filled_size(64, valid), bar);
    bar.arrive_and_wait();
    CHECK(std::count(destination, destination + valid, 0x33) == static_cast<std::ptrdiff_t>(valid));
    CHECK(std::count(destination + valid, destination + 64, 0) == static_cast<std::ptrdiff_t>(64 - valid));
    memcpy_async(destination, end - valid, valid, bar);
  }
  CHECK(munmap(pages, 2 * page) == 0);
}

struct three_ints {
  int values[3];
};
struct alignas(32) wide {
  unsigned char bytes[32];
};
struct derived : three_ints {
  char more;
};
static_assert(std::is_trivially_copyable_v<derived>);

TEMPLATE_TEST_CASE("values of any trivially copyable type", "", char, bool, short, int, float, double, void*,
                   three_ints, wide, derived) {
  constexpr std::size_t count = 7;
  struct {
    TestType before;
    TestType values[count];
    TestType after;
  } destination;
  TestType source[count];
  for (std::size_t size = 0; size <= sizeof source; ++size) {
    std::memset(&destination, 0x5a, sizeof destination);
    for (std::size_t at = 0; at < sizeof source; ++at)
      reinterpret_cast<unsigned char*>(source)[at] = static_cast<unsigned char>(at % 240 + 1);
    cuda::barrier<thread_scope_block> bar(1);
    const TestType* const from = source;
    if (size % 2 == 0)
      memcpy_async(destination.values, from, size, bar);
    else
      memcpy_async(group_of_one<unsigned char>(), destination.values, source, size, bar);
    bar.arrive_and_wait();
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&destination);
    const bool guards_are_whole =
        std::all_of(bytes, bytes + sizeof(TestType), [](unsigned char byte) { return byte == 0x5a; }) &&
        std::all_of(bytes + sizeof(TestType) + size, bytes + sizeof destination,
                    [](unsigned char byte) { return byte == 0x5a; });
    CHECK(guards_are_whole);
    CHECK(std::memcmp(bytes + sizeof(TestType), source, size) == 0);
  }
}

TEST_CASE("pointers to different types are pointers to bytes") {
  cuda::barrier<thread_scope_block> bar(1);
  const std::uint32_t source = 0x01020304;
  unsigned char destination[4] = {};
  memcpy_async(destination, &source, sizeof source, bar);  // as void*
  bar.arrive_and_wait();
  CHECK(std::memcmp(destination, &source, 4) == 0);
}

// --- Groups ---

template <class Integer>
struct numbered {
  Integer rank;
  Integer members;

  Integer thread_rank() const { return rank; }
  Integer size() const { return members; }
  void sync() const {}
};

// One thread acts for all members of a group; when all have called, all is copied.
template <class Integer>
bool copies_by(int members) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{300}}) {
    const bool is_right = copies<cuda::barrier<thread_scope_block>>(
        3, 1, size / 2, size - size / 2, [&](auto* to, auto* from, auto& bar) {
          async_contract_fulfillment result = async_contract_fulfillment::none;
          for (int rank = 0; rank < members; ++rank) {
            const numbered<Integer> group{static_cast<Integer>(rank), static_cast<Integer>(members)};
            const auto of_this = memcpy_async(group, to, from, cudasync::zero_filled_size(size, size / 2), bar);
            if (of_this != async_contract_fulfillment::none) result = of_this;
          }
          return result;
        });
    if (!is_right) return false;
  }
  return true;
}

TEST_CASE("ranks and sizes of groups are of any integer type") {
  CHECK(copies_by<bool>(1));
  CHECK(copies_by<std::int8_t>(1));
  CHECK(copies_by<std::int8_t>(127));
  CHECK(copies_by<std::uint8_t>(255));
  CHECK(copies_by<std::int16_t>(300));
  CHECK(copies_by<std::uint16_t>(300));
  CHECK(copies_by<std::int32_t>(7));
  CHECK(copies_by<std::uint32_t>(7));
  CHECK(copies_by<std::int64_t>(7));
  CHECK(copies_by<std::uint64_t>(7));
  CHECK(copies_by<unsigned long long>(7));
}

// All threads call, wait and look; in the next phase but one the buffer is written again. ThreadSanitizer judges.
TEMPLATE_TEST_CASE("what a group copied is visible to all after the wait", "", BARRIERS_OF_SEVERAL_THREADS) {
  constexpr int threads = 4;
  constexpr int phases = 200;
  constexpr int count = 24;
  TestType bar(threads);
  meeting place(threads);
  failure_count failures;
  int source[phases + count];
  for (int at = 0; at < phases + count; ++at)
    source[at] = at;
  int destination[2][count + 2] = {};
  run_threads(threads, [&](int rank) {
    const thread_group group(place, rank, threads);
    for (int phase = 0; phase < phases; ++phase) {
      int* const now = destination[phase % 2];
      const std::size_t size = unknown(phase % count * sizeof(int));
      if (phase % 2 == 0)
        memcpy_async(group, now + 1, source + phase, size, bar);
      else
        memcpy_async(group, now + 1, source + phase, cudasync::zero_filled_size(size + sizeof(int), size), bar);
      if (phase % 3 == 0)
        bar.arrive_and_wait();
      else
        bar.wait(bar.arrive());
      for (int at = 0; at < phase % count; ++at)
        failures.expect(now[1 + at] == phase + at);
      if (phase % 2 != 0) failures.expect(now[1 + phase % count] == 0);
      failures.expect(now[0] == 0 && now[count + 1] == 0);
    }
  });
  CHECK(failures.value() == 0);
}

// Each thread copies its own part, without a group.
TEMPLATE_TEST_CASE("what single threads copied is visible to all after the wait", "", BARRIERS_OF_SEVERAL_THREADS) {
  constexpr int threads = 4;
  TestType bar(threads);
  failure_count failures;
  int source[threads] = {3, 5, 7, 9};
  int destination[2][threads] = {};
  run_threads(threads, [&](int rank) {
    for (int phase = 0; phase < 200; ++phase) {
      const int from = (rank + phase) % threads;
      memcpy_async(&destination[phase % 2][rank], &source[from], unknown(sizeof(int)), bar);
      bar.arrive_and_wait();
      for (int other = 0; other < threads; ++other)
        failures.expect(destination[phase % 2][other] == source[(other + phase) % threads]);
    }
  });
  CHECK(failures.value() == 0);
}

TEST_CASE("a completion function sees what was copied") {
  const int source = 17;
  int destination = 0;
  int seen = 0;
  cuda::std::barrier bar(2, [&] { seen = destination; });
  memcpy_async(&destination, &source, sizeof source, bar);
  static_cast<void>(bar.arrive());
  CHECK(seen == 0);
  bar.arrive_and_wait();
  CHECK(seen == 17);
}
