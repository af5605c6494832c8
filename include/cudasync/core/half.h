// Conversions between float and half precision or bfloat16, for additions that have no instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_HALF_H
#define CUDASYNC_CORE_HALF_H

#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// The functions work on bits, so they need neither <cuda_fp16.h> nor its operators, which programs can disable. Source:
// IEEE 754, round to nearest, ties to even. An addition in float rounds twice, but gives the same result as one
// rounding: a float has 24 significant bits, which is at least twice the 11 bits of half precision plus two.
[[nodiscard]] CUDASYNC_API float half_to_float(uint16 half) {
  const uint32 sign = static_cast<uint32>(half & 0x8000) << 16;
  const uint32 exponent = (half >> 10) & 0x1f;
  const uint32 fraction = half & 0x3ff;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return from_bits<float>(sign | (exponent == 0x1f ? 0x7f800000 : (exponent + 112) << 23) | (fraction << 13));
}

[[nodiscard]] CUDASYNC_API uint16 float_to_half(float value) {
  const uint32 bits = to_bits<uint32>(value);
  const uint32 sign = (bits >> 16) & 0x8000;
  const uint32 magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fff;
  if (magnitude >= 0x477ff000) return static_cast<uint16>(sign | 0x7c00);  // 65,520 and above: infinity
  if (magnitude < 0x38800000) {                                            // subnormal: units of 2^-24
    const float rounded = from_bits<float>(magnitude) + 0.5f;              // the last bit of the sum is 2^-24
    return static_cast<uint16>(sign | (to_bits<uint32>(rounded) - to_bits<uint32>(0.5f)));
  }
  return static_cast<uint16>(sign | ((magnitude + 0xfff + ((magnitude >> 13) & 1) - (112u << 23)) >> 13));
}

[[nodiscard]] CUDASYNC_API float bfloat_to_float(uint16 bfloat) {
  return from_bits<float>(static_cast<uint32>(bfloat) << 16);
}

[[nodiscard]] CUDASYNC_API uint16 float_to_bfloat(float value) {
  const uint32 bits = to_bits<uint32>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return static_cast<uint16>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif
