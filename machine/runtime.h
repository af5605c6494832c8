// What the parts of the stand-in for the CUDA runtime share: kernels, variables and memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_RUNTIME_H
#define CUDASYNC_MACHINE_RUNTIME_H

#include "machine.h"
#include "runtime_work.h"

#include <cuda_runtime_api.h>
#include <map>
#include <memory>
#include <string>

namespace model {

struct registered_kernel {
  module* from;
  std::string name;
  int most_dynamic_shared_bytes = -1;  // by cudaFuncSetAttribute
};

// A handle of the driver, or the address of the host's function. nullptr for an unknown one.
registered_kernel* kernel_of(const void* handle);
uint32_t architecture_of_program();  // 90, say
const cudaDeviceProp& device();
cudaFuncAttributes attributes_of(const registered_kernel& what);
uint32_t most_resident_blocks(const registered_kernel& what, uint64_t threads, uint64_t dynamic_shared_bytes);

struct launch_shape {
  dim3 grid, block, cluster;
  bool has_clusters = false, is_cooperative = false;
  size_t shared_bytes = 0;
  bool may_begin_early = false;  // before the kernel before it in its stream ends, if that lets it
};
// Checks a launch and copies its parameters: an array of pointers, or if that is nullptr, extra, as for cuLaunchKernel.
cudaError_t prepare_launch(const registered_kernel& what, const launch_shape& shape, void** arguments, void** extra,
                           action& made);
cudaError_t start(const registered_kernel* what, const launch_shape& shape, void** arguments, void** extra,
                  cudaStream_t on);
launch_shape shape_of(const cudaLaunchConfig_t& how);

// A module that the program loads itself: PTX, or a container with PTX.
module* load_module(const void* image);
module* load_module_file(const char* name);  // nullptr: there is no such file
registered_kernel* add_kernel(module* from, const char* name);

// The function of the driver, or nullptr.
void* driver_function(const char* name);

}  // namespace model

#endif
