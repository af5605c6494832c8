// Atomics in memory that was filled with a byte: the bytes of an object that its value has no name for take part in nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_UNNAMED_BYTES_H
#define CUDASYNC_TEST_SUPPORT_UNNAMED_BYTES_H

#include <cuda/atomic>

#if defined(__CUDACC__)
#define UNNAMED_API __host__ __device__
#define UNNAMED_OUT_OF_LINE __host__ __device__ __noinline__  // so that no compiler sees which memory it is
#else
#define UNNAMED_API
#define UNNAMED_OUT_OF_LINE
#endif

namespace unnamed_bytes {

using size = decltype(sizeof 0);
using byte = unsigned char;

// Each of these types has set(value, number), which changes its members and nothing else, and has(value, number).
// The bytes of a number all differ, and so do those of two numbers.
UNNAMED_API inline byte part(unsigned number, size index) {
  return static_cast<byte>(number * 89 + index * 37 + 1);
}
template <size Size>
UNNAMED_API void set_parts(byte (&parts)[Size], unsigned number, size from = 0) {
  for (size index = 0; index < Size; ++index)
    parts[index] = part(number, from + index);
}
template <size Size>
UNNAMED_API bool has_parts(const byte (&parts)[Size], unsigned number, size from = 0) {
  for (size index = 0; index < Size; ++index)
    if (parts[index] != part(number, from + index)) return false;
  return true;
}

// No padding of its own.
template <size Size, size Alignment = 1>
struct alignas(Alignment) whole {
  byte parts[Size];
};
template <size Size, size Alignment>
UNNAMED_API void set(whole<Size, Alignment>& value, unsigned number) {
  set_parts(value.parts, number);
}
template <size Size, size Alignment>
UNNAMED_API bool has(const whole<Size, Alignment>& value, unsigned number) {
  return has_parts(value.parts, number);
}

// Changes one bit of a byte of the value. Only such a type has no other bytes.
template <size Size, size Alignment>
UNNAMED_API void flip(whole<Size, Alignment>& value, size index) {
  value.parts[index] ^= 1;
}
template <class Value>
constexpr bool is_whole = false;
template <size Size, size Alignment>
constexpr bool is_whole<whole<Size, Alignment>> = true;

// Alignment - 1 bytes of padding after the first byte.
template <size Size, size Alignment>
struct with_hole {
  byte first;
  alignas(Alignment) byte rest[Size - Alignment];
};
template <size Size, size Alignment>
UNNAMED_API void set(with_hole<Size, Alignment>& value, unsigned number) {
  value.first = part(number, 0);
  set_parts(value.rest, number, 1);
}
template <size Size, size Alignment>
UNNAMED_API bool has(const with_hole<Size, Alignment>& value, unsigned number) {
  return value.first == part(number, 0) && has_parts(value.rest, number, 1);
}

// Padding bytes at the end.
template <size Size, size Alignment, size Padding = Alignment - 1>
struct alignas(Alignment) with_tail {
  byte parts[Size - Padding];
};
template <size Size, size Alignment, size Padding>
UNNAMED_API void set(with_tail<Size, Alignment, Padding>& value, unsigned number) {
  set_parts(value.parts, number);
}
template <size Size, size Alignment, size Padding>
UNNAMED_API bool has(const with_tail<Size, Alignment, Padding>& value, unsigned number) {
  return has_parts(value.parts, number);
}

// Padding between and after members of members, and a number of which two representations are equal.
struct nested {
  struct inner {
    byte small;
    short large;
  } of[2];
  float number;
};
UNNAMED_API inline void set(nested& value, unsigned number) {
  value.of[0].small = part(number, 0);
  value.of[1].small = part(number, 1);
  value.of[0].large = static_cast<short>(number * 257 + 2);
  value.of[1].large = static_cast<short>(number * 513 + 3);
  value.number = number % 2 == 0 ? -0.0f : 0.0f;
}
UNNAMED_API inline bool has(const nested& value, unsigned number) {
  return value.of[0].small == part(number, 0) && value.of[1].small == part(number, 1) &&
         value.of[0].large == static_cast<short>(number * 257 + 2) &&
         value.of[1].large == static_cast<short>(number * 513 + 3) && (1 / value.number < 0) == (number % 2 == 0);
}

// What a compiler without __builtin_clear_padding cannot tell: a pointer, a bit-field and a union are no constants.
struct pointer_and_byte {
  const void* address;
  byte last;
};
UNNAMED_API inline void set(pointer_and_byte& value, unsigned number) {
  value.address = reinterpret_cast<const void*>(0x123456789abcde0ull + number);
  value.last = part(number, 0);
}
UNNAMED_API inline bool has(const pointer_and_byte& value, unsigned number) {
  return value.address == reinterpret_cast<const void*>(0x123456789abcde0ull + number) && value.last == part(number, 0);
}
struct alignas(16) two_bit_fields {
  unsigned first : 3;
  unsigned : 0;
  unsigned last : 7;
};
UNNAMED_API inline void set(two_bit_fields& value, unsigned number) {
  value.first = number & 7;
  value.last = (number * 5) & 127;
}
UNNAMED_API inline bool has(const two_bit_fields& value, unsigned number) {
  return value.first == (number & 7) && value.last == ((number * 5) & 127);
}
// As pointer_and_byte, with an operator== of its own.
struct comparable_pointer : pointer_and_byte {
  friend UNNAMED_API bool operator==(const comparable_pointer& left, const comparable_pointer& right) {
    return left.address == right.address && left.last == right.last;
  }
};

// Numbers: no class, so no member.
#define UNNAMED_NUMBER(TYPE)                                        \
  UNNAMED_API inline void set(TYPE& value, unsigned number) {       \
    value = static_cast<TYPE>(number * 5 + 1);                      \
  }                                                                 \
  UNNAMED_API inline bool has(const TYPE& value, unsigned number) { \
    return value == static_cast<TYPE>(number * 5 + 1);              \
  }
UNNAMED_NUMBER(signed char)
UNNAMED_NUMBER(unsigned short)
UNNAMED_NUMBER(int)
UNNAMED_NUMBER(long long)
UNNAMED_NUMBER(float)
UNNAMED_NUMBER(double)
#if !defined(__CUDACC__)
UNNAMED_NUMBER(long double)
#endif
#undef UNNAMED_NUMBER
UNNAMED_API inline void set(bool& value, unsigned number) {
  value = number % 2 != 0;
}
UNNAMED_API inline bool has(const bool& value, unsigned number) {
  return value == (number % 2 != 0);
}

// A duration of no time.
struct no_time {
  struct period {
    static constexpr long long num = 1, den = 1000000000;
  };
  UNNAMED_API constexpr long long count() const { return 0; }
};

// Memory with an object in the middle, and the fill byte around it and in every byte that the value has no name for.
template <class Object>
struct alignas(64) filled {
  byte bytes[64 + sizeof(Object) + 64];

