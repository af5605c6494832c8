// By hand: the classes and functions of libcu++ that the uses need, as programs write them with PTX and intrinsics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_USES_HAND_H
#define CUDASYNC_BENCHMARKS_USES_HAND_H

#include <cuda_pipeline.h>

#include <cstring>
#include <type_traits>

#include "uses.h"

namespace bench { namespace by_hand {

// --- Scopes and orders, which are parts of the names of instructions ---

struct system_scope {
  static constexpr char name[] = ".sys";
};
struct device_scope {
  static constexpr char name[] = ".gpu";
};
struct block_scope {
  static constexpr char name[] = ".cta";
};
struct relaxed_order {
  static constexpr char name[] = ".relaxed";
  using load = relaxed_order;
  using store = relaxed_order;
};
struct acquire_order {
  static constexpr char name[] = ".acquire";
  using load = acquire_order;
};
struct release_order {
  static constexpr char name[] = ".release";
  using load = relaxed_order;
  using store = release_order;
};
struct acq_rel_order {
  static constexpr char name[] = ".acq_rel";
  using load = acquire_order;
};
// A fence before and after a relaxed operation.
struct seq_cst_order : relaxed_order {};

template <class Scope>
__device__ __forceinline__ void fence() {
  if constexpr (std::is_same_v<Scope, block_scope>)
    __threadfence_block();
  else if constexpr (std::is_same_v<Scope, device_scope>)
    __threadfence();
  else
    __threadfence_system();
}
template <class Order, class Scope>
__device__ __forceinline__ void fence_if_sequential() {
  if constexpr (std::is_same_v<Order, seq_cst_order>) fence<Scope>();
}

// --- Atomics ---

template <class Value>
using bits_of = std::conditional_t<sizeof(Value) == 8, u64, u32>;

template <class To, class From>
__device__ __forceinline__ To bits_as(const From& from) {
  To to{};
  memcpy(&to, &from, sizeof(To) < sizeof(From) ? sizeof(To) : sizeof(From));
  return to;
}

template <class Order, class Scope>
__device__ __forceinline__ u32 load_bits(const u32* place) {
  u32 value;
  asm volatile("ld%2%3.b32 %0, [%1];" : "=r"(value) : "l"(place), "C"(Order::name), "C"(Scope::name) : "memory");
  return value;
}
template <class Order, class Scope>
__device__ __forceinline__ u64 load_bits(const u64* place) {
  u64 value;
  asm volatile("ld%2%3.b64 %0, [%1];" : "=l"(value) : "l"(place), "C"(Order::name), "C"(Scope::name) : "memory");
  return value;
}
template <class Order, class Scope>
__device__ __forceinline__ void store_bits(u32* place, u32 value) {
  asm volatile("st%2%3.b32 [%0], %1;" ::"l"(place), "r"(value), "C"(Order::name), "C"(Scope::name) : "memory");
}
template <class Order, class Scope>
__device__ __forceinline__ void store_bits(u64* place, u64 value) {
  asm volatile("st%2%3.b64 [%0], %1;" ::"l"(place), "l"(value), "C"(Order::name), "C"(Scope::name) : "memory");
}
template <class Order, class Scope>
__device__ __forceinline__ u32 add_bits(u32* place, u32 value) {
  u32 old;
  asm volatile("atom.add%3%4.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(place), "r"(value), "C"(Order::name), "C"(Scope::name)
               : "memory");
  return old;
}
template <class Order, class Scope>
__device__ __forceinline__ u32 exchange_bits(u32* place, u32 value) {
  u32 old;
  asm volatile("atom.exch%3%4.b32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(place), "r"(value), "C"(Order::name), "C"(Scope::name)
               : "memory");
  return old;
}
template <class Order, class Scope>
__device__ __forceinline__ u64 exchange_bits(u64* place, u64 value) {
  u64 old;
  asm volatile("atom.exch%3%4.b64 %0, [%1], %2;"
               : "=l"(old)
               : "l"(place), "l"(value), "C"(Order::name), "C"(Scope::name)
               : "memory");
  return old;
}
template <class Order, class Scope>
__device__ __forceinline__ u32 compare_exchange_bits(u32* place, u32 expected, u32 desired) {
  u32 old;
  asm volatile("atom.cas%4%5.b32 %0, [%1], %2, %3;"
               : "=r"(old)
               : "l"(place), "r"(expected), "r"(desired), "C"(Order::name), "C"(Scope::name)
               : "memory");
  return old;
}
template <class Order, class Scope>
__device__ __forceinline__ u64 compare_exchange_bits(u64* place, u64 expected, u64 desired) {
  u64 old;
  asm volatile("atom.cas%4%5.b64 %0, [%1], %2, %3;"
               : "=l"(old)
               : "l"(place), "l"(expected), "l"(desired), "C"(Order::name), "C"(Scope::name)
               : "memory");
  return old;
}

// The intrinsics, which the compiler combines over the threads of a warp.
template <class Scope, class Value>
__device__ __forceinline__ Value add_relaxed(Value* place, Value value) {
  if constexpr (std::is_same_v<Scope, block_scope>)
    return atomicAdd_block(place, value);
  else
    return atomicAdd(place, value);
}
template <class Scope, class Value>
__device__ __forceinline__ void min_relaxed(Value* place, Value value) {
  if constexpr (std::is_same_v<Scope, block_scope>)
    atomicMin_block(place, value);
  else
    atomicMin(place, value);
}
template <class Scope, class Value>
__device__ __forceinline__ void max_relaxed(Value* place, Value value) {
  if constexpr (std::is_same_v<Scope, block_scope>)
    atomicMax_block(place, value);
  else
    atomicMax(place, value);
}

// The operations of atomic and atomic_ref, for values of 4 and 8 bytes. Self has place().
template <class Self, class Value, class Scope>
class operations {
  using bits = bits_of<Value>;
  static_assert(sizeof(Value) == sizeof(bits));
  __device__ __forceinline__ bits* raw() const {
    return reinterpret_cast<bits*>(static_cast<const Self*>(this)->place());
  }

