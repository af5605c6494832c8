// Every operation of an atomic, on the device and on a plain model on the host: both must report the same values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_ATOMIC_OPERATIONS_H
#define CUDASYNC_TEST_SUPPORT_ATOMIC_OPERATIONS_H

#include "gpu_test.h"

#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <stdint.h>

#include <type_traits>

template <class To, class From>
__host__ __device__ To bytes_as(const From& from) {
  To to{};
  memcpy(&to, &from, sizeof to < sizeof from ? sizeof to : sizeof from);
  return to;
}

template <class Value>
inline constexpr bool is_half = std::is_same_v<Value, __half> || std::is_same_v<Value, __nv_bfloat16>;
template <class Value>
inline constexpr bool is_integer = std::is_integral_v<Value> && !std::is_same_v<Value, bool>;
template <class Value>
inline constexpr bool is_number =
    is_integer<Value> || std::is_floating_point_v<Value> || is_half<Value> || std::is_pointer_v<Value>;
template <class Value, class = bool>
inline constexpr bool has_order = is_half<Value>;
template <class Value>
inline constexpr bool has_order<Value, decltype(Value() < Value())> = true;

// --- What the values must be, by plain arithmetic ---
//
// For both sides only because nvcc looks at calls in a function for both sides; it runs on the host.

__host__ __device__ inline double number(__half value) {
  return __half2float(value);
}
__host__ __device__ inline double number(__nv_bfloat16 value) {
  return __bfloat162float(value);
}

template <class Value>
__host__ __device__ Value sum(Value left, Value right) {
  if constexpr (std::is_same_v<Value, __half>)
    return __float2half_rn(static_cast<float>(number(left) + number(right)));
  else if constexpr (std::is_same_v<Value, __nv_bfloat16>)
    return __float2bfloat16_rn(static_cast<float>(number(left) + number(right)));
  else if constexpr (std::is_floating_point_v<Value>)
    return left + right;
  else
    return static_cast<Value>(static_cast<uint64_t>(left) + static_cast<uint64_t>(right));
}
template <class Value>
__host__ __device__ Value* sum(Value* left, ptrdiff_t right) {
  return left + right;
}
template <class Value>
__host__ __device__ Value opposite(Value value) {
  if constexpr (is_half<Value>)
    return Value(static_cast<float>(-number(value)));
  else if constexpr (std::is_floating_point_v<Value>)
    return -value;
  else
    return static_cast<Value>(-static_cast<uint64_t>(value));
}
template <class Value>
__host__ __device__ bool is_less(Value left, Value right) {
  if constexpr (is_half<Value>)
    return number(left) < number(right);
  else
    return left < right;
}

// Has the members of an atomic and nothing atomic about it.
template <class Value, class Operand = std::conditional_t<std::is_pointer_v<Value>, ptrdiff_t, Value>>
struct model {
  Value& object;

  __host__ __device__ Value change(Value now) const {
    const Value before = object;
    object = now;
    return before;
  }
  __host__ __device__ Value load() const { return object; }
  __host__ __device__ operator Value() const { return object; }
  __host__ __device__ void store(Value value) const { object = value; }
  __host__ __device__ Value operator=(Value value) const { return object = value; }
  __host__ __device__ Value exchange(Value value) const { return change(value); }
  __host__ __device__ bool compare_exchange_strong(Value& expected, Value desired) const {
    const bool is_same = bytes_as<uint64_t>(object) == bytes_as<uint64_t>(expected);
    (is_same ? object : expected) = is_same ? desired : object;
    return is_same;
  }
  __host__ __device__ bool compare_exchange_weak(Value& expected, Value desired) const {
    return compare_exchange_strong(expected, desired);
  }
  __host__ __device__ Value fetch_add(Operand operand) const { return change(sum(object, operand)); }
  __host__ __device__ Value fetch_sub(Operand operand) const { return change(sum(object, opposite(operand))); }
  __host__ __device__ Value fetch_min(Value operand) const {
    return change(is_less(operand, object) ? operand : object);
  }
  __host__ __device__ Value fetch_max(Value operand) const {
    return change(is_less(object, operand) ? operand : object);
  }
  __host__ __device__ Value fetch_and(Value operand) const { return change(static_cast<Value>(object & operand)); }
  __host__ __device__ Value fetch_or(Value operand) const { return change(static_cast<Value>(object | operand)); }
  __host__ __device__ Value fetch_xor(Value operand) const { return change(static_cast<Value>(object ^ operand)); }
  __host__ __device__ void store_add(Operand operand) const { fetch_add(operand); }
  __host__ __device__ void store_sub(Operand operand) const { fetch_sub(operand); }
  __host__ __device__ void store_min(Value operand) const { fetch_min(operand); }
  __host__ __device__ void store_max(Value operand) const { fetch_max(operand); }
  __host__ __device__ void store_and(Value operand) const { fetch_and(operand); }
  __host__ __device__ void store_or(Value operand) const { fetch_or(operand); }
  __host__ __device__ void store_xor(Value operand) const { fetch_xor(operand); }
  __host__ __device__ Value operator++(int) const { return fetch_add(Operand(1)); }
  __host__ __device__ Value operator--(int) const { return fetch_sub(Operand(1)); }
  __host__ __device__ Value operator++() const { return *this += Operand(1); }
  __host__ __device__ Value operator--() const { return *this -= Operand(1); }
  __host__ __device__ Value operator+=(Operand operand) const { return fetch_add(operand), object; }
  __host__ __device__ Value operator-=(Operand operand) const { return fetch_sub(operand), object; }
  __host__ __device__ Value operator&=(Value operand) const { return fetch_and(operand), object; }
  __host__ __device__ Value operator|=(Value operand) const { return fetch_or(operand), object; }
  __host__ __device__ Value operator^=(Value operand) const { return fetch_xor(operand), object; }
};

