// Nodes of graphs that run other graphs if a kernel has set a value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.h"
#include "runtime_graph.h"

#if CUDART_VERSION >= 13000

using namespace model;

namespace {

// A handle is the address of its value.
unsigned& condition_of(cudaGraphConditionalHandle handle) {
  return *reinterpret_cast<unsigned*>(handle);
}

void run_all(const graph& all) {
  for (const auto& each : all.nodes) {
    if (each->child != nullptr)
      run_all(*each->child);
    else if (each->is_enabled)
      each->what();
  }
}

}  // namespace

namespace model {

cudaError_t add_conditional_node(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after, size_t count,
                                 cudaConditionalNodeParams& what) {
  std::vector<std::shared_ptr<graph>> bodies(what.size);
  what.phGraph_out = new cudaGraph_t[what.size];  // as long as the program runs
  for (size_t index = 0; index < bodies.size(); ++index) {
    bodies[index] = std::make_shared<graph>();
    what.phGraph_out[index] = reinterpret_cast<cudaGraph_t>(bodies[index].get());
  }
  const action choose = [bodies, handle = what.handle, type = what.type] {
    const size_t value = condition_of(handle);
    if (type == cudaGraphCondTypeSwitch) {
      if (value < bodies.size()) run_all(*bodies[value]);
    } else if (type == cudaGraphCondTypeIf) {
      const size_t index = value != 0 ? 0 : 1;
      if (index < bodies.size()) run_all(*bodies[index]);
    } else {
      while (condition_of(handle) != 0 && sticky_error() == cudaSuccess)
        run_all(*bodies[0]);
    }
  };
  return add_node(made, to, after, count, cudaGraphNodeTypeConditional, choose);
}

}  // namespace model

extern "C" {

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* made, cudaGraph_t in, unsigned value,
                                             unsigned flags) {
  unsigned* const place = new unsigned(value);
  *made = reinterpret_cast<cudaGraphConditionalHandle>(place);
  if ((flags & cudaGraphCondAssignDefault) != 0) reinterpret_cast<graph*>(in)->first.push_back([=] { *place = value; });
  return cudaSuccess;
}

}  // extern "C"

#endif
