// What arithmetic instructions compute, from the bits of their operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_ARITHMETIC_H
#define CUDASYNC_MACHINE_ARITHMETIC_H

#include "numbers.h"
#include "program.h"

namespace model {

// The type in which an instruction reads its operand of this index. The result has the index 0.
type operand_type(const instruction& at, size_t index);

// The result. in: the operands 1 to 4. carry: the condition code of .cc, which addc, subc and madc read.
bits compute(const instruction& at, const bits (&in)[4], bool& carry);

}  // namespace model

#endif
