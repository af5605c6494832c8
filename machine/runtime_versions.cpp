// Functions that take other arguments in CUDA 12 than in CUDA 13.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.h"
#include "runtime_graph.h"

#include <cuda.h>

using namespace model;

namespace {

CUresult create_context(CUcontext* made) {
  return cuCtxGetCurrent(made);  // there is one
}

cudaError_t capture_info(cudaStream_t on, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* into,
                         const cudaGraphNode_t** tail, size_t* count) {
  static_cast<void>(cudaStreamIsCapturing(on, status));
  cudaGraph_t captured = nullptr;
  size_t nodes = 0;
  const cudaGraphNode_t* const last = captured_tail(on, captured, nodes);
  if (id != nullptr) *id = stream_of(on).id;
  if (into != nullptr) *into = captured;
  if (tail != nullptr) *tail = last;
  if (count != nullptr) *count = nodes;
  return cudaSuccess;
}

}  // namespace

extern "C" {

#if CUDART_VERSION >= 13000

CUresult cuCtxCreate(CUcontext* made, CUctxCreateParams*, unsigned, CUdevice) {
  return create_context(made);
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t on, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* into, const cudaGraphNode_t** tail, const cudaGraphEdgeData** edges,
                                     size_t* count) {
  if (edges != nullptr) *edges = nullptr;
  return capture_info(on, status, id, into, tail, count);
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t on, cudaGraphNode_t* after, const cudaGraphEdgeData* edges,
                                                size_t count, unsigned flags) {
  refuse_early_begin("cudaStreamUpdateCaptureDependencies", edges, count);
  return set_captured_tail(on, after, count, flags == cudaStreamAddCaptureDependencies);
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t on, cudaGraph_t into, const cudaGraphNode_t* after,
                                          const cudaGraphEdgeData* edges, size_t count, cudaStreamCaptureMode) {
  refuse_early_begin("cudaStreamBeginCaptureToGraph", edges, count);
  const cudaError_t status = begin_capture(on, *reinterpret_cast<graph*>(into));
  return status != cudaSuccess ? status : set_captured_tail(on, after, count, false);
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t in, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData* edges, size_t count) {
  for (size_t index = 0; edges != nullptr && index < count; ++index)
    let_begin_early(to[index], from[index], &edges[index]);
  return add_dependencies(in, from, to, count);
}

#else

CUresult cuCtxCreate(CUcontext* made, unsigned, CUdevice) {
  return create_context(made);
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t on, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* into, const cudaGraphNode_t** tail, size_t* count) {
  return capture_info(on, status, id, into, tail, count);
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t on, cudaGraphNode_t* after, size_t count, unsigned flags) {
  return set_captured_tail(on, after, count, flags == cudaStreamAddCaptureDependencies);
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t in, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     size_t count) {
  return add_dependencies(in, from, to, count);
}

#endif

}  // extern "C"