 public:
  template <class Order = seq_cst_order>
  __device__ __forceinline__ Value load(Order = {}) const {
    fence_if_sequential<Order, Scope>();
    using order = std::conditional_t<std::is_same_v<Order, seq_cst_order>, acquire_order, Order>;
    return bits_as<Value>(load_bits<order, Scope>(raw()));
  }
  template <class Order = seq_cst_order>
  __device__ __forceinline__ void store(Value value, Order = {}) const {
    fence_if_sequential<Order, Scope>();
    store_bits<Order, Scope>(raw(), bits_as<bits>(value));
  }
  template <class Order = seq_cst_order>
  __device__ __forceinline__ Value exchange(Value value, Order = {}) const {
    fence_if_sequential<Order, Scope>();
    const bits old = exchange_bits<Order, Scope>(raw(), bits_as<bits>(value));
    fence_if_sequential<Order, Scope>();
    return bits_as<Value>(old);
  }
  template <class Order = seq_cst_order, class Failure = Order>
  __device__ __forceinline__ bool compare_exchange_strong(Value& expected, Value desired, Order = {},
                                                          Failure = {}) const {
    fence_if_sequential<Order, Scope>();
    const bits before = bits_as<bits>(expected);
    const bits old = compare_exchange_bits<Order, Scope>(raw(), before, bits_as<bits>(desired));
    fence_if_sequential<Order, Scope>();
    expected = bits_as<Value>(old);
    return old == before;
  }
  template <class Order = seq_cst_order, class Failure = Order>
  __device__ __forceinline__ bool compare_exchange_weak(Value& expected, Value desired, Order order = {},
                                                        Failure = {}) const {
    return compare_exchange_strong(expected, desired, order);
  }
  template <class Order = seq_cst_order>
  __device__ __forceinline__ Value fetch_add(Value value, Order = {}) const {
    if constexpr (std::is_base_of_v<relaxed_order, Order>) {
      fence_if_sequential<Order, Scope>();
      const Value old = add_relaxed<Scope>(reinterpret_cast<Value*>(raw()), value);
      fence_if_sequential<Order, Scope>();
      return old;
    } else {
      return add_bits<Order, Scope>(raw(), value);
    }
  }
  template <class Order>
  __device__ __forceinline__ Value fetch_or(Value value, Order) const {
    if constexpr (std::is_same_v<Scope, block_scope>)
      return atomicOr_block(raw(), value);
    else
      return atomicOr(raw(), value);
  }
  template <class Order>
  __device__ __forceinline__ void fetch_min(Value value, Order) const {
    extreme<true>(value);
  }
  template <class Order>
  __device__ __forceinline__ void fetch_max(Value value, Order) const {
    extreme<false>(value);
  }
  // Spins: the value is usually there, or comes soon.
  template <class Order>
  __device__ __forceinline__ void wait(Value old, Order order) const {
    while (bits_as<bits>(load(order)) == bits_as<bits>(old)) {
    }
  }
  __device__ __forceinline__ void notify_one() const {}
  __device__ __forceinline__ void notify_all() const {}

