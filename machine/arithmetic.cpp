// What arithmetic instructions compute, from the bits of their operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arithmetic.h"

#include "conversions.h"

#include <algorithm>
#include <cfenv>

namespace model {
namespace {

// --- Floating-point numbers ---

class rounding {
 public:
  explicit rounding(const instruction& at)
      : before_(std::fegetround()), wanted_(at.has("rz"_w)   ? FE_TOWARDZERO
                                            : at.has("rm"_w) ? FE_DOWNWARD
                                            : at.has("rp"_w) ? FE_UPWARD
                                                             : FE_TONEAREST) {
    if (wanted_ != before_) set();
  }
  rounding(const rounding&) = delete;
  ~rounding() { std::fesetround(before_); }
  void set() const { std::fesetround(wanted_); }

 private:
  int before_, wanted_;
};

// Volatile: the compiler must not compute before the rounding mode is set.
template <class Number>
Number evaluate(opcode what, Number first, Number second, Number third) {
  const volatile Number a = first, b = second, c = third;
  switch (what) {
  case opcode::add:
    return a + b;
  case opcode::sub:
    return a - b;
  case opcode::mul:
    return a * b;
  case opcode::fma:
  case opcode::mad:
    return std::fma(Number{a}, Number{b}, Number{c});
  case opcode::div:
    return a / b;
  case opcode::rcp:
    return 1 / a;
  case opcode::sqrt:
    return std::sqrt(Number{a});
  case opcode::rsqrt:
    return 1 / std::sqrt(Number{a});
  case opcode::ex2:
    return std::exp2(Number{a});
  case opcode::lg2:
    return std::log2(Number{a});
  case opcode::sin:
    return std::sin(Number{a});
  case opcode::cos:
    return std::cos(Number{a});
  default:
    return std::tanh(Number{a});
  }
}

// Rounded to an odd mantissa, so that rounding it again, to a half, is as if it had been rounded once.
double fma_to_odd(double a, double b, double c) {
  const double product = a * b;  // exact: of two halves
  const double sum = product + c, back = sum - product;
  const double lost = (product - (sum - back)) + (c - back);
  uint64_t raw;
  std::memcpy(&raw, &sum, 8);
  if (lost == 0 || !std::isfinite(sum) || (raw & 1) != 0) return sum;
  raw += (lost > 0) == (sum > 0) ? 1 : uint64_t(-1);
  double odd;
  std::memcpy(&odd, &raw, 8);
  return odd;
}

bits sign_of(bits raw, type of) {
  return raw & bits{1} << (8 * of.bytes - 1);
}
bits quiet_nan(type of) {
  return mask_of(of.bytes) >> 1;
}
bits smaller_float(bits a, bits b, type of, bool wants_larger, bool keeps_nan) {
  const double left = to_double(a, of), right = to_double(b, of);
  if (std::isnan(left) || std::isnan(right))
    return keeps_nan || (std::isnan(left) && std::isnan(right)) ? quiet_nan(of) : std::isnan(left) ? b : a;
  if (left == right) return (sign_of(a, of) != 0) == wants_larger ? b : a;  // -0 is less than +0
  return (left < right) != wants_larger ? a : b;
}

bool has_property(const instruction& at, double value, bool is_small) {
  if (at.has("finite"_w)) return std::isfinite(value);
  if (at.has("infinite"_w)) return std::isinf(value);
  if (at.has("number"_w)) return !std::isnan(value);
  if (at.has("notanumber"_w)) return std::isnan(value);
  const bool is_subnormal_number = is_small && value != 0;
  return at.has("subnormal"_w) ? is_subnormal_number : std::isfinite(value) && !is_subnormal_number;
}

// One of the numbers that a type holds.
type part_of(type of) {
  return {of.what, static_cast<uint8_t>(of.bytes / of.parts())};
}

// Of numbers of one type, which is no pair.
bits compute_float(const instruction& at, bits a, bits b, bits c, type of) {
  const opcode what = opcode(at.opcode);
  const bool flushes = at.has("ftz"_w);
  a = flushed(a, of, flushes);
  b = flushed(b, of, flushes);
  c = flushed(c, of, flushes);
  switch (what) {
  case opcode::abs:
  case opcode::neg: {
    const bits sign = sign_of(mask_of(of.bytes), of);
    if (std::isnan(to_double(a, of))) return of.bytes == 8 ? a | bits{1} << 51 : quiet_nan(of);
    return what == opcode::abs ? a & ~sign : a ^ sign;
  }
  case opcode::testp:
    return has_property(at, to_double(a, of), is_subnormal(a, of));
  case opcode::copysign:
    return sign_of(a, of) | (b & ~sign_of(mask_of(of.bytes), of));
  case opcode::min:
  case opcode::max: {
    const bits sign = sign_of(mask_of(of.bytes), of);
    if (!at.has("xorsign"_w)) return smaller_float(a, b, of, what == opcode::max, at.has("NaN"_w));
    const bits chosen = smaller_float(a & ~sign, b & ~sign, of, what == opcode::max, at.has("NaN"_w));
    return std::isnan(to_double(chosen, of)) ? chosen : chosen | ((a ^ b) & sign);
  }
  default:
    break;
  }
  const bool is_gross = of.bytes == 8 && flushes;  // rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: of the upper words
  const bits upper = ~bits{0xffffffff};
  if (is_gross) a &= upper;
  if (what == opcode::div && at.has("approx"_w)) {
    const double divisor = std::fabs(to_double(b, of));
    if (divisor > std::ldexp(1.0, 126)) b = sign_of(b, of) | 0x7f800000;  // it counts as infinite
  }
  const rounding mode(at);
  bits result;
  double unrounded = 0;  // of a half
  if (of.bytes == 8)
    result = from_double(evaluate<double>(what, to_double(a, of), to_double(b, of), to_double(c, of)), of);
  else if (of.what == kind::floating)
    result = from_double(evaluate<float>(what, static_cast<float>(to_double(a, of)),
                                         static_cast<float>(to_double(b, of)), static_cast<float>(to_double(c, of))),
                         of);
  else
    result =
        from_double(unrounded = what == opcode::fma ? fma_to_odd(to_double(a, of), to_double(b, of), to_double(c, of))
                                                    : evaluate<double>(what, to_double(a, of), to_double(b, of), 0.0),
                    of);
  if (is_gross) result &= upper;
  if (std::isnan(to_double(result, of))) return at.has("sat"_w) ? 0 : of.bytes == 8 ? result : quiet_nan(of);
  if (at.has("sat"_w)) {
    if (to_double(result, of) <= 0) return 0;
    if (to_double(result, of) > 1) return from_double(1, of);
  }
  if (at.has("relu"_w) && to_double(result, of) <= 0) return 0;
  const bits sign = sign_of(result, of), least = bits{1} << (of.what == kind::half    ? 10
                                                             : of.what == kind::brain ? 7
                                                                                      : 23);
  if (flushes && result == (sign | least)) {  // what counts is how it would be rounded if exponents had no limit
    if (of.bytes == 4) {
      std::fesetround(FE_TONEAREST);
      unrounded = what == opcode::mul || what == opcode::fma || what == opcode::mad
                      ? fma_to_odd(to_double(a, of), to_double(b, of), what == opcode::mul ? 0 : to_double(c, of))
                      : evaluate<double>(what, to_double(a, of), to_double(b, of), 0.0);
      mode.set();
    }
    const volatile double scaled = std::ldexp(unrounded, 8);
    return std::fabs(to_double(from_double(scaled, of), of)) < std::ldexp(std::fabs(to_double(result, of)), 8) ? sign
                                                                                                               : result;
  }
  return flushed(result, of, flushes);
}

// --- Integers ---

bits clamped(__int128 value, uint32_t bytes) {
  const __int128 most = (__int128{1} << (8 * bytes - 1)) - 1;
  return static_cast<bits>(std::min(std::max(value, -most - 1), most));
}

bits compute_integer(const instruction& at, const bits (&in)[4], type as, bool& carry) {
  const opcode what = opcode(at.opcode);
  const bool is_signed = as.what == kind::signed_integer;
  const uint32_t width = 8u * as.bytes;
  const bits mask = mask_of(as.bytes);
  const auto value_of = [&](bits raw) {
    return is_signed ? static_cast<__int128>(to_signed(raw, as.bytes)) : static_cast<__int128>(raw & mask);
  };
  const bits a = in[0] & mask, b = in[1] & mask;
  // The high half of a product of two 64-bit numbers needs all 128 bits, without a sign.
  const bits product = static_cast<bits>(value_of(a) * value_of(b));
  const auto part_of_product = [&] { return at.has("hi"_w) ? product >> width : product; };
  const auto with_carry = [&](bits sum) {
    if (at.has("cc"_w)) carry = (sum >> width & 1) != 0;
    return sum;
  };
  const bits carried = carry ? 1 : 0;
  switch (what) {
  case opcode::add:
    return at.has("sat"_w) ? clamped(value_of(a) + value_of(b), as.bytes) : with_carry(a + b);
  case opcode::addc:
    return with_carry(a + b + carried);
  case opcode::sub:
    if (at.has("cc"_w)) carry = a >= b;  // it borrows nothing
    return at.has("sat"_w) ? clamped(value_of(a) - value_of(b), as.bytes) : a - b;
  case opcode::subc:
    if (at.has("cc"_w)) carry = a + carried > b;
    return a - b - 1 + carried;
  case opcode::mul:
    return at.has("wide"_w) ? product : part_of_product();
  case opcode::mad:
    if (at.has("wide"_w)) return product + in[2];
    if (at.has("sat"_w)) return clamped(to_signed(product >> width, as.bytes) + value_of(in[2]), as.bytes);
    return with_carry((part_of_product() & mask) + (in[2] & mask));
  case opcode::madc:
    return with_carry((part_of_product() & mask) + (in[2] & mask) + carried);
  case opcode::mul24:
  case opcode::mad24: {
    const auto narrow = [&](bits raw) {
      const bits low = raw & 0xffffff;
      return is_signed ? static_cast<__int128>(to_signed(low << 8, 4) >> 8) : static_cast<__int128>(low);
    };
    const bits narrow_product = static_cast<bits>(narrow(a) * narrow(b));
    const bits part = at.has("hi"_w) ? narrow_product >> 16 : narrow_product;
    if (at.has("sat"_w)) return clamped(__int128{to_signed(part, 4)} + value_of(in[2]), 4);
    return part + (what == opcode::mad24 ? in[2] : 0);
  }
  case opcode::div:
    return b == 0 ? ~bits{0} : static_cast<bits>(value_of(a) / value_of(b));
  case opcode::rem:
    return b == 0 ? ~bits{0} : static_cast<bits>(value_of(a) % value_of(b));
  case opcode::abs:
    return static_cast<bits>(value_of(a) < 0 ? -value_of(a) : value_of(a));
  case opcode::neg:
    return static_cast<bits>(-value_of(a));
  case opcode::sad: {
    const __int128 difference = value_of(a) - value_of(b);
    return static_cast<bits>(difference < 0 ? -difference : difference) + in[2];
  }
  default: {  // min, max
    const bits chosen = (value_of(a) < value_of(b)) == (what == opcode::min) ? a : b;
    return at.has("relu"_w) && value_of(chosen) < 0 ? 0 : chosen;
  }
  }
}

// Of halves or bytes: each, or the sum of all.
bits absolute_differences(const instruction& at, const bits (&in)[4]) {
  const uint32_t width = opcode(at.opcode) == opcode::vabsdiff2 ? 16 : 8, mask = (1u << width) - 1;
  bits all = 0, sum = in[2];
  for (uint32_t shift = 0; shift < 32; shift += width) {
    const uint32_t one = static_cast<uint32_t>(in[0] >> shift) & mask,
                   other = static_cast<uint32_t>(in[1] >> shift) & mask;
    const uint32_t difference = one < other ? other - one : one - other;
    all |= bits{difference} << shift;
    sum += difference;
  }
  return at.has("add"_w) ? sum : all;
}

// Sums of products of bytes; dp2a: of half of the bytes with 16-bit numbers.
bits dot_product(const instruction& at, const bits (&in)[4]) {
  const bool is_first_signed = at.second.what == kind::signed_integer,
             is_signed = at.first.what == kind::signed_integer;
  const auto part = [](bits raw, uint32_t index, uint32_t bytes, bool has_sign) {
    const bits value = raw >> (8 * bytes * index) & mask_of(bytes);
    return has_sign ? to_signed(value, bytes) : static_cast<int64_t>(value);
  };
  int64_t sum = 0;
  if (opcode(at.opcode) == opcode::dp4a)
    for (uint32_t index = 0; index < 4; ++index)
      sum += part(in[0], index, 1, is_first_signed) * part(in[1], index, 1, is_signed);
  else
    for (uint32_t index = 0; index < 2; ++index)
      sum += part(in[0], index, 2, is_first_signed) * part(in[1], index + (at.has("hi"_w) ? 2 : 0), 1, is_signed);
  return static_cast<bits>(sum) + in[2];
}

bits count_bits(const instruction& at, bits value, type as) {
  const uint32_t width = 8u * as.bytes;
  const uint64_t low = static_cast<uint64_t>(value & mask_of(as.bytes));
  const auto leading_of = [&](uint64_t raw) { return static_cast<uint32_t>(__builtin_clzll(raw)) - (64 - width); };
  switch (opcode(at.opcode)) {
  case opcode::popc:
    return static_cast<uint32_t>(__builtin_popcountll(low));
  case opcode::clz:
    return low == 0 ? width : leading_of(low);
  default: {  // bfind: of a negative number, the highest bit that is not its sign
    const bool is_negative = as.what == kind::signed_integer && to_signed(low, as.bytes) < 0;
    const uint64_t searched = is_negative ? ~low & static_cast<uint64_t>(mask_of(as.bytes)) : low;
    if (searched == 0) return 0xffffffffu;
    return at.has("shiftamt"_w) ? leading_of(searched) : width - 1 - leading_of(searched);
  }
  }
}

// fns: the position of the set bit that is so many from the base, which counts as the first.
uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset) {
  const int step = offset < 0 ? -1 : 1;
  int64_t left = offset == 0 ? 0 : std::abs(int64_t{offset}) - 1;
  for (int64_t at = base; at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && left-- == 0) return static_cast<uint32_t>(at);
    if (offset == 0) break;
  }
  return ~uint32_t{0};
}

