// Matrices whose elements are spread over the registers of a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_MATRICES_H
#define CUDASYNC_MACHINE_MATRICES_H

#include "numbers.h"
#include "program.h"

#include <vector>

namespace model {

// s4 is a signed integer of four bits, in a byte of its own once it is unpacked.
struct element {
  type as;
  uint32_t bits = 0;
};

struct matrix_shape {
  uint32_t m, n, k;
};

struct spot {
  uint32_t row, column;
};

class matrix {
 public:
  matrix(uint32_t rows, uint32_t columns) : columns_(columns), all_(size_t{rows} * columns) {}
  double& at(spot where) { return all_.at(size_t{where.row} * columns_ + where.column); }

 private:
  uint32_t columns_;
  std::vector<double> all_;
};

// The types of the matrices, in the order of the instruction, and their shape.
std::vector<element> elements_of(const instruction& at);
matrix_shape shape_of(const instruction& at);

double number_of(bits raw, element of);
bits bits_of(double value, element of, bool saturates);

// Where the element of this index in the registers of a lane is, in mma and wgmma. each: elements of a register.
spot spot_in_a(uint32_t lane, uint32_t index, uint32_t each, uint32_t rows);
spot spot_in_b(uint32_t lane, uint32_t index, uint32_t each);
// columns: 0 for a sum of eight rows.
spot spot_in_sum(uint32_t lane, uint32_t index, uint32_t columns);

}  // namespace model

#endif
