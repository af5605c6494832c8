// Conversions between float and half or bfloat16, against a slow one in double; and atomics of both.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"

#include <cudasync/core/half.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

// As <cuda_fp16.h> and <cuda_bf16.h> lay them out.
struct __half {
  std::uint16_t bits;
};
struct __nv_bfloat16 {
  std::uint16_t bits;
};

#include <cuda/atomic>

constexpr int all_words = 65536;
constexpr std::uint16_t not_a_number = 0x7fff;

// A binary format of 16 bits.
struct format {
  int exponent_bits;
  int fraction_bits;
  std::uint16_t (*from_float)(float);
  float (*to_float)(std::uint16_t);

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  std::uint16_t infinity() const { return static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << fraction_bits); }

  // By the definition of IEEE 754; infinity counts as the next finite number would.
  double value(std::uint16_t word) const {
    const int exponent = (word & 0x7fff) >> fraction_bits;
    const int fraction = word & ((1 << fraction_bits) - 1);
    const double magnitude = exponent == 0
                                 ? std::ldexp(fraction, 1 - bias() - fraction_bits)
                                 : std::ldexp(fraction + (1 << fraction_bits), exponent - bias() - fraction_bits);
    return word & 0x8000 ? -magnitude : magnitude;
  }

  // The nearest word, the even one of two, found by halving an interval.
  std::uint16_t nearest(double number) const {
    if (std::isnan(number)) return not_a_number;
    const double magnitude = std::fabs(number);
    int low = 0;
    int high = infinity();
    if (magnitude >= value(infinity())) low = high;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (value(static_cast<std::uint16_t>(middle)) <= magnitude ? low : high) = middle;
    }
    const double below = magnitude - value(static_cast<std::uint16_t>(low));
    const double above = value(static_cast<std::uint16_t>(high)) - magnitude;
    const int word = below < above || (below == above && low % 2 == 0) ? low : high;
    return static_cast<std::uint16_t>(word | (std::signbit(number) ? 0x8000 : 0));
  }
};
const format half{5, 10, cudasync::float_to_half, cudasync::half_to_float};
const format bfloat{8, 7, cudasync::float_to_bfloat, cudasync::bfloat_to_float};

std::uint32_t bits_of(float number) {
  std::uint32_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}
