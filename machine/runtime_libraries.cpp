// Libraries of kernels, which a program loads itself, and nodes of graphs of any type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.h"
#include "runtime_graph.h"
#include "runtime_unsupported.h"

#include <algorithm>

#if CUDART_VERSION >= 13000

using namespace model;

namespace {

module* module_of(cudaLibrary_t handle) {
  return reinterpret_cast<module*>(handle);
}

}  // namespace

extern "C" {

cudaError_t cudaLibraryLoadData(cudaLibrary_t* made, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  *made = reinterpret_cast<cudaLibrary_t>(load_module(code));
  return cudaSuccess;
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* made, const char* name, cudaJitOption*, void**, unsigned,
                                    cudaLibraryOption*, void**, unsigned) {
  *made = reinterpret_cast<cudaLibrary_t>(load_module_file(name));
  return *made != nullptr ? cudaSuccess : result(cudaErrorFileNotFound);
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* found, cudaLibrary_t from, const char* name) {
  *found = reinterpret_cast<cudaKernel_t>(add_kernel(module_of(from), name));
  return result(*found != nullptr ? cudaSuccess : cudaErrorSymbolNotFound);
}
cudaError_t cudaLibraryGetGlobal(void** start, size_t* bytes, cudaLibrary_t from, const char* name) {
  uint64_t size = 0;
  void* const found = module_of(from)->address_of(name, &size);
  if (start != nullptr) *start = found;
  if (bytes != nullptr) *bytes = size;
  return result(found != nullptr ? cudaSuccess : cudaErrorSymbolNotFound);
}
cudaError_t cudaLibraryGetManaged(void** start, size_t* bytes, cudaLibrary_t from, const char* name) {
  return cudaLibraryGetGlobal(start, bytes, from, name);
}
cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t of) {
  *count = static_cast<unsigned>(module_of(of)->kernels().size());
  return cudaSuccess;
}
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t of) {
  const std::vector<std::string> names = module_of(of)->kernels();
  for (size_t index = 0; index < std::min<size_t>(count, names.size()); ++index)
    kernels[index] = reinterpret_cast<cudaKernel_t>(add_kernel(module_of(of), names[index].c_str()));
  return cudaSuccess;
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute which, int value, int) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), which, value);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData* edges, size_t count, cudaGraphNodeParams* what) {
  switch (what->type) {
  case cudaGraphNodeTypeEmpty:
    return cudaGraphAddEmptyNode(made, to, after, count);
  case cudaGraphNodeTypeKernel: {
    const cudaKernelNodeParams kernel = {what->kernel.func,           what->kernel.gridDim,      what->kernel.blockDim,
                                         what->kernel.sharedMemBytes, what->kernel.kernelParams, what->kernel.extra};
    const cudaError_t status = cudaGraphAddKernelNode(made, to, after, count, &kernel);
    for (size_t index = 0; status == cudaSuccess && edges != nullptr && index < count; ++index)
      let_begin_early(*made, after[index], &edges[index]);
    return status;
  }
  case cudaGraphNodeTypeMemcpy:
    return cudaGraphAddMemcpyNode(made, to, after, count, &what->memcpy.copyParams);
  case cudaGraphNodeTypeMemset: {
    const cudaMemsetParams fill = {what->memset.dst,         what->memset.pitch, what->memset.value,
                                   what->memset.elementSize, what->memset.width, what->memset.height};
    return cudaGraphAddMemsetNode(made, to, after, count, &fill);
  }
  case cudaGraphNodeTypeHost: {
    const cudaHostNodeParams host = {what->host.fn, what->host.userData};
    return cudaGraphAddHostNode(made, to, after, count, &host);
  }
  case cudaGraphNodeTypeGraph:
    return cudaGraphAddChildGraphNode(made, to, after, count, what->graph.graph);
  case cudaGraphNodeTypeConditional:
    return add_conditional_node(made, to, after, count, what->conditional);
  case cudaGraphNodeTypeMemFree:
    return cudaGraphAddMemFreeNode(made, to, after, count, what->free.dptr);
  default:
    report_unsupported("cudaGraphAddNode of type " + std::to_string(what->type), "this part of graphs");
  }
}

}  // extern "C"

#endif
