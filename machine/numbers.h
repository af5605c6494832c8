// Arithmetic on the bits of PTX's types, and random numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_NUMBERS_H
#define CUDASYNC_MACHINE_NUMBERS_H

#include "opcodes.h"
#include "program.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace model {

using bits = unsigned __int128;

inline float half_to_float(uint16_t value) {
  const uint32_t exponent = value >> 10 & 31, mantissa = value & 1023;
  const float sign = (value >> 15) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return mantissa != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 1024), static_cast<int>(exponent) - 25);
}

inline uint16_t float_to_half(float value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7fff;
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0f) return sign | 0x7c00;
  if (magnitude < std::ldexp(1.0f, -25)) return sign;
  int exponent;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, -14);
  const float scaled = std::nearbyint(std::ldexp(magnitude, 10 - exponent));  // rounds to even
  const uint32_t mantissa = static_cast<uint32_t>(scaled);
  return static_cast<uint16_t>(sign + mantissa + (static_cast<uint32_t>(exponent + 14) << 10));
}

inline float brain_to_float(uint16_t value) {
  const uint32_t wide = uint32_t{value} << 16;
  float result;
  std::memcpy(&result, &wide, 4);
  return result;
}

inline uint16_t float_to_brain(float value) {
  if (std::isnan(value)) return 0x7fff;
  uint32_t wide;
  std::memcpy(&wide, &value, 4);
  return static_cast<uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
}

inline double to_double(bits raw, type of) {
  const uint64_t low = static_cast<uint64_t>(raw);
  switch (of.what) {
  case kind::half:
    return half_to_float(static_cast<uint16_t>(low));
  case kind::brain:
    return brain_to_float(static_cast<uint16_t>(low));
  default:
    break;
  }
  if (of.bytes == 4) {
    float value;
    std::memcpy(&value, &low, 4);
    return value;
  }
  double value;
  std::memcpy(&value, &low, 8);
  return value;
}

// With an odd last bit if the number is not exact, so that rounding it again, to a half, is as if it had been rounded once.
inline float rounded_to_odd(double value) {
  float narrow = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(narrow) == value) return narrow;
  if (std::fabs(static_cast<double>(narrow)) > std::fabs(value)) narrow = std::nextafter(narrow, 0.0f);
  uint32_t raw;
  std::memcpy(&raw, &narrow, 4);
  raw |= 1;
  std::memcpy(&narrow, &raw, 4);
  return narrow;
}

inline bits from_double(double value, type of) {
  switch (of.what) {
  case kind::half:
    return float_to_half(rounded_to_odd(value));
  case kind::brain:
    return float_to_brain(rounded_to_odd(value));
  default:
    break;
  }
  uint64_t low = 0;
  if (of.bytes == 4) {
    const float narrow = static_cast<float>(value);
    std::memcpy(&low, &narrow, 4);
  } else {
    std::memcpy(&low, &value, 8);
  }
  return low;
}

inline bits mask_of(uint32_t bytes) {
  return bytes >= 16 ? ~bits{0} : (bits{1} << (8 * bytes)) - 1;
}

inline int64_t to_signed(bits raw, uint32_t bytes) {
  const int shift = 64 - 8 * static_cast<int>(bytes);
  return static_cast<int64_t>(static_cast<uint64_t>(raw) << shift) >> shift;
}

inline bool is_float(type of) {
  return of.what == kind::floating || of.what == kind::half || of.what == kind::brain;
}

inline bool is_integer(type of) {
  return of.what == kind::bits || of.what == kind::unsigned_integer || of.what == kind::signed_integer;
}

inline bits add_numbers(bits left, bits right, type of) {
  if (of.what == kind::floating) {
    if (of.bytes == 8) return from_double(to_double(left, of) + to_double(right, of), of);
    const float sum = static_cast<float>(to_double(left, of)) + static_cast<float>(to_double(right, of));
    return from_double(sum, of);
  }
  if (of.what == kind::half || of.what == kind::brain) {
    const type one{of.what, 2};
    bits result = 0;
    for (uint32_t part = 0; part < of.bytes / 2u; ++part) {
      const double sum = to_double(left >> (16 * part) & 0xffff, one) + to_double(right >> (16 * part) & 0xffff, one);
      result |= from_double(sum, one) << (16 * part);
    }
    return result;
  }
  return left + right;
}

