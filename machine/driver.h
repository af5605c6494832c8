// Functions of the CUDA driver that programs call by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_DRIVER_H
#define CUDASYNC_MACHINE_DRIVER_H

namespace model {

// The one of this name, null if there is none here.
void* driver_function(const char* name);

}  // namespace model

#endif
