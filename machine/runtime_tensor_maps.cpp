// cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, which make tensor maps in the machine's form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor_map.h"

#include <cuda.h>

#include <cstring>
#include <iterator>

namespace {

// CUtensorMapDataType: the number that tensormap.replace has for it, and its size. Types of 4 and 6 bits are not implemented.
struct element {
  unsigned number, bytes;
};
constexpr element elements[] = {{0, 1}, {1, 2}, {2, 4},  {3, 4}, {4, 8},  {5, 8}, {6, 2},
                                {7, 4}, {9, 8}, {10, 2}, {8, 4}, {11, 4}, {12, 4}};

bool describe(model::tensor_map& made, CUtensorMapDataType type, cuuint32_t rank, void* address,
              const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* steps, unsigned interleave,
              unsigned swizzle, unsigned fill) {
  if (static_cast<size_t>(type) >= std::size(elements) || rank == 0 || rank > 5) return false;
  made.address = reinterpret_cast<unsigned long long>(address);
  if (made.address % 16 != 0) return false;
  made.rank = rank - 1;
  for (cuuint32_t place = 0; place < rank; ++place) {
    if (extents[place] == 0 || extents[place] > cuuint64_t{1} << 32 || steps[place] == 0) return false;
    if (steps[place] > 8 && !(place == 0 && interleave == 0)) return false;  // the one of a row has no effect
    made.extents[place] =
        static_cast<unsigned>(extents[place] == cuuint64_t{1} << 32 ? extents[place] - 1 : extents[place]);
    made.steps[place] = steps[place];
    if (place == 0) continue;
    made.strides[place - 1] = strides[place - 1];
    if (strides[place - 1] % 16 != 0 || strides[place - 1] >> 40 != 0) return false;
  }
  made.element = elements[type].number;
  made.element_bytes = elements[type].bytes;
  made.interleave = interleave;
  made.swizzle = swizzle;
  made.fill = fill;
  return true;
}

// The box and the format, with the limits of the manual for a GPU of compute capability 9.0.
bool fits(const model::tensor_map& made) {
  const unsigned bytes = made.box[0] * made.element_bytes;
  unsigned long long all = bytes;
  for (unsigned place = 1; place <= (made.is_im2col != 0 ? 1 : made.rank); ++place)
    all *= made.is_im2col != 0 ? made.box[1] : (made.box[place] + made.steps[place] - 1) / made.steps[place];
  const bool is_float = made.element >= 6;
  const unsigned alignment = made.interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
  bool is_aligned = made.address % alignment == 0;
  for (unsigned place = 0; place < made.rank; ++place)
    is_aligned = is_aligned && made.strides[place] % alignment == 0;
  const bool is_row_right =
      made.interleave != 0 || (bytes % 16 == 0 && (made.swizzle == 0 || bytes <= 16u << made.swizzle));
  return all < 262144 && is_aligned && is_row_right && made.swizzle <= 3 && (made.interleave == 0 || made.rank >= 2) &&
         (made.fill == 0 || is_float);
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
  model::tensor_map made = {};
  if (!describe(made, type, rank, address, extents, strides, steps, interleave, swizzle, fill))
    return CUDA_ERROR_INVALID_VALUE;
  for (cuuint32_t place = 0; place < rank; ++place) {
    if (box[place] == 0 || box[place] > 256) return CUDA_ERROR_INVALID_VALUE;
    made.box[place] = box[place];
  }
  if (!fits(made)) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(map, &made, sizeof made);
  return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                 const cuuint64_t* extents, const cuuint64_t* strides, const int* lower,
                                 const int* upper, cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill fill) {
  model::tensor_map made = {};
  if (rank < 3 || channels == 0 || channels > 256 || pixels == 0 || pixels > 1024 ||
      !describe(made, type, rank, address, extents, strides, steps, interleave, swizzle, fill))
    return CUDA_ERROR_INVALID_VALUE;
  made.is_im2col = 1;
  made.box[0] = channels;
  made.box[1] = pixels;
  const int limit = 1 << (16 / (rank - 2) - 1);  // of 16 bits for all corners of one kind, 5 bits each for three
  for (cuuint32_t place = 0; place < rank - 2; ++place) {
    if (lower[place] < -limit || lower[place] >= limit || upper[place] < -limit || upper[place] >= limit)
      return CUDA_ERROR_INVALID_VALUE;
    made.box[2 + place] = (static_cast<unsigned>(lower[place]) & 0xffff) | static_cast<unsigned>(upper[place]) << 16;
  }
  if (!fits(made)) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(map, &made, sizeof made);
  return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  model::tensor_map made;
  std::memcpy(&made, map, sizeof made);
  made.address = reinterpret_cast<unsigned long long>(address);
  if (made.address % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(map, &made, sizeof made);
  return CUDA_SUCCESS;
}

}  // extern "C"