// Of integers, or of floating-point numbers that are ordered.
template <class Number>
bool compare_numbers(comparison how, Number left, Number right) {
  switch (how) {
  case comparison::eq:
  case comparison::equ:
    return left == right;
  case comparison::ne:
  case comparison::neu:
    return left != right;
  case comparison::lt:
  case comparison::lo:
  case comparison::ltu:
    return left < right;
  case comparison::le:
  case comparison::ls:
  case comparison::leu:
    return left <= right;
  case comparison::gt:
  case comparison::hi:
  case comparison::gtu:
    return left > right;
  case comparison::ge:
  case comparison::hs:
  case comparison::geu:
    return left >= right;
  default:
    return how == comparison::num;
  }
}

inline bool is_subnormal(bits raw, type of) {
  const uint32_t exponent_bits = of.bytes == 8 ? 11 : of.bytes == 4 || of.what == kind::brain ? 8 : 5;
  const uint32_t mantissa_bits = 8u * of.bytes - 1 - exponent_bits;
  return (raw >> mantissa_bits & ((1u << exponent_bits) - 1)) == 0;
}

// A subnormal number becomes zero, with its sign.
inline bits flushed(bits raw, type of, bool flushes) {
  return flushes && is_subnormal(raw, of) ? raw & bits{1} << (8 * of.bytes - 1) : raw;
}

inline bool compare(comparison how, bits left, bits right, type of, bool flushes = false) {
  if (is_float(of)) {
    const double a = to_double(flushed(left, of, flushes), of), b = to_double(flushed(right, of, flushes), of);
    if (std::isnan(a) || std::isnan(b)) return how >= comparison::equ && how != comparison::num;
    return compare_numbers(how, a, b);
  }
  if (of.what == kind::signed_integer)
    return compare_numbers(how, to_signed(left, of.bytes), to_signed(right, of.bytes));
  return compare_numbers(how, left & mask_of(of.bytes), right & mask_of(of.bytes));
}

inline bits smaller(bits left, bits right, type of, bool wants_larger) {
  if (is_float(of)) {
    const double a = to_double(left, of), b = to_double(right, of);
    if (std::isnan(a)) return right;
    if (std::isnan(b)) return left;
    return (a < b) != wants_larger ? left : right;
  }
  return compare(comparison::lt, left, right, of) != wants_larger ? left : right;
}

inline bits combine(operation what, bits old, bits operand, bits desired, type of) {
  const bits mask = mask_of(of.bytes);
  old &= mask;
  operand &= mask;
  switch (what) {
  case operation::add:
    return add_numbers(old, operand, of) & mask;
  case operation::inc:
    return old >= operand ? 0 : old + 1;
  case operation::dec:
    return old == 0 || old > operand ? operand : old - 1;
  case operation::min:
    return smaller(old, operand, of, false);
  case operation::max:
    return smaller(old, operand, of, true);
  case operation::and_:
    return old & operand;
  case operation::or_:
    return old | operand;
  case operation::xor_:
    return old ^ operand;
  case operation::exch:
    return operand;
  case operation::cas:
    return old == operand ? desired & mask : old;
  default:
    throw fault("unknown atomic operation");
  }
}

// A reduction of memory: each element of it becomes what it and an operand make.
inline void combine_all(operation what, type each, uint8_t* to, const uint8_t* from, uint64_t size) {
  for (uint64_t offset = 0; offset < size; offset += each.bytes) {
    bits old = 0, operand = 0;
    std::memcpy(&old, to + offset, each.bytes);
    std::memcpy(&operand, from + offset, each.bytes);
    const bits made = combine(what, old, operand, 0, each);
    std::memcpy(to + offset, &made, each.bytes);
  }
}

inline uint64_t round_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// xorshift64*.
class generator {
 public:
  using result_type = uint64_t;
  explicit generator(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return ~uint64_t{0}; }
  uint64_t operator()() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1d;
  }

 private:
  uint64_t state_;
};

}  // namespace model

#endif