float float_of(std::uint32_t bits) {
  float number;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

TEST_CASE("all words convert to the float of their value, and back to themselves") {
  const format tested = GENERATE(half, bfloat);
  int wrong = 0;
  for (int index = 0; index < all_words; ++index) {
    const auto word = static_cast<std::uint16_t>(index);
    const float number = tested.to_float(word);
    const int magnitude = word & 0x7fff;
    if (magnitude > tested.infinity()) {
      wrong += !std::isnan(number) || tested.from_float(number) != not_a_number;
    } else {
      const auto expected =
          magnitude == tested.infinity() ? std::copysign(HUGE_VAL, tested.value(word)) : tested.value(word);
      wrong += static_cast<double>(number) != expected || std::signbit(number) != std::signbit(expected);
      wrong += tested.from_float(number) != word;
    }
  }
  CHECK(wrong == 0);
}

// Rounding steps at the middle between two words: the floats there and beside it tell all.
TEST_CASE("floats round to the nearest word, ties to the even one") {
  const format tested = GENERATE(half, bfloat);
  int wrong = 0;
  for (int word = 0; word < tested.infinity(); ++word) {
    const double low = tested.value(static_cast<std::uint16_t>(word));
    const double high = tested.value(static_cast<std::uint16_t>(word + 1));
    for (const double point : {low, (low + high) / 2, high}) {
      if (point > std::numeric_limits<float>::max()) continue;
      const float middle = static_cast<float>(point);
      for (const float number : {std::nextafter(middle, -HUGE_VALF), middle, std::nextafter(middle, HUGE_VALF)}) {
        wrong += tested.from_float(number) != tested.nearest(number);
        wrong += tested.from_float(-number) != tested.nearest(-number);
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("floats of all magnitudes round to the nearest word") {
  const format tested = GENERATE(half, bfloat);
  constexpr std::uint32_t step = 6007;
  int wrong = 0;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += step) {
    const float number = float_of(static_cast<std::uint32_t>(bits));
    wrong += tested.from_float(number) != tested.nearest(number);
  }
  CHECK(wrong == 0);
}

TEST_CASE("halves at the limits") {
  CHECK(half.from_float(0.0f) == 0x0000);
  CHECK(half.from_float(-0.0f) == 0x8000);
  CHECK(half.from_float(1.0f) == 0x3c00);
  CHECK(half.from_float(65504.0f) == 0x7bff);
  CHECK(half.from_float(std::nextafter(65520.0f, 0.0f)) == 0x7bff);
  CHECK(half.from_float(65520.0f) == 0x7c00);
  CHECK(half.from_float(-65520.0f) == 0xfc00);
  CHECK(half.from_float(std::numeric_limits<float>::max()) == 0x7c00);
  CHECK(half.from_float(-std::numeric_limits<float>::infinity()) == 0xfc00);
  CHECK(half.from_float(std::ldexp(1.0f, -24)) == 0x0001);                        // the least subnormal
  CHECK(half.from_float(std::ldexp(1.0f, -25)) == 0x0000);                        // a tie
  CHECK(half.from_float(std::nextafter(std::ldexp(1.0f, -25), 1.0f)) == 0x0001);  // above it
  CHECK(half.from_float(std::ldexp(3.0f, -25)) == 0x0002);                        // a tie
  CHECK(half.from_float(std::ldexp(1.0f, -14)) == 0x0400);                        // the least normal
  CHECK(half.from_float(std::nextafter(std::ldexp(1.0f, -14), 0.0f)) == 0x0400);  // rounds to it
  CHECK(half.from_float(-std::numeric_limits<float>::denorm_min()) == 0x8000);
  CHECK(half.from_float(std::numeric_limits<float>::quiet_NaN()) == not_a_number);
  CHECK(half.from_float(-std::numeric_limits<float>::signaling_NaN()) == not_a_number);
}

TEST_CASE("bfloats at the limits") {
  CHECK(bfloat.from_float(-0.0f) == 0x8000);
  CHECK(bfloat.from_float(1.0f) == 0x3f80);
  CHECK(bfloat.from_float(float_of(0x3f808000)) == 0x3f80);  // a tie
  CHECK(bfloat.from_float(float_of(0x3f818000)) == 0x3f82);  // a tie
  CHECK(bfloat.from_float(float_of(0x3f808001)) == 0x3f81);
  CHECK(bfloat.from_float(float_of(0x7f7f7fff)) == 0x7f7f);
  CHECK(bfloat.from_float(std::numeric_limits<float>::max()) == 0x7f80);
  CHECK(bfloat.from_float(std::numeric_limits<float>::lowest()) == 0xff80);
  CHECK(bfloat.from_float(std::numeric_limits<float>::denorm_min()) == 0x0000);
  CHECK(bfloat.from_float(float_of(0x7f800001)) == not_a_number);
  CHECK(bfloat.from_float(float_of(0xffffffff)) == not_a_number);
}

#if defined(__FLT16_MANT_DIG__)
#if defined(__ARM_FP16_FORMAT_IEEE)
using compilers_half = __fp16;  // g++ for Arm has _Float16 since version 13
#else
using compilers_half = _Float16;
#endif

// Compilers that have the type convert as the processor or their library does.
TEST_CASE("conversions agree with the compiler's") {
  int wrong = 0;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 6011) {
    const float number = float_of(static_cast<std::uint32_t>(bits));
    if (std::isnan(number)) continue;
    const compilers_half converted = static_cast<compilers_half>(number);
    std::uint16_t word;
    std::memcpy(&word, &converted, sizeof(word));
    wrong += half.from_float(number) != word;
    wrong += bits_of(half.to_float(word)) != bits_of(static_cast<float>(converted));
  }
  CHECK(wrong == 0);
}
#endif

template <class Value>
struct traits;
template <>
struct traits<__half> {
  static const format& layout() { return half; }
};
template <>
struct traits<__nv_bfloat16> {
  static const format& layout() { return bfloat; }
};

TEMPLATE_TEST_CASE("sums of atomics are rounded once", "", __half, __nv_bfloat16) {
  const format& layout = traits<TestType>::layout();
  int wrong = 0;
  cuda::atomic<TestType> atom(TestType{0});
  for (std::uint32_t index = 0; index < 60000; ++index) {
    const auto left = static_cast<std::uint16_t>(index * 40503);
    const auto right = static_cast<std::uint16_t>(index * 30011 >> 3);
    if ((left & 0x7fff) > layout.infinity() || (right & 0x7fff) > layout.infinity()) continue;
    // Exact, or with far more bits than could make a tie of it.
    const double sum = static_cast<double>(layout.to_float(left)) + static_cast<double>(layout.to_float(right));
    atom.store(TestType{left});
    wrong += atom.fetch_add(TestType{right}).bits != left;
    wrong += atom.load().bits != layout.nearest(sum);
    atom.store(TestType{left});
    wrong += atom.fetch_sub(TestType{static_cast<std::uint16_t>(right ^ 0x8000)}).bits != left;
    wrong += atom.load().bits != layout.nearest(sum);
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("minimum and maximum of atomics follow totalOrder", "", __half, __nv_bfloat16) {
  const auto infinity = traits<TestType>::layout().infinity();
  const std::uint16_t ascending[] = {
      0xffff, static_cast<std::uint16_t>(infinity | 0x8000), 0x8001, 0x8000, 0x0000, 0x0001, infinity, not_a_number};
  constexpr int count = 8;
  TestType object{0};
  const cuda::atomic_ref atom(object);
  for (int left = 0; left < count; ++left)
    for (int right = 0; right < count; ++right) {
      atom.store(TestType{ascending[left]});
      CHECK(atom.fetch_min(TestType{ascending[right]}).bits == ascending[left]);
      CHECK(object.bits == ascending[left < right ? left : right]);
      atom.store(TestType{ascending[left]});
      CHECK(atom.fetch_max(TestType{ascending[right]}).bits == ascending[left]);
      CHECK(object.bits == ascending[left < right ? right : left]);
    }
}