  UNNAMED_API explicit filled(byte fill) { refill(fill); }
  UNNAMED_API void refill(byte fill) {
    for (byte& each : bytes)
      each = fill;
  }
  UNNAMED_API Object& object() { return *reinterpret_cast<Object*>(bytes + 64); }
  UNNAMED_API bool is_intact(byte fill) const {
    for (size index = 0; index < 64; ++index)
      if (bytes[index] != fill || bytes[64 + sizeof(Object) + index] != fill) return false;
    return true;
  }
};

// How many answers are wrong. tries: how often a compare-exchange may fail although the value is the expected one: never,
// or, where the compiler does not know the padding, once. A wait may then end too soon.
template <class Value, class Atomic>
UNNAMED_API unsigned wrong_answers_of(const Atomic& atomic, byte other_fill, unsigned tries) {
  constexpr unsigned first = 1, second = 2, third = 3, fourth = 4;
  filled<Value> equal(other_fill), other(other_fill);
  set(equal.object(), first);
  set(other.object(), second);
  const auto exchanges = [&](Value& expected, const Value& desired, bool is_weak) {
    for (unsigned failures = 0;; ++failures) {
      const bool is_done = is_weak ? atomic.compare_exchange_weak(expected, desired, cuda::memory_order_relaxed)
                                   : atomic.compare_exchange_strong(expected, desired, cuda::memory_order_acq_rel,
                                                                    cuda::memory_order_relaxed);
      if (is_done) return true;
      if (failures == tries) return false;
    }
  };
  unsigned wrong = 0;
  const auto check = [&](bool condition) { wrong += condition ? 0u : 1u; };
  check(has(atomic.load(cuda::memory_order_relaxed), first));
  if (tries == 0) {
    check(!atomic.wait_for(equal.object(), no_time{}));
    check(!atomic.wait_for(atomic.load(), no_time{}));
  }
  check(atomic.wait_for(other.object(), no_time{}));
  // A value that is not there, then the value that is.
  check(!atomic.compare_exchange_strong(other.object(), equal.object()) && has(other.object(), first));
  set(other.object(), second);
  check(!atomic.compare_exchange_weak(other.object(), equal.object()) && has(other.object(), first));
  set(other.object(), second);
  // A value of which a single byte differs.
  if constexpr (is_whole<Value>)
    for (size index = 0; index < sizeof(Value); ++index) {
      filled<Value> near(other_fill);
      set(near.object(), first);
      flip(near.object(), index);
      check(atomic.wait_for(near.object(), no_time{}));
      check(!atomic.compare_exchange_strong(near.object(), other.object()) && has(near.object(), first));
    }
  check(exchanges(equal.object(), other.object(), false) && has(atomic.load(), second));
  filled<Value> now(other_fill), next(other_fill);
  set(now.object(), second);
  set(next.object(), third);
  check(exchanges(now.object(), next.object(), true) && has(atomic.load(), third));
  set(next.object(), fourth);
  check(has(atomic.exchange(next.object()), third));
  // After an exchange and after a store, too.
  set(now.object(), fourth);
  check(atomic.wait_for([&](const Value& value) { return has(value, fourth); }, no_time{}));
  set(next.object(), first);
  check(exchanges(now.object(), next.object(), false) && has(atomic.load(), first));
  set(next.object(), second);
  atomic.store(next.object());
  if (tries == 0) check(!atomic.wait_for(next.object(), no_time{}));
  set(next.object(), first);
  atomic.store(next.object());
  return wrong;
}

// An atomic, with the interface of a reference to it.
template <class Value>
struct whole_object {
  cuda::atomic<Value, cuda::thread_scope_device>& object;