// The four numbers of bytes that a mode of prmt stands for.
uint32_t bytes_of_mode(const instruction& at, uint32_t control) {
  const uint32_t low = control & 3;
  if (at.has("f4e"_w)) return (0x3210u + 0x1111u * low) & 0x7777u;
  if (at.has("b4e"_w)) return low == 0 ? 0x5670u : low == 1 ? 0x6701u : low == 2 ? 0x7012u : 0x0123u;
  if (at.has("rc8"_w)) return 0x1111u * low;
  if (at.has("rc16"_w)) return (low & 1) != 0 ? 0x3232u : 0x1010u;
  uint32_t made = 0;
  for (uint32_t byte = 0; byte < 4; ++byte)  // ecl clamps the bytes from below, ecr from above
    if (at.has("ecl"_w) || at.has("ecr"_w))
      made |= (at.has("ecl"_w) ? std::max(byte, low) : std::min(byte, low)) << (4 * byte);
  return at.has("ecl"_w) || at.has("ecr"_w) ? made : control;
}

bits move_bits(const instruction& at, const bits (&in)[4], type as) {
  const uint32_t width = 8u * as.bytes;
  const bits mask = mask_of(as.bytes), a = in[0] & mask;
  const uint32_t second = static_cast<uint32_t>(in[1]), third = static_cast<uint32_t>(in[2]);
  switch (opcode(at.opcode)) {
  case opcode::shl:
    return second >= width ? 0 : a << second;
  case opcode::shr:
    if (as.what == kind::signed_integer)
      return static_cast<bits>(static_cast<__int128>(to_signed(a, as.bytes)) >> std::min(second, width));
    return second >= width ? 0 : a >> second;
  case opcode::shf: {
    const uint64_t both = static_cast<uint64_t>(a) | static_cast<uint64_t>(second) << 32;
    const uint32_t by = at.has("wrap"_w) ? third & 31 : std::min(third, 32u);
    if (at.has("l"_w)) return by == 0 ? both >> 32 : by == 32 ? both & 0xffffffff : both << by >> 32;
    return both >> by;
  }
  case opcode::bfe: {
    const bool is_signed = as.what == kind::signed_integer;
    const uint32_t start = second & 255, length = third & 255;
    if (length == 0) return 0;
    const bits sign = is_signed && (a >> std::min(start + length - 1, width - 1) & 1) != 0 ? ~bits{0} : 0;
    const bits field = length >= width ? mask : (bits{1} << length) - 1;
    const bits found = start >= width ? sign : (a >> start) | (start == 0 ? 0 : sign << (width - start));
    return (found & field) | (sign & ~field);
  }
  case opcode::bfi: {
    const uint32_t start = third & 255, length = static_cast<uint32_t>(in[3]) & 255;
    if (start >= width) return in[1];
    const bits field = (length >= width ? mask : (bits{1} << length) - 1) << start;
    return (in[1] & ~field) | (a << start & field);
  }
  case opcode::bmsk: {
    const bool wraps = at.has("wrap"_w);
    const uint32_t start = wraps ? in[0] & 31 : static_cast<uint32_t>(in[0]), length = wraps ? second & 31 : second;
    return start >= 32 ? 0 : (length >= 32 ? ~bits{0} : (bits{1} << length) - 1) << start;
  }
  case opcode::szext: {
    const uint32_t length = at.has("wrap"_w) ? second & 31 : second;
    if (length >= 32) return a;
    if (length == 0) return 0;
    const bits low = a & ((bits{1} << length) - 1);
    const bool is_negative = as.what == kind::signed_integer && (low >> (length - 1) & 1) != 0;
    return is_negative ? low | ~((bits{1} << length) - 1) : low;
  }
  case opcode::brev: {
    bits turned = 0;
    for (uint32_t bit = 0; bit < width; ++bit)
      turned |= (a >> bit & 1) << (width - 1 - bit);
    return turned;
  }
  case opcode::fns:
    return find_nth_set(static_cast<uint32_t>(a), second, static_cast<int32_t>(third));
  case opcode::prmt: {
    const uint64_t both = static_cast<uint64_t>(a) | static_cast<uint64_t>(second) << 32;
    const uint32_t chosen = bytes_of_mode(at, third);
    uint32_t value = 0;
    for (uint32_t byte = 0; byte < 4; ++byte) {
      const uint32_t from = chosen >> (4 * byte) & 15;
      uint32_t part = static_cast<uint32_t>(both >> (8 * (from & 7)) & 255);
      if ((from & 8) != 0) part = (part & 128) != 0 ? 255 : 0;
      value |= part << (8 * byte);
    }
    return value;
  }
  default: {  // lop3
    const bits tables = in[3];
    bits value = 0;
    for (uint32_t row = 0; row < 8; ++row)
      if ((tables >> row & 1) != 0)
        value |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? in[1] : ~in[1]) & ((row & 1) != 0 ? in[2] : ~in[2]);
    return value;
  }
  }
}

}  // namespace