 private:
  // Of two floats with the sign bit, the one with the larger bits is the smaller number.
  template <bool IsMin>
  __device__ __forceinline__ void extreme(Value value) const {
    using integer = std::conditional_t<sizeof(Value) == 8, long long, int>;
    if constexpr (!std::is_floating_point_v<Value>)
      apply<IsMin>(reinterpret_cast<Value*>(raw()), value);
    else if (const integer signed_bits = bits_as<integer>(value); signed_bits >= 0)
      apply<IsMin>(reinterpret_cast<integer*>(raw()), signed_bits);
    else
      apply<!IsMin>(raw(), static_cast<bits>(signed_bits));
  }
  template <bool IsMin, class Number>
  static __device__ __forceinline__ void apply(Number* place, Number value) {
    if constexpr (IsMin)
      min_relaxed<Scope>(place, value);
    else
      max_relaxed<Scope>(place, value);
  }
};

// Numbers of 8 and 16 bits in an array: a compare-exchange of the word that they are in.
template <class Value, class Scope>
class part_of_word {
  u32* word_;
  u32 shift_;

  __device__ __forceinline__ Value part_of(u32 word) const { return static_cast<Value>(word >> shift_); }
  __device__ __forceinline__ u32 with_part(u32 word, Value value) const {
    constexpr u32 mask = static_cast<Value>(~Value{0});
    return (word & ~(mask << shift_)) | u32{value} << shift_;
  }

 public:
  __device__ __forceinline__ explicit part_of_word(Value& place)
      : word_(reinterpret_cast<u32*>(reinterpret_cast<std::size_t>(&place) & ~std::size_t{3})),
        shift_((reinterpret_cast<std::size_t>(&place) & 3) * 8) {}

  template <class Order>
  __device__ __forceinline__ Value load(Order) const {
    return part_of(load_bits<Order, Scope>(word_));
  }
  template <class Order>
  __device__ __forceinline__ Value fetch_add(Value value, Order) const {
    for (u32 word = load_bits<Order, Scope>(word_);;) {
      const u32 wanted = with_part(word, static_cast<Value>(part_of(word) + value));
      const u32 old = compare_exchange_bits<Order, Scope>(word_, word, wanted);
      if (old == word) return part_of(old);
      word = old;
    }
  }
  template <class Order>
  __device__ __forceinline__ Value fetch_or(Value value, Order) const {
    if constexpr (std::is_same_v<Scope, block_scope>)
      return part_of(atomicOr_block(word_, u32{value} << shift_));
    else
      return part_of(atomicOr(word_, u32{value} << shift_));
  }
  // May fail because of another part of the word.
  template <class Order>
  __device__ __forceinline__ bool compare_exchange_weak(Value& expected, Value desired, Order, Order) const {
    const u32 word = load_bits<Order, Scope>(word_);
    if (part_of(word) == expected) {
      const u32 old = compare_exchange_bits<Order, Scope>(word_, word, with_part(word, desired));
      expected = part_of(old);
      return old == word;
    }
    expected = part_of(word);
    return false;
  }
};

template <class Value, class Scope>
class whole_word : public operations<whole_word<Value, Scope>, Value, Scope> {
  Value* place_;

 public:
  __device__ __forceinline__ explicit whole_word(Value& place) : place_(&place) {}
  __device__ __forceinline__ Value* place() const { return place_; }
};

template <class Value, class Scope>
using atomic_ref = std::conditional_t<sizeof(Value) < 4, part_of_word<Value, Scope>, whole_word<Value, Scope>>;

template <class Value, class Scope>
class atomic : public operations<atomic<Value, Scope>, Value, Scope> {
  Value value_;

 public:
  __device__ __forceinline__ Value* place() const { return const_cast<Value*>(&value_); }
};

// --- Barriers ---

__device__ __forceinline__ u32 shared_address(const void* place) {
  return static_cast<u32>(__cvta_generic_to_shared(place));
}

// An mbarrier in shared memory, or a counter in other memory.
template <class Scope>
class barrier;

template <>
class barrier<block_scope> {
  u64 word_;
  __device__ __forceinline__ u32 address() const { return shared_address(&word_); }

 public:
  using arrival_token = u64;

