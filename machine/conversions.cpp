// cvt: between integers and floating-point numbers of all widths.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conversions.h"

#include <algorithm>
#include <cfenv>

namespace model {
namespace {

enum class rounding : uint8_t { nearest, nearest_away, zero, down, up };

// Of the words of an instruction; the modes that round to an integer are others.
rounding rounding_of(const instruction& at) {
  return at.has("rz"_w)    ? rounding::zero
         : at.has("rm"_w)  ? rounding::down
         : at.has("rp"_w)  ? rounding::up
         : at.has("rna"_w) ? rounding::nearest_away
                           : rounding::nearest;
}

// Of the types without a type of C++.
struct format {
  int exponent_bits, mantissa_bits;
  uint32_t greatest, infinity, nan;  // infinity: 0 if there is none
};
format format_of(kind of) {
  switch (of) {
  case kind::half:
    return {5, 10, 0x7bff, 0x7c00, 0x7fff};
  case kind::brain:
    return {8, 7, 0x7f7f, 0x7f80, 0x7fff};
  case kind::e4m3:
    return {4, 3, 0x7e, 0, 0x7f};
  case kind::e5m2:
    return {5, 2, 0x7b, 0x7c, 0x7f};
  default:  // tf32, without the bits of an f32 that it lacks
    return {8, 10, 0x3fbff, 0x3fc00, 0x3ffff};
  }
}

bool rounds_away(rounding mode, double rest, bool is_odd, bool is_negative) {
  switch (mode) {
  case rounding::nearest:
    return rest > 0.5 || (rest == 0.5 && is_odd);
  case rounding::nearest_away:
    return rest >= 0.5;
  case rounding::zero:
    return false;
  default:
    return rest > 0 && (mode == rounding::down) == is_negative;
  }
}

bits encode(double value, kind what, rounding mode, bool is_finite) {
  const format to = format_of(what);
  const uint32_t sign = std::signbit(value) ? 1u << (to.exponent_bits + to.mantissa_bits) : 0;
  uint32_t raw;
  if (std::isnan(value)) {
    raw = to.nan;
  } else if (std::isinf(value)) {
    raw = sign | (is_finite ? to.greatest : to.infinity);
  } else if (value == 0) {
    raw = sign;
  } else {
    const int least = 2 - (1 << (to.exponent_bits - 1));  // of a normal number
    const int exponent = std::max(std::ilogb(value), least);
    const double scaled = std::ldexp(std::fabs(value), to.mantissa_bits - exponent), whole = std::floor(scaled);
    uint64_t wide = static_cast<uint64_t>(whole);
    if (rounds_away(mode, scaled - whole, (wide & 1) != 0, sign != 0)) ++wide;
    wide += static_cast<uint64_t>(exponent - least) << to.mantissa_bits;
    if (wide > to.greatest) {
      const bool stays = is_finite || mode == rounding::zero || mode == (sign != 0 ? rounding::up : rounding::down);
      wide = stays ? to.greatest : to.infinity;
    }
    raw = sign | static_cast<uint32_t>(wide);
  }
  return what == kind::tf32 ? raw << 13 | (raw == to.nan ? 0x1fffu : 0u) : raw;
}

// A floating-point number as an integer.
bits truncated(double value, type to, type from) {
  const bool is_signed = to.what == kind::signed_integer;
  const double low = is_signed ? -std::ldexp(1.0, 8 * to.bytes - 1) : 0.0;
  const double high = std::ldexp(1.0, 8 * to.bytes - (is_signed ? 1 : 0));
  if (std::isnan(value)) {
    const bits least = bits{1} << (8 * to.bytes - 1);
    if (from.bytes != 8 && to.bytes != 8) return 0;
    return to.bytes == 1 && is_signed ? least | 0xff00 : least;
  }
  if (value <= low) return static_cast<bits>(static_cast<__int128>(low));
  if (value >= high) return mask_of(to.bytes) >> (is_signed ? 1 : 0);
  return static_cast<bits>(static_cast<__int128>(value));
}

bits clamped(__int128 value, uint32_t width, bool is_signed) {
  const __int128 most = (__int128{1} << (is_signed ? width - 1 : width)) - 1;
  const __int128 least = is_signed ? -most - 1 : __int128{0};
  return static_cast<bits>(std::min(std::max(value, least), most));
}

bits integer_to_integer(__int128 value, type to, bool saturates) {
  const bool is_signed = to.what == kind::signed_integer;
  const bits kept =
      (saturates ? clamped(value, 8u * to.bytes, is_signed) : static_cast<bits>(value)) & mask_of(to.bytes);
  return is_signed ? static_cast<bits>(static_cast<__int128>(to_signed(kept, to.bytes))) : kept;
}

// With an odd last bit if it is not exact, so that rounding it again is as if it had been rounded once.
double to_odd(long double value) {
  double narrow = static_cast<double>(value);
  if (static_cast<long double>(narrow) == value) return narrow;
  if (std::fabs(narrow) > std::fabs(value)) narrow = std::nextafter(narrow, 0.0);
  uint64_t raw;
  std::memcpy(&raw, &narrow, 8);
  raw |= 1;
  std::memcpy(&narrow, &raw, 8);
  return narrow;
}

bool has_type(type of) {
  return of.what == kind::floating;
}

// What this returns when it is called in the rounding mode of the instruction.
template <class Convert>
auto round_as(const instruction& at, const Convert& convert) {
  const int before = std::fegetround();
  const rounding mode = rounding_of(at);
  std::fesetround(mode == rounding::zero   ? FE_TOWARDZERO
                  : mode == rounding::down ? FE_DOWNWARD
                  : mode == rounding::up   ? FE_UPWARD
                                           : FE_TONEAREST);
  const auto result = convert();
  std::fesetround(before);
  return result;
}

// The volatile values keep the compiler from converting before the mode is set.
bits rounded(double value, type to, const instruction& at) {
  if (!has_type(to)) return encode(value, to.what, rounding_of(at), at.has("satfinite"_w));
  const volatile double kept = value;
  return round_as(at, [&] { return from_double(kept, to); });
}

bits integer_to_float(__int128 value, type to, const instruction& at) {
  const volatile long double wide = static_cast<long double>(value);  // exact
  if (!has_type(to)) return encode(to_odd(wide), to.what, rounding_of(at), false);
  if (to.bytes == 4) return rounded(to_odd(wide), to, at);
  return from_double(round_as(at, [&] { return static_cast<double>(wide); }), to);
}

bits float_to_float(double value, bits raw, type to, type from, const instruction& at) {
  if (!std::isnan(value)) return rounded(value, to, at);
  if (at.has("sat"_w)) return 0;
  const bits sign = raw >> (8 * from.bytes - 1) & 1;
  if (from.bytes == 8 && to.bytes == 4) return sign << 31 | 0x7fc00000 | (raw >> 29 & 0x3fffff);
  if (from.bytes == 8 && to.what == kind::brain) return sign << 15 | 0x7fc0 | (raw >> 45 & 0x3f);
  if (from.bytes == 8 && to.what == kind::half) return sign << 15 | 0x7e00 | (raw >> 42 & 0x1ff);
  if (to.what == kind::tf32 && !at.has("satfinite"_w)) return at.has("rna"_w) ? raw & ~bits{0x1fff} : bits{0x7fffe000};
  if (!has_type(to)) return encode(value, to.what, rounding::nearest, false);
  const bool is_plain = at.words.size() == 3;
  if (is_plain && from.what == kind::floating && from.bytes == to.bytes) return raw;
  if (is_plain && to.bytes == 4 && from.what == kind::brain) return raw << 16;
  if (to.bytes == 4) return 0x7fffffff;
  if (from.what == kind::half) return sign << 63 | bits{0x7ff8} << 48 | (raw & 0x3ff) << 42;
  if (from.bytes == 4 && at.has("ftz"_w)) return bits{0x7fffffffe0000000};
  return from.bytes == 8 ? raw | bits{1} << 51 : from_double(value, to);
}

}  // namespace

double decode(bits raw, type of) {
  if (of.what != kind::e4m3 && of.what != kind::e5m2)
    return to_double(raw, of.what == kind::tf32 ? type{kind::floating, 4} : of);
  const format from = format_of(of.what);
  const uint32_t all = static_cast<uint32_t>(raw) & 0xff, magnitude = all & 0x7f;
  const double sign = all >> 7 != 0 ? -1.0 : 1.0;
  if (magnitude > from.greatest) return magnitude == from.infinity ? sign * INFINITY : NAN;
  const uint32_t exponent = magnitude >> from.mantissa_bits, hidden = 1u << from.mantissa_bits;
  const uint32_t mantissa = (magnitude & (hidden - 1)) | (exponent != 0 ? hidden : 0);
  const int least = 2 - (1 << (from.exponent_bits - 1));
  return sign * std::ldexp(mantissa, static_cast<int>(std::max(exponent, 1u)) - 1 + least - from.mantissa_bits);
}

bits convert(const instruction& at, bits raw, type to, type from) {
  const bool flushes = at.has("ftz"_w), saturates = at.has("sat"_w);
  const auto is_single = [](type of) { return of.what == kind::floating && of.bytes == 4; };
  if (is_integer(from)) {
    const __int128 value = from.what == kind::signed_integer ? static_cast<__int128>(to_signed(raw, from.bytes))
                                                             : static_cast<__int128>(raw & mask_of(from.bytes));
    if (is_integer(to)) return integer_to_integer(value, to, saturates);
    raw = integer_to_float(value, to, at);
  } else {
    double value = decode(flushed(raw, from, flushes && is_single(from) && to.what != kind::half), from);
    if (at.has("rzi"_w)) value = std::trunc(value);
    if (at.has("rni"_w)) value = std::nearbyint(value);
    if (at.has("rmi"_w)) value = std::floor(value);
    if (at.has("rpi"_w)) value = std::ceil(value);
    if (is_integer(to)) return truncated(value, to, from);
    const bool is_clamped = (saturates || at.has("relu"_w)) && value <= 0;
    if (is_clamped) return 0;
    raw = float_to_float(value, raw, to, from, at);
  }
  if (saturates && decode(raw, to) <= 0) return 0;
  if (saturates && decode(raw, to) > 1) return from_double(1, to);
  return flushed(raw, to, flushes && is_single(to));
}

// The two numbers become the lowest parts of the result, above them is what was there, if anything.
bits pack(const instruction& at, bits upper, bits lower, bits rest) {
  const std::string_view word = at.words[3];
  const uint32_t width = word == "u2" || word == "s2"   ? 2
                         : word == "u4" || word == "s4" ? 4
                         : word.size() == 2             ? 8
                                                        : 16;
  const bits mask = (bits{1} << width) - 1;
  const auto part = [&](bits raw) { return clamped(to_signed(raw, 4), width, word[0] == 's') & mask; };
  return rest << (2 * width) | part(upper) << width | part(lower);
}

}  // namespace model