  template <class Order = cuda::memory_order>
  UNNAMED_API Value load(Order order = cuda::memory_order_seq_cst) const {
    return object.load(order);
  }
  template <class... Orders>
  UNNAMED_API bool compare_exchange_weak(Value& expected, const Value& desired, Orders... orders) const {
    return object.compare_exchange_weak(expected, desired, orders...);
  }
  template <class... Orders>
  UNNAMED_API bool compare_exchange_strong(Value& expected, const Value& desired, Orders... orders) const {
    return object.compare_exchange_strong(expected, desired, orders...);
  }
  template <class Condition>
  UNNAMED_API bool wait_for(const Condition& condition, no_time limit) const {
    return object.wait_for(condition, limit);
  }
  UNNAMED_API Value exchange(const Value& value) const { return object.exchange(value); }
  UNNAMED_API void store(const Value& value) const { object.store(value); }
};

// A table of the wrong answers: [fill of the object][fill of the values that it is compared with], of 0x00, 0xee, 0xff.
struct answers {
  unsigned wrong[3][3];
};

template <class Value>
UNNAMED_OUT_OF_LINE unsigned in_atomic(void* place, byte fill, byte other_fill, unsigned tries) {
  using atomic = cuda::atomic<Value, cuda::thread_scope_device>;
  auto& memory = *static_cast<filled<atomic>*>(place);
  memory.refill(fill);
  atomic& object = memory.object();
  set(reinterpret_cast<Value&>(object), 1);
  const unsigned wrong = wrong_answers_of<Value>(whole_object<Value>{object}, other_fill, tries);
  return wrong + (memory.is_intact(fill) ? 0u : 1u);
}
template <class Value>
UNNAMED_OUT_OF_LINE unsigned in_plain_object(void* place, byte fill, byte other_fill, unsigned tries) {
  using reference = cuda::atomic_ref<Value, cuda::thread_scope_device>;
  auto& memory = *static_cast<filled<Value>*>(place);
  memory.refill(fill);
  set(memory.object(), 1);
  const unsigned wrong = wrong_answers_of<Value>(reference(memory.object()), other_fill, tries);
  return wrong + (memory.is_intact(fill) ? 0u : 1u);
}

// A place for each object of this file.
struct alignas(64) room {
  byte bytes[320];
};

// All fills of an atomic and, if there is one for the type, of an object with a reference.
template <class Value, bool HasReference>
UNNAMED_API answers wrong_answers(void* place, unsigned tries = 0) {
  static_assert(sizeof(filled<cuda::atomic<Value>>) <= sizeof(room));
  answers result = {};
  for (unsigned fill = 0; fill < 3; ++fill)
    for (unsigned other = 0; other < 3; ++other) {
      const auto fill_of = [](unsigned index) {
        return static_cast<byte>(index == 0 ? 0x00 : index == 1 ? 0xee : 0xff);
      };
      result.wrong[fill][other] = in_atomic<Value>(place, fill_of(fill), fill_of(other), tries);
      if constexpr (HasReference)
        result.wrong[fill][other] += in_plain_object<Value>(place, fill_of(fill), fill_of(other), tries);
    }
  return result;
}
UNNAMED_API inline unsigned sum(const answers& all) {
  unsigned result = 0;
  for (const auto& row : all.wrong)
    for (unsigned each : row)
      result += each;
  return result;
}

}  // namespace unnamed_bytes

#endif
