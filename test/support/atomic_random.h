// Random operations on an atomic integer, and a record of what they saw.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_ATOMIC_RANDOM_H
#define CUDASYNC_TEST_SUPPORT_ATOMIC_RANDOM_H

#include "atomic_history.h"
#include "gpu_test.h"

#include <cuda/atomic>

#include <stdint.h>

#include <type_traits>

enum operation : unsigned { add, subtract, toggle, unite, intersect, maximize, minimize, replace, compare, operations };

// What a thread did and saw. A compare-exchange that failed changed nothing: it is a look at the value.
struct event {
  uint64_t before, operand;
  unsigned what;
  bool has_failed;
};

template <class Value>
Value applied(const event& one) {
  const auto before = static_cast<Value>(one.before), operand = static_cast<Value>(one.operand);
  switch (one.what) {
  case add:
    return static_cast<Value>(one.before + one.operand);
  case subtract:
    return static_cast<Value>(one.before - one.operand);
  case toggle:
    return static_cast<Value>(before ^ operand);
  case unite:
    return static_cast<Value>(before | operand);
  case intersect:
    return static_cast<Value>(before & operand);
  case maximize:
    return before < operand ? operand : before;
  case minimize:
    return operand < before ? operand : before;
  default:
    return one.has_failed ? before : operand;
  }
}

template <class Atomic>
__device__ event do_one(Atomic& atom, random_numbers& random) {
  using value = typename Atomic::value_type;
  event one{0, random.next(), static_cast<unsigned>(random.next() % operations), false};
  // Few bits at a time, lest the word be all zeros or ones soon.
  if (one.what == unite) one.operand &= random.next() & random.next();
  if (one.what == intersect) one.operand |= random.next() | random.next();
  const auto operand = static_cast<value>(one.operand);
  value before{};
  switch (one.what) {
  case add:
    before = atom.fetch_add(operand, cuda::memory_order_relaxed);
    break;
  case subtract:
    before = atom.fetch_sub(operand, cuda::memory_order_acq_rel);
    break;
  case toggle:
    before = atom.fetch_xor(operand, cuda::memory_order_relaxed);
    break;
  case unite:
    before = atom.fetch_or(operand, cuda::memory_order_release);
    break;
  case intersect:
    before = atom.fetch_and(operand, cuda::memory_order_relaxed);
    break;
  case maximize:
    before = atom.fetch_max(operand, cuda::memory_order_acquire);
    break;
  case minimize:
    before = atom.fetch_min(operand, cuda::memory_order_relaxed);
    break;
  case replace:
    before = atom.exchange(operand, cuda::memory_order_relaxed);
    break;
  default:
    before = atom.load(cuda::memory_order_relaxed);
    one.has_failed = !atom.compare_exchange_weak(before, operand, cuda::memory_order_relaxed);
  }
  one.before = static_cast<uint64_t>(static_cast<std::make_unsigned_t<value>>(before));
  return one;
}

template <class Atomic>
__device__ void do_many(Atomic& atom, event* events, unsigned count, uint64_t seed) {
  random_numbers random{seed};
  for (unsigned index = 0; index < count; ++index)
    events[index] = do_one(atom, random);
}

template <class Value>
void check(const event* events, size_t count, Value last) {
  using bits = std::make_unsigned_t<Value>;
  history<uint64_t> seen;
  for (size_t index = 0; index < count; ++index)
    seen.add(static_cast<bits>(events[index].before), static_cast<bits>(applied<Value>(events[index])));
  CHECK(seen.is_explained(0, static_cast<bits>(last)));
}

#endif
