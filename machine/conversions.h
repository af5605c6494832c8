// cvt: between integers and floating-point numbers of all widths.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_CONVERSIONS_H
#define CUDASYNC_MACHINE_CONVERSIONS_H

#include "numbers.h"
#include "program.h"

namespace model {

// A number of any floating-point type, which is no pair.
double decode(bits raw, type of);

// What the instruction makes of one number. Neither type is a pair.
bits convert(const instruction& at, bits raw, type to, type from);

// cvt.pack.
bits pack(const instruction& at, bits upper, bits lower, bits rest);

}  // namespace model

#endif