// --- The operations ---

// The object's value before an operation is a plain store, that after it a plain load: so a missing memory clobber,
// which would let the compiler keep the value in a register, shows too. Log: takes 64 bits.
template <class Value, class Log>
struct recorder {
  Value& object;
  Value initial;
  Log& log;

  template <class Operation>
  __host__ __device__ void returns(const Operation& operation) const {
    object = initial;
    log(bytes_as<uint64_t>(operation()));
    log(bytes_as<uint64_t>(object));
  }
  template <class Operation>
  __host__ __device__ void changes(const Operation& operation) const {
    object = initial;
    operation();
    log(bytes_as<uint64_t>(object));
  }
  template <class Operation>
  __host__ __device__ void compares(Value expected, const Operation& operation) const {
    object = initial;
    log(operation(expected) ? 1 : 0);
    log(bytes_as<uint64_t>(expected));
    log(bytes_as<uint64_t>(object));
  }
};

template <class Atomic, class Value, class Log>
__host__ __device__ void do_every_operation(Atomic&& atom, Value& object, Value initial, Value value, Log& log) {
  const recorder<Value, Log> record{object, initial, log};
  record.returns([&] { return atom.load(); });
  record.returns([&]() -> Value { return atom; });
  record.returns([&] { return atom = value; });
  record.changes([&] { atom.store(value); });
  record.returns([&] { return atom.exchange(value); });
  record.compares(initial, [&](Value& expected) { return atom.compare_exchange_strong(expected, value); });
  record.compares(value, [&](Value& expected) { return atom.compare_exchange_strong(expected, initial); });
  record.compares(initial, [&](Value& expected) { return atom.compare_exchange_weak(expected, value); });
  record.compares(value, [&](Value& expected) { return atom.compare_exchange_weak(expected, initial); });
  if constexpr (is_number<Value>) {
    const auto operand = [&] {
      if constexpr (std::is_pointer_v<Value>)
        return static_cast<ptrdiff_t>(bytes_as<uint64_t>(value) % 1000) - 500;
      else
        return value;
    }();
    record.returns([&] { return atom.fetch_add(operand); });
    record.returns([&] { return atom.fetch_sub(operand); });
    record.changes([&] { atom.store_add(operand); });
    record.changes([&] { atom.store_sub(operand); });
    record.returns([&] { return ++atom; });
    record.returns([&] { return --atom; });
    record.returns([&] { return atom++; });
    record.returns([&] { return atom--; });
    record.returns([&] { return atom += operand; });
    record.returns([&] { return atom -= operand; });
  }
  if constexpr (has_order<Value>) {
    record.returns([&] { return atom.fetch_min(value); });
    record.returns([&] { return atom.fetch_max(value); });
    record.changes([&] { atom.store_min(value); });
    record.changes([&] { atom.store_max(value); });
  }
  if constexpr (std::is_integral_v<Value>) {
    record.returns([&] { return atom.fetch_and(value); });
    record.returns([&] { return atom.fetch_or(value); });
    record.returns([&] { return atom.fetch_xor(value); });
    record.changes([&] { atom.store_and(value); });
    record.changes([&] { atom.store_or(value); });
    record.changes([&] { atom.store_xor(value); });
    record.returns([&] { return atom &= value; });
    record.returns([&] { return atom |= value; });
    record.returns([&] { return atom ^= value; });
  }
}

// --- Where the object lies ---

constexpr unsigned pairs_of_values = 64;
constexpr unsigned longest_log = 100;
constexpr unsigned spaces = 5;

struct writer {
  uint64_t* next;
  __host__ __device__ void operator()(uint64_t bits) { *next++ = bits; }
};