type operand_type(const instruction& at, size_t index) {
  const type word{kind::bits, 4};
  const type wide{at.first.what, static_cast<uint8_t>(2 * at.first.bytes)};
  switch (opcode(at.opcode)) {
  case opcode::cvt: {  // a narrow integer fills its register, as far as that is known
    const type to = at.second;
    if (at.has("pack"_w)) return word;
    return index != 0 ? at.first : is_integer(to) ? type{kind::bits, 8} : to;
  }
  case opcode::slct:
    return index == 3 ? at.first : at.second;
  case opcode::testp:
    return index == 0 ? type{kind::predicate, 1} : at.first;
  case opcode::bfind:
  case opcode::clz:
  case opcode::popc:
    return index == 0 ? word : at.first;
  case opcode::mad:
  case opcode::mul:
    return at.has("wide"_w) && index % 3 == 0 ? wide : at.first;
  case opcode::shl:
  case opcode::shr:
    return index == 2 ? word : at.first;
  case opcode::bfe:
    return index >= 2 ? word : at.first;
  case opcode::bfi:
    return index >= 3 ? word : at.first;
  case opcode::selp:
    return index == 3 ? type{kind::predicate, 1} : at.first;
  default:
    return at.first;
  }
}

bits compute(const instruction& at, const bits (&in)[4], bool& carry) {
  const type as = at.first;
  switch (opcode(at.opcode)) {
  case opcode::mov:
    return in[0];
  case opcode::and_:
    return in[0] & in[1];
  case opcode::or_:
    return in[0] | in[1];
  case opcode::xor_:
    return in[0] ^ in[1];
  case opcode::not_:
    return as.what == kind::predicate ? bits{in[0] == 0} : ~in[0];
  case opcode::cnot:
    return in[0] == 0;
  case opcode::selp:
    return in[2] != 0 ? in[0] : in[1];
  case opcode::cvt: {
    if (at.has("pack"_w)) return pack(at, in[0], in[1], as.what == kind::bits ? in[2] : 0);
    if (at.second.parts() == 1) return convert(at, in[0], at.second, as);
    const type to = part_of(at.second), from = part_of(as);
    const bool is_pair = as.parts() == 2;
    const bits upper = is_pair ? in[0] >> (8 * from.bytes) & mask_of(from.bytes) : in[0];
    const bits lower = is_pair ? in[0] & mask_of(from.bytes) : in[1];
    return convert(at, upper, to, from) << (8 * to.bytes) | convert(at, lower, to, from);
  }
  case opcode::slct:
    return (is_float(as) ? to_double(flushed(in[2], as, at.has("ftz"_w)), as) >= 0 : to_signed(in[2], 4) >= 0) ? in[0]
                                                                                                               : in[1];
  case opcode::popc:
  case opcode::clz:
  case opcode::bfind:
    return count_bits(at, in[0], as);
  case opcode::dp2a:
  case opcode::dp4a:
    return dot_product(at, in);
  case opcode::vabsdiff2:
  case opcode::vabsdiff4:
    return absolute_differences(at, in);
  case opcode::shl:
  case opcode::shr:
  case opcode::shf:
  case opcode::bfe:
  case opcode::bfi:
  case opcode::bmsk:
  case opcode::szext:
  case opcode::brev:
  case opcode::fns:
  case opcode::prmt:
  case opcode::lop3:
    return move_bits(at, in, as);
  default:
    break;
  }
  if (as.parts() == 1)
    return is_float(as) ? compute_float(at, in[0], in[1], in[2], as) : compute_integer(at, in, as, carry);
  const type part = part_of(as);
  const uint32_t width = 8u * part.bytes;
  bits result = 0;
  for (uint32_t index = 0; index < as.parts(); ++index) {
    const auto each = [&](bits whole) { return whole >> (width * index) & mask_of(part.bytes); };
    const bits parts[4] = {each(in[0]), each(in[1]), each(in[2]), 0};
    const bits made = is_float(part) ? compute_float(at, parts[0], parts[1], parts[2], part)
                                     : compute_integer(at, parts, part, carry);
    result |= (made & mask_of(part.bytes)) << (width * index);
  }
  return result;
}

}  // namespace model
