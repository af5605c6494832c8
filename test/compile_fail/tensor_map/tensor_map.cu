// Misuse with <cudasync/tensor_map.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/tensor_map.h>

// misuse: array_of_six
// An array of sizes has five elements at most.
// ERROR: outer_first: a tensor map has 1 to 5 dimensions; give as many sizes
// COMPILERS: nvcc
CUtensorMap make(const float* tensor) {
  const int five[] = {2, 2, 2, 2, 64};
  [[maybe_unused]] const int six[] = {2, 2, 2, 2, 2, 64};
  return cudasync::make_tensor_map(tensor, six, five);   // wrong
  return cudasync::make_tensor_map(tensor, five, five);  // right
}

// misuse: floating_size
// Sizes are integers.
// ERROR: outer_first: sizes and strides are integers; convert them before the call
// COMPILERS: nvcc
CUtensorMap make(const float* tensor, double rows) {
  return cudasync::make_tensor_map(tensor, {rows, 64}, {8, 32});                    // wrong
  return cudasync::make_tensor_map(tensor, {static_cast<int>(rows), 64}, {8, 32});  // right
}

// misuse: im2col_of_structs
// The copy engine has no elements of other types, also with im2col maps.
// ERROR: make_im2col_map: the copy engine has no elements of this type; pass a tensor_element before the address
// COMPILERS: nvcc
struct pixel {
  unsigned char red, green, blue;
};

CUtensorMap make(const pixel* image) {
  return cudasync::make_im2col_map(image, {1, 64, 16}, {{0}, {0}, 16, 64});                                // wrong
  return cudasync::make_im2col_map(cudasync::tensor_element::u8, image, {1, 64, 16}, {{0}, {0}, 16, 64});  // right
}

// misuse: no_box
// A pointer needs extents and a box.
// ERROR: make_tensor_map: the first argument is no pointer with extents and a box after it, no mdspan and no DLTensor
// COMPILERS: nvcc
CUtensorMap make(const float* tensor) {
  return cudasync::make_tensor_map(tensor, {64, 64});           // wrong
  return cudasync::make_tensor_map(tensor, {64, 64}, {8, 32});  // right
}

// misuse: six_dimensions
// A tensor map has five dimensions at most.
// ERROR: outer_first: a tensor map has 1 to 5 dimensions; give as many sizes
// COMPILERS: nvcc
CUtensorMap make(const float* tensor) {
  return cudasync::make_tensor_map(tensor, {2, 2, 2, 2, 2, 64}, {1, 1, 1, 1, 32});  // wrong
  return cudasync::make_tensor_map(tensor, {4, 2, 2, 2, 64}, {1, 1, 1, 1, 32});     // right
}

// misuse: void_pointer
// A pointer to void does not say what the elements are.
// ERROR: make_tensor_map: the copy engine has no elements of this type; pass a tensor_element before the address
// COMPILERS: nvcc
CUtensorMap make(const void* tensor) {
  return cudasync::make_tensor_map(tensor, {64, 64}, {8, 32});                                  // wrong
  return cudasync::make_tensor_map(cudasync::tensor_element::tf32, tensor, {64, 64}, {8, 32});  // right
}

// common:
struct pixel {
  float red, green;
};

// misuse: mdspan_of_structs
// The copy engine has no elements of a struct, in an mdspan either.
// ERROR: make_tensor_map: the copy engine has no elements of this type; pass a tensor_element, the address and the extents
// COMPILERS: nvcc
// The members of std::mdspan that make_tensor_map uses.
struct image {
  using element_type = pixel;
  using rank_type = unsigned;
  static constexpr rank_type rank() { return 2; }
  pixel* data_handle() const { return data; }
  int extent(rank_type) const { return 64; }
  int stride(rank_type dimension) const { return dimension == 0 ? 64 : 1; }
  pixel* data;
};

CUtensorMap make(const image& pixels) {
  return cudasync::make_tensor_map(pixels, {8, 32});                                                         // wrong
  return cudasync::make_tensor_map(cudasync::tensor_element::u64, pixels.data_handle(), {64, 64}, {8, 32});  // right
}

// misuse: no_element_type
// The copy engine has no elements of a struct.
// ERROR: make_tensor_map: the copy engine has no elements of this type; pass a tensor_element before the address
// COMPILERS: nvcc
CUtensorMap make(const pixel* image) {
  return cudasync::make_tensor_map(image, {64, 64}, {8, 32});                                 // wrong
  return cudasync::make_tensor_map(cudasync::tensor_element::u64, image, {64, 64}, {8, 32});  // right
}

// common:
__device__ void use(cudasync::tensor_map_editor& editor, CUtensorMap* map, const CUtensorMap* origin,
                    const float* row) {
  // misuse: replace_on_plain
  // Plain architectures have no tensormap.replace.
  // ERROR: tensor_map_editor needs tensormap.replace, which plain architectures lack; compile with -gencode arch=compute_90a,code=sm_90a, or with 100a, 103a, 110a, 120a or 121a, or 100f to 121f, or encode the maps on the host
  // ARCHS: 80 90 100
  // COMPILERS: nvrtc nvcc
  editor.replace(map, origin, row, {64});                                              // wrong
  static_assert(sizeof editor == 128 && alignof(cudasync::tensor_map_editor) == 128);  // right

  // misuse: replace_six_dimensions
  // A tensor map has five dimensions at most, also on the device.
  // ERROR: tensor_map_editor: a tensor map has 1 to 5 dimensions; give as many extents
  // ARCHS: 90a
  editor.replace(map, origin, row, {2, 2, 2, 2, 2, 64});  // wrong
  editor.replace(map, origin, row, {4, 2, 2, 2, 64});     // right
}