// An atomic of its own, or a reference to a plain object. Its value is the first bytes of both.
template <class Value, cuda::thread_scope Scope>
__device__ Value& value_in(cuda::atomic<Value, Scope>& object) {
  return reinterpret_cast<Value&>(object);
}
template <class Value>
__device__ Value& value_in(Value& object) {
  return object;
}
template <class Atomic, class Object>
__device__ __forceinline__ void do_in_known_space(Object& object, typename Atomic::value_type initial,
                                                  typename Atomic::value_type value, uint64_t* entries) {
  writer log{entries};
  if constexpr (std::is_same_v<Atomic, Object>)
    do_every_operation(object, value_in(object), initial, value, log);
  else
    do_every_operation(Atomic(object), object, initial, value, log);
}

// The pointer comes out of memory, into a function of its own: the compiler cannot tell where it points.
template <class Atomic, class Object>
__device__ __noinline__ void do_in_unknown_space(Object* object, typename Atomic::value_type initial,
                                                 typename Atomic::value_type value, uint64_t* entries) {
  do_in_known_space<Atomic>(*object, initial, value, entries);
}

template <class Atomic, class Object>
__global__ void record_operations(Object* objects, const uint64_t* values, uint64_t* log) {
  using value = typename Atomic::value_type;
  const auto initial = bytes_as<value>(values[threadIdx.x / 8]);
  const auto operand = bytes_as<value>(values[threadIdx.x % 8]);
  const auto section = [&](unsigned space) { return log + (space * pairs_of_values + threadIdx.x) * longest_log; };
  __shared__ Object
      shared_objects[pairs_of_values];  // neighbours of small objects share words: nobody may harm another
  Object local_object;
  do_in_known_space<Atomic>(objects[threadIdx.x], initial, operand, section(0));
  do_in_known_space<Atomic>(shared_objects[threadIdx.x], initial, operand, section(1));
  do_in_known_space<Atomic>(local_object, initial, operand, section(2));
  Object* volatile anywhere = objects + threadIdx.x;
  do_in_unknown_space<Atomic>(anywhere, initial, operand, section(3));
  anywhere = shared_objects + threadIdx.x;
  do_in_unknown_space<Atomic>(anywhere, initial, operand, section(4));
}

template <class Value>
using eight_values = Value[8];

template <class Atomic, class Object, class Value>
void check_operations(const eight_values<Value>& values) {
  std::vector<uint64_t> bits;
  for (const Value& value : values)
    bits.push_back(bytes_as<uint64_t>(value));
  const gpu_test::device_array<Object> objects(pairs_of_values);
  const gpu_test::device_array<uint64_t> inputs(bits), log(spaces * pairs_of_values * longest_log);
  gpu_test::run(record_operations<Atomic, Object>, {1, pairs_of_values}, objects.get(), inputs.get(), log.get());
  const std::vector<uint64_t> seen = log.values();
  for (unsigned pair = 0; pair < pairs_of_values; ++pair) {
    uint64_t wanted[longest_log];
    writer end{wanted};
    Value object{};
    do_every_operation(model<Value>{object}, object, values[pair / 8], values[pair % 8], end);
    for (unsigned space = 0; space < spaces; ++space) {
      const uint64_t* const entries = seen.data() + (space * pairs_of_values + pair) * longest_log;
      for (int entry = 0; wanted + entry < end.next; ++entry) {
        if (entries[entry] == wanted[entry]) continue;
        printf("space %u, pair %u, entry %d: %llx, not %llx\n", space, pair, entry,
               static_cast<unsigned long long>(entries[entry]), static_cast<unsigned long long>(wanted[entry]));
        CHECK(entries[entry] == wanted[entry]);
        break;
      }
    }
  }
}

// Through references to plain objects, and as objects of their own, which have room around small values.
template <class Value, cuda::thread_scope Scope>
void check_reference(const eight_values<Value>& values) {
  check_operations<cuda::atomic_ref<Value, Scope>, Value>(values);
}
template <class Value, cuda::thread_scope Scope>
void check_atomic(const eight_values<Value>& values) {
  check_operations<cuda::atomic<Value, Scope>, cuda::atomic<Value, Scope>>(values);
}
template <class Value>
void check_references(const eight_values<Value>& values) {
  check_reference<Value, cuda::thread_scope_thread>(values);
  check_reference<Value, cuda::thread_scope_block>(values);
  check_reference<Value, cuda::thread_scope_cluster>(values);
  check_reference<Value, cuda::thread_scope_device>(values);
  check_reference<Value, cuda::thread_scope_system>(values);
}
template <class Value>
void check_atomics(const eight_values<Value>& values) {
  check_atomic<Value, cuda::thread_scope_thread>(values);
  check_atomic<Value, cuda::thread_scope_block>(values);
  check_atomic<Value, cuda::thread_scope_cluster>(values);
  check_atomic<Value, cuda::thread_scope_device>(values);
  check_atomic<Value, cuda::thread_scope_system>(values);
}

#endif
