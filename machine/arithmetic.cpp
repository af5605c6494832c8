// What arithmetic instructions compute, from the bits of their operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arithmetic.h"

#include <algorithm>
#include <cfenv>
#include <vector>

namespace model {
namespace {

// --- The words that are implemented ---

// Modifiers of a name, and the types that it may have with them. results: the types that may stand before that type. A name
// may have several rows.
struct accepted {
  opcode what;
  const char* words;
  const char* types;
  const char* results = "";
};
const accepted table[] = {
    {opcode::abs, "", "s16 s32 s64 f64"},
    {opcode::abs, "ftz", "f32 f16 f16x2"},
    {opcode::abs, "", "bf16 bf16x2"},
    {opcode::add, "", "u16 u32 u64 s16 s64 u16x2 s16x2"},
    {opcode::add, "sat", "s32"},
    {opcode::add, "cc", "u32 s32 u64 s64 b32 b64"},
    {opcode::add, "rn rz rm rp ftz sat", "f32"},
    {opcode::add, "rn rz rm rp", "f64"},
    {opcode::add, "rn ftz sat", "f16 f16x2"},
    {opcode::add, "rn", "bf16 bf16x2"},
    {opcode::addc, "cc", "u32 s32 u64 s64 b32 b64"},
    {opcode::and_, "", "b16 b32 b64 pred"},
    {opcode::bfe, "", "u32 u64 s32 s64"},
    {opcode::bfi, "", "b32 b64"},
    {opcode::bfind, "shiftamt", "u32 u64 s32 s64"},
    {opcode::bmsk, "clamp wrap", "b32"},
    {opcode::brev, "", "b32 b64"},
    {opcode::clz, "", "b32 b64"},
    {opcode::cnot, "", "b16 b32 b64"},
    {opcode::copysign, "", "f32 f64"},
    {opcode::cos, "approx ftz", "f32"},
    {opcode::cvt, "sat", "u8 u16 u32 u64 s8 s16 s32 s64", "u8 u16 u32 u64 s8 s16 s32 s64"},
    {opcode::cvt, "rn rz rm rp", "u8 u16 u32 u64 s8 s16 s32 s64", "f32 f64"},
    {opcode::cvt, "rn", "u8 u16 u32 u64 s8 s16 s32 s64", "f16 bf16"},
    {opcode::cvt, "rni rzi rmi rpi ftz sat", "f16 bf16 f32 f64", "u8 u16 u32 u64 s8 s16 s32 s64"},
    {opcode::cvt, "ftz sat", "f16 bf16", "f32 f64"},
    {opcode::cvt, "rni rzi rmi rpi ftz sat", "f16", "f16"},
    {opcode::cvt, "rni rzi rmi rpi ftz sat", "f32", "f32 f64"},
    {opcode::cvt, "rni rzi rmi rpi sat", "f64", "f64"},
    {opcode::cvt, "rn rz rm rp ftz sat", "f64", "f32"},
    {opcode::cvt, "rn ftz sat relu", "f32", "f16 f16x2 bf16 bf16x2"},
    {opcode::cvt, "rn sat", "f64", "f16 bf16"},
    {opcode::div, "", "u16 u32 u64 s16 s32 s64"},
    {opcode::div, "approx full ftz rn rz rm rp", "f32"},
    {opcode::div, "rn rz rm rp", "f64"},
    {opcode::dp2a, "lo hi", "u32 s32", "u32 s32"},
    {opcode::dp4a, "", "u32 s32", "u32 s32"},
    {opcode::ex2, "approx ftz", "f32"},
    {opcode::fma, "rn rz rm rp ftz sat", "f32"},
    {opcode::fma, "rn rz rm rp", "f64"},
    {opcode::fma, "rn ftz sat relu", "f16 f16x2"},
    {opcode::fma, "rn relu", "bf16 bf16x2"},
    {opcode::lg2, "approx ftz", "f32"},
    {opcode::lop3, "", "b32"},
    {opcode::mad, "lo hi wide", "u16 u32 s16 s32"},
    {opcode::mad, "lo hi", "u64 s64"},
    {opcode::mad, "lo hi cc", "u32 s32 u64 s64"},
    {opcode::mad, "hi sat", "s32"},
    {opcode::mad, "rn rz rm rp ftz sat", "f32"},
    {opcode::mad, "rn rz rm rp", "f64"},
    {opcode::mad24, "lo hi", "u32 s32"},
    {opcode::madc, "lo hi cc", "u32 s32 u64 s64"},
    {opcode::max, "", "u16 u32 u64 s16 s32 s64 u16x2 s16x2 f64"},
    {opcode::max, "ftz NaN", "f32 f16 f16x2"},
    {opcode::max, "NaN", "bf16 bf16x2"},
    {opcode::min, "", "u16 u32 u64 s16 s32 s64 u16x2 s16x2 f64"},
    {opcode::min, "ftz NaN", "f32 f16 f16x2"},
    {opcode::min, "NaN", "bf16 bf16x2"},
    {opcode::mov, "", "b16 b32 b64 b128 u16 u32 u64 s16 s32 s64 f32 f64 pred"},
    {opcode::mul, "lo hi wide", "u16 u32 s16 s32"},
    {opcode::mul, "lo hi", "u64 s64"},
    {opcode::mul, "rn rz rm rp ftz sat", "f32"},
    {opcode::mul, "rn rz rm rp", "f64"},
    {opcode::mul, "rn ftz sat", "f16 f16x2"},
    {opcode::mul, "rn", "bf16 bf16x2"},
    {opcode::mul24, "lo hi", "u32 s32"},
    {opcode::neg, "", "s16 s32 s64 f64"},
    {opcode::neg, "ftz", "f32 f16 f16x2"},
    {opcode::neg, "", "bf16 bf16x2"},
    {opcode::not_, "", "b16 b32 b64 pred"},
    {opcode::or_, "", "b16 b32 b64 pred"},
    {opcode::popc, "", "b32 b64"},
    {opcode::prmt, "", "b32"},
    {opcode::rcp, "approx ftz rn rz rm rp", "f32"},
    {opcode::rcp, "rn rz rm rp", "f64"},
    {opcode::rem, "", "u16 u32 u64 s16 s32 s64"},
    {opcode::rsqrt, "approx ftz", "f32"},
    {opcode::rsqrt, "approx", "f64"},
    {opcode::sad, "", "u16 u32 u64 s16 s32 s64"},
    {opcode::selp, "", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"},
    {opcode::shf, "l r clamp wrap", "b32"},
    {opcode::shl, "", "b16 b32 b64"},
    {opcode::shr, "", "b16 b32 b64 u16 u32 u64 s16 s32 s64"},
    {opcode::sin, "approx ftz", "f32"},
    {opcode::sqrt, "approx ftz rn rz rm rp", "f32"},
    {opcode::sqrt, "rn rz rm rp", "f64"},
    {opcode::sub, "", "u16 u32 u64 s16 s64"},
    {opcode::sub, "sat", "s32"},
    {opcode::sub, "cc", "u32 s32 u64 s64 b32 b64"},
    {opcode::sub, "rn rz rm rp ftz sat", "f32"},
    {opcode::sub, "rn rz rm rp", "f64"},
    {opcode::sub, "rn ftz sat", "f16 f16x2"},
    {opcode::sub, "rn", "bf16 bf16x2"},
    {opcode::subc, "cc", "u32 s32 u64 s64 b32 b64"},
    {opcode::szext, "clamp wrap", "u32 s32"},
    {opcode::tanh, "approx", "f32"},
    {opcode::xor_, "", "b16 b32 b64 pred"},
    {opcode::set, "eq ne lt le gt ge lo ls hi hs and or xor", "b16 b32 b64 u16 u32 u64 s16 s32 s64", "u32 s32 f32"},
    {opcode::set, "eq ne lt le gt ge equ neu ltu leu gtu geu num nan ftz and or xor", "f16 bf16 f32 f64",
     "u32 s32 f32"},
    {opcode::setp, "eq ne lt le gt ge lo ls hi hs and or xor", "b16 b32 b64 u16 u32 u64 s16 s32 s64"},
    {opcode::setp, "eq ne lt le gt ge equ neu ltu leu gtu geu num nan ftz and or xor", "f16 bf16 f32 f64"},
};

using words = std::vector<std::string_view>;

words split_at_spaces(std::string_view text) {
  words found;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end != 0) found.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

bool contains(const words& all, std::string_view word) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

// --- Floating-point numbers ---

class rounding {
 public:
  explicit rounding(const instruction& at) : before_(std::fegetround()) {
    const int wanted = at.has("rz"_w)   ? FE_TOWARDZERO
                       : at.has("rm"_w) ? FE_DOWNWARD
                       : at.has("rp"_w) ? FE_UPWARD
                                        : FE_TONEAREST;
    if (wanted != before_) std::fesetround(wanted);
  }
  rounding(const rounding&) = delete;
  ~rounding() { std::fesetround(before_); }

 private:
  int before_;
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

// Of numbers of one type, which is no pair of halves.
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
    if (std::isnan(to_double(a, of)) && of.bytes == 4) return quiet_nan(of);
    return what == opcode::abs ? a & ~sign : a ^ sign;
  }
  case opcode::copysign:
    return sign_of(a, of) | (b & ~sign_of(mask_of(of.bytes), of));
  case opcode::min:
  case opcode::max:
    return smaller_float(a, b, of, what == opcode::max, at.has("NaN"_w));
  default:
    break;
  }
  const rounding mode(at);
  bits result;
  if (of.bytes == 8)
    result = from_double(evaluate<double>(what, to_double(a, of), to_double(b, of), to_double(c, of)), of);
  else if (of.what == kind::floating)
    result = from_double(evaluate<float>(what, static_cast<float>(to_double(a, of)),
                                         static_cast<float>(to_double(b, of)), static_cast<float>(to_double(c, of))),
                         of);
  else if (what == opcode::fma)
    result = from_double(fma_to_odd(to_double(a, of), to_double(b, of), to_double(c, of)), of);
  else
    result = from_double(evaluate<double>(what, to_double(a, of), to_double(b, of), 0.0), of);
  if (std::isnan(to_double(result, of))) return at.has("sat"_w) ? 0 : of.bytes == 8 ? result : quiet_nan(of);
  if (at.has("sat"_w)) {
    if (to_double(result, of) <= 0) return 0;
    if (to_double(result, of) > 1) return from_double(1, of);
  }
  if (at.has("relu"_w) && to_double(result, of) <= 0) return 0;
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
    if (at.has("cc"_w)) carry = a < b;
    return at.has("sat"_w) ? clamped(value_of(a) - value_of(b), as.bytes) : a - b;
  case opcode::subc:
    if (at.has("cc"_w)) carry = a < b + carried;
    return a - b - carried;
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
    return (at.has("hi"_w) ? narrow_product >> 16 : narrow_product) + (what == opcode::mad24 ? in[2] : 0);
  }
  case opcode::div:
    return b == 0 ? ~bits{0} : static_cast<bits>(value_of(a) / value_of(b));
  case opcode::rem:
    return b == 0 ? a : static_cast<bits>(value_of(a) % value_of(b));
  case opcode::abs:
    return static_cast<bits>(value_of(a) < 0 ? -value_of(a) : value_of(a));
  case opcode::neg:
    return static_cast<bits>(-value_of(a));
  case opcode::sad: {
    const __int128 difference = value_of(a) - value_of(b);
    return static_cast<bits>(difference < 0 ? -difference : difference) + in[2];
  }
  case opcode::min:
    return value_of(a) < value_of(b) ? a : b;
  default:  // max
    return value_of(a) < value_of(b) ? b : a;
  }
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

