// The machine's form of a tensor map, for the machine and for kernels that make one. The driver's form is not documented.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_TENSOR_MAP_H
#define CUDASYNC_MACHINE_TENSOR_MAP_H

namespace model {

// An object of 128 bytes with the fields that tensormap.replace changes, in the units that the PTX manual gives them. All
// lists begin with the innermost dimension, which has no stride. The box of an im2col map has its channels, its pixels, and
// then the two corners of each dimension of a pixel: the lower one in the lower 16 bits.
struct alignas(64) tensor_map {
  unsigned long long address;     // a multiple of 16
  unsigned long long strides[4];  // bytes; multiples of 16, less than 2^40
  unsigned extents[5], box[5], steps[5];
  unsigned rank;           // one less than the number of dimensions
  unsigned element_bytes;  // of the type
  unsigned interleave, swizzle, fill;
  unsigned element;  // the type, as tensormap.replace numbers it
  unsigned is_im2col;
};
static_assert(sizeof(tensor_map) == 128, "a map is copied as 32 words");

}  // namespace model

#endif
