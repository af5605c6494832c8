// Types with padding, and a loop around a compare-exchange that must end although nobody knows what the padding holds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_PADDED_H
#define CUDASYNC_TEST_SUPPORT_PADDED_H

#include <cuda/atomic>

#include <string.h>

#if defined(__CUDACC__)
#define ON_BOTH_SIDES __host__ __device__
#else
#define ON_BOTH_SIDES
#endif

// The loop sets the last member of each.
struct alignas(2) tail_of_two {
  unsigned char last;
};
struct short_behind_char {
  unsigned char first;
  short last;
};
struct char_behind_short {
  short first;
  unsigned char last;
};
struct int_behind_char {
  unsigned char first;
  int last;
};
struct char_behind_int {
  int first;
  unsigned char last;
};
struct in_an_array {
  short_behind_char of[2];
};
struct alignas(8) in_a_class {
  struct {
    unsigned char first;
    short second;
  } inner;
  unsigned char last;
};
struct alignas(8) in_a_union {
  union {
    unsigned char small;
    short large;
  } inner;
  unsigned char last;
};
struct bits {
  unsigned first : 3;
  unsigned : 0;
  unsigned last : 7;
};
struct double_behind_int {
  int first;
  double last;
};
struct alignas(16) char_behind_long {
  long long first;
  unsigned char last;
};

// Of sizes that no instruction takes.
struct shorts_around_char {
  short first;
  unsigned char second;
  short last;
};
struct doubles_behind_ints {
  int first;
  double second;
  int third;
  double last;
};
struct comparable {
  unsigned first;
  double second;
  unsigned last;
  friend ON_BOTH_SIDES bool operator==(const comparable& left, const comparable& right) {
    return left.first == right.first && left.second == right.second && left.last == right.last;
  }
};

template <class Value>
ON_BOTH_SIDES void set_last(Value& value, unsigned number) {
  value.last = static_cast<decltype(value.last)>(number);
}
ON_BOTH_SIDES inline void set_last(in_an_array& value, unsigned number) {
  value.of[1].last = static_cast<short>(number);
}
template <class Value>
ON_BOTH_SIDES unsigned last_of(const Value& value) {
  return static_cast<unsigned>(value.last);
}
ON_BOTH_SIDES inline unsigned last_of(const in_an_array& value) {
  return static_cast<unsigned>(value.of[1].last);
}

// How many times it tries: 2 at most where no other thread changes the object, since the first failure reads its bytes.
template <class Atomic, class Value>
ON_BOTH_SIDES unsigned tries_until_set(Atomic& atomic, Value expected, unsigned number, bool is_weak) {
  for (unsigned tries = 1; tries <= 100; ++tries) {
    Value desired = expected;
    set_last(desired, number);
    const bool is_done = is_weak ? atomic.compare_exchange_weak(expected, desired)
                                 : atomic.compare_exchange_strong(expected, desired, cuda::memory_order_acq_rel,
                                                                  cuda::memory_order_relaxed);
    if (is_done) return tries;
  }
  return ~0u;
}

// Over bytes that are all the same. Counts the ways that go wrong.
template <class Value>
ON_BOTH_SIDES unsigned wrong_loops_over(Value& object) {
  using atomic = cuda::atomic<Value, cuda::thread_scope_device>;
  constexpr unsigned number = 77;
  unsigned wrong = 0;
  for (unsigned way = 0; way < 4; ++way) {
    memset(static_cast<void*>(&object), 0xee, sizeof object);
    unsigned tries = 0;
    if (way < 2) {
      cuda::atomic_ref<Value, cuda::thread_scope_device> reference(object);
      tries = tries_until_set(reference, reference.load(), number, way == 0);
    } else {
      atomic& whole = reinterpret_cast<atomic&>(object);
      tries = tries_until_set(whole, whole.load(cuda::memory_order_relaxed), number, way == 2);
    }
    wrong += tries > 2 || last_of(object) != number ? 1u : 0u;
  }
  return wrong;
}

// The same for a value that only an atomic can hold: it is the first member there.
template <class Value>
ON_BOTH_SIDES unsigned wrong_loops_in_atomic() {
  constexpr unsigned number = 77;
  unsigned wrong = 0;
  for (unsigned way = 0; way < 2; ++way) {
    cuda::atomic<Value, cuda::thread_scope_device> atomic(Value{});
    memset(static_cast<void*>(&atomic), 0xee, sizeof(Value));
    const unsigned tries = tries_until_set(atomic, atomic.load(), number, way == 0);
    wrong += tries > 2 || last_of(atomic.load()) != number ? 1u : 0u;
  }
  return wrong;
}

// A type that compares itself needs one try, and a wait for another value sees none, whatever the padding holds.
ON_BOTH_SIDES inline unsigned wrong_comparisons() {
  alignas(comparable) unsigned char noise[2][sizeof(comparable)];
  memset(noise[0], 0x11, sizeof noise[0]);
  memset(noise[1], 0xee, sizeof noise[1]);
  auto& held = reinterpret_cast<comparable&>(noise[0]);
  auto& expected = reinterpret_cast<comparable&>(noise[1]);
  held.first = expected.first = 1;
  held.second = expected.second = 2.5;
  held.last = expected.last = 3;
  cuda::atomic<comparable, cuda::thread_scope_device> atomic(comparable{});
  memcpy(static_cast<void*>(&atomic), &held, sizeof held);
  unsigned wrong = atomic.wait_for(expected, cuda::std::chrono::nanoseconds(0)) ? 1u : 0u;
  if (!atomic.compare_exchange_strong(expected, comparable{4, 5, 6})) ++wrong;
  expected.last = 7;
  if (atomic.compare_exchange_strong(expected, comparable{})) ++wrong;
  return wrong + (expected.last != 6 ? 1u : 0u);
}

#endif