  friend __device__ __forceinline__ void init(barrier* bar, int expected) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar->address()), "r"(expected) : "memory");
  }
  __device__ __forceinline__ arrival_token arrive() {
    arrival_token token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(address()) : "memory");
    return token;
  }
  __device__ __forceinline__ arrival_token arrive(int count) {
    arrival_token token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(token) : "r"(address()), "r"(count) : "memory");
    return token;
  }
  __device__ __forceinline__ void wait(arrival_token&& token) const {
    u32 is_complete;
    do {
#if __CUDA_ARCH__ >= 900
      asm volatile("{ .reg .pred done; mbarrier.try_wait.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
#else
      asm volatile("{ .reg .pred done; mbarrier.test_wait.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
#endif
                   : "=r"(is_complete)
                   : "r"(address()), "l"(token)
                   : "memory");
    } while (!is_complete);
  }
  __device__ __forceinline__ void wait_parity(bool parity) const {
    u32 is_complete;
    do {
#if __CUDA_ARCH__ >= 900
      asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
#else
      asm volatile("{ .reg .pred done; mbarrier.test_wait.parity.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
#endif
                   : "=r"(is_complete)
                   : "r"(address()), "r"(u32{parity})
                   : "memory");
    } while (!is_complete);
  }
  __device__ __forceinline__ bool is_complete(arrival_token token) const {
    u32 is_complete;
    asm volatile("{ .reg .pred done; mbarrier.test_wait.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
                 : "=r"(is_complete)
                 : "r"(address()), "l"(token)
                 : "memory");
    return is_complete != 0;
  }
  __device__ __forceinline__ void arrive_and_wait() { wait(arrive()); }

  // The copies that this thread has started are a part of the phase, with or without an arrival of its own.
  __device__ __forceinline__ void track_copies() {
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(address()) : "memory");
  }
  __device__ __forceinline__ void arrive_after_copies() {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address()) : "memory");
  }
  __device__ __forceinline__ void copy_in_bulk(void* to, const void* from, u32 bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(address())
                 : "memory");
  }
};

template <class Scope>
class barrier {
  u32 count_;
  u32 expected_;

 public:
  using arrival_token = u32;

  __device__ explicit barrier(int expected) : count_(0), expected_(static_cast<u32>(expected)) {}
  // The token is the count at which the phase ends.
  __device__ __forceinline__ arrival_token arrive() {
    const u32 expected = expected_;
    return (add_bits<release_order, Scope>(&count_, 1) / expected + 1) * expected;
  }
  __device__ __forceinline__ void wait(arrival_token&& token) const {
    while (static_cast<int>(load_bits<acquire_order, Scope>(&count_) - token) < 0) {
    }
  }
  __device__ __forceinline__ void arrive_and_wait() { wait(arrive()); }
};

// --- Copies to shared memory ---

template <int Unit>
__device__ __forceinline__ void copy_unit(void* to, const void* from) {
  if constexpr (Unit == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
  else if constexpr (Unit >= 4)
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(Unit)
                 : "memory");
  else if constexpr (Unit == 2)
    *static_cast<unsigned short*>(to) = *static_cast<const unsigned short*>(from);
  else
    *static_cast<char*>(to) = *static_cast<const char*>(from);
}
template <int Unit, class Value>
__device__ __forceinline__ void copy_by_thread(Value* to, const Value* from) {
#pragma unroll
  for (int at = 0; at < static_cast<int>(sizeof(Value)); at += Unit)
    copy_unit<Unit>(reinterpret_cast<char*>(to) + at, reinterpret_cast<const char*>(from) + at);
}
template <int Unit, class Group>
__device__ __forceinline__ void copy_by_group(const Group& group, void* to, const void* from, int bytes) {
  for (int at = static_cast<int>(group.thread_rank()) * Unit; at < bytes; at += static_cast<int>(group.size()) * Unit)
    copy_unit<Unit>(static_cast<char*>(to) + at, static_cast<const char*>(from) + at);
}

// The pipeline of a thread.
struct pipeline {
  __device__ __forceinline__ void producer_acquire() {}
  __device__ __forceinline__ void producer_commit() { __pipeline_commit(); }
  __device__ __forceinline__ void consumer_release() {}
};
__device__ __forceinline__ pipeline make_pipeline() {
  return {};
}
template <int Count>
__device__ __forceinline__ void pipeline_consumer_wait_prior(pipeline&) {
  __pipeline_wait_prior(Count);
}

// --- Semaphores and latches ---

template <class Scope>
class semaphore {
  u32 permits_;

 public:
  __device__ explicit semaphore(int permits) : permits_(static_cast<u32>(permits)) {}
  __device__ __forceinline__ bool try_acquire() {
    for (u32 old = load_bits<relaxed_order, Scope>(&permits_); old != 0;) {
      const u32 found = compare_exchange_bits<acquire_order, Scope>(&permits_, old, old - 1);
      if (found == old) return true;
      old = found;
    }
    return false;
  }
  __device__ __forceinline__ void acquire() {
    while (!try_acquire()) {
    }
  }
  __device__ __forceinline__ void release() { add_bits<release_order, Scope>(&permits_, 1); }
};

template <class Scope>
class latch {
  u32 left_;

 public:
  __device__ explicit latch(int expected) : left_(static_cast<u32>(expected)) {}
  __device__ __forceinline__ void count_down() { add_bits<release_order, Scope>(&left_, ~0u); }
  __device__ __forceinline__ void wait() const {
    while (load_bits<acquire_order, Scope>(&left_) != 0) {
    }
  }
  __device__ __forceinline__ void arrive_and_wait() {
    count_down();
    wait();
  }
};

}}  // namespace bench::by_hand

#endif
