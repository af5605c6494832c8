// The swizzle of shared memory by which tensor maps write and wgmma reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_SWIZZLE_H
#define CUDASYNC_MACHINE_SWIZZLE_H

#include <cstdint>

namespace model {

// Pieces of 16 bytes change places inside `width` bytes, 32, 64 or 128, as the number of the 128-byte line says. 0: none do.
constexpr uint64_t swizzled(uint64_t address, uint32_t width) {
  return width == 0 ? address : address ^ (address >> 7 & (width / 16 - 1)) << 4;
}

}  // namespace model

#endif