// A floating-point number as an integer.
bits truncated(double value, type to, type from) {
  const bool is_signed = to.what == kind::signed_integer;
  const double low = is_signed ? -std::ldexp(1.0, 8 * to.bytes - 1) : 0.0;
  const double high = std::ldexp(1.0, 8 * to.bytes - (is_signed ? 1 : 0));
  if (std::isnan(value)) return from.bytes == 8 || to.bytes == 8 ? bits{1} << (8 * to.bytes - 1) : 0;
  if (value <= low) return static_cast<bits>(static_cast<__int128>(low));
  if (value >= high) return mask_of(to.bytes) >> (is_signed ? 1 : 0);
  return static_cast<bits>(static_cast<__int128>(value));
}

// In two instructions of cvt, two numbers become a pair: the first operand is the upper half.
bits convert(const instruction& at, bits raw, type to, type from) {
  const bool flushes = at.has("ftz"_w), saturates = at.has("sat"_w);
  const rounding mode(at);
  bits result;
  if (is_float(from)) {
    volatile double value = to_double(flushed(raw, from, flushes && from.bytes != 8), from);
    if (at.has("rzi"_w)) value = std::trunc(double{value});
    if (at.has("rni"_w)) value = std::nearbyint(double{value});
    if (at.has("rmi"_w)) value = std::floor(double{value});
    if (at.has("rpi"_w)) value = std::ceil(double{value});
    if (!is_float(to)) return truncated(value, to, from);
    if (std::isnan(double{value}))
      return saturates                          ? 0
             : to.bytes == 8 && from.bytes == 8 ? raw
             : to.bytes == 8                    ? from_double(value, to)
                                                : quiet_nan(to);
    result = from_double(value, to);
  } else {
    const __int128 value = from.what == kind::signed_integer ? static_cast<__int128>(to_signed(raw, from.bytes))
                                                             : static_cast<__int128>(raw & mask_of(from.bytes));
    if (!is_float(to)) {
      const bool to_signed_type = to.what == kind::signed_integer;
      const __int128 most = static_cast<__int128>(mask_of(to.bytes) >> (to_signed_type ? 1 : 0));
      const __int128 least = to_signed_type ? -most - 1 : __int128{0};
      const bits kept =
          static_cast<bits>(saturates ? std::min(std::max(value, least), most) : value) & mask_of(to.bytes);
      return to_signed_type ? static_cast<bits>(static_cast<__int128>(to_signed(kept, to.bytes))) : kept;
    }
    const volatile long double wide = static_cast<long double>(value);  // exact
    const volatile float narrow = static_cast<float>(wide);
    const volatile double exact = static_cast<double>(wide);
    result = from_double(to.what == kind::floating && to.bytes == 4 ? double{narrow} : double{exact}, to);
  }
  if (saturates && to_double(result, to) <= 0) return 0;
  if (saturates && to_double(result, to) > 1) return from_double(1, to);
  if (at.has("relu"_w) && to_double(result, to) <= 0) return 0;
  return flushed(result, to, flushes && to.bytes == 4);
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
  case opcode::prmt: {
    const uint64_t both = static_cast<uint64_t>(a) | static_cast<uint64_t>(second) << 32;
    uint32_t value = 0;
    for (uint32_t byte = 0; byte < 4; ++byte) {
      const uint32_t from = third >> (4 * byte) & 15;
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

std::string_view find_unknown_word(const instruction& at) {
  if (opcode(at.opcode) > opcode::last_arithmetic && opcode(at.opcode) != opcode::set &&
      opcode(at.opcode) != opcode::setp)
    return {};
  const std::string_view type_word = at.words.back(),
                         result_word = at.types > 1 ? at.words.end()[-2] : std::string_view();
  std::string_view unknown = type_word;
  for (const accepted& row : table) {
    if (row.what != opcode(at.opcode) || !contains(split_at_spaces(row.types), type_word)) continue;
    if (at.types > 1 && !contains(split_at_spaces(row.results), result_word)) {
      unknown = result_word;
      continue;
    }
    const words known = split_at_spaces(row.words);
    const auto end = at.words.end() - at.types;  // behind the modifiers are the types
    const auto found =
        std::find_if(at.words.begin() + 1, end, [&](std::string_view each) { return !contains(known, each); });
    if (found == end) return {};
    unknown = *found;
  }
  return unknown;
}

type operand_type(const instruction& at, size_t index) {
  const type word{kind::bits, 4};
  const type wide{at.first.what, static_cast<uint8_t>(2 * at.first.bytes)};
  switch (opcode(at.opcode)) {
  case opcode::cvt: {  // a narrow integer fills its register, as far as that is known
    const type to = at.second;
    return index != 0 ? at.first : is_float(to) ? to : type{kind::bits, 8};
  }
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
  case opcode::cvt:
    if (at.second.parts() == 1) return convert(at, in[0], at.second, as);
    return convert(at, in[0], {at.second.what, 2}, as) << 16 | convert(at, in[1], {at.second.what, 2}, as);
  case opcode::popc:
  case opcode::clz:
  case opcode::bfind:
    return count_bits(at, in[0], as);
  case opcode::dp2a:
  case opcode::dp4a:
    return dot_product(at, in);
  case opcode::shl:
  case opcode::shr:
  case opcode::shf:
  case opcode::bfe:
  case opcode::bfi:
  case opcode::bmsk:
  case opcode::szext:
  case opcode::brev:
  case opcode::prmt:
  case opcode::lop3:
    return move_bits(at, in, as);
  default:
    break;
  }
  if (as.parts() == 1)
    return is_float(as) ? compute_float(at, in[0], in[1], in[2], as) : compute_integer(at, in, as, carry);
  const type part{as.what, 2};
  bits result = 0;
  for (uint32_t index = 0; index < as.parts(); ++index) {
    const uint32_t shift = 16 * index;
    const bits parts[4] = {in[0] >> shift & 0xffff, in[1] >> shift & 0xffff, in[2] >> shift & 0xffff, 0};
    const bits each = is_float(part) ? compute_float(at, parts[0], parts[1], parts[2], part)
                                     : compute_integer(at, parts, part, carry);
    result |= (each & 0xffff) << shift;
  }
  return result;
}

}  // namespace model
