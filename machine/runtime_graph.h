// Graphs: work as nodes, each after others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_RUNTIME_GRAPH_H
#define CUDASYNC_MACHINE_RUNTIME_GRAPH_H

#include "runtime_work.h"

namespace model {

struct node {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::vector<node*> after;
  std::vector<node*> beside;     // of these, those that it may begin beside
  bool lets_next_begin = false;  // as soon as it has begun
  action what;
  std::shared_ptr<graph> child;
  bool is_enabled = true;
};

struct graph {
  std::vector<std::unique_ptr<node>> nodes;  // each after those that it comes after
  std::vector<stream*> captures;             // streams that are captured into it, the first one first
  std::vector<action> first;                 // in each launch
  std::vector<action> at_launch;             // before it

  node& add(cudaGraphNodeType type, std::vector<node*> after, action what);
};

cudaError_t add_node(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after, size_t count,
                     cudaGraphNodeType type, action what);
#if CUDART_VERSION >= 13000
cudaError_t add_conditional_node(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after, size_t count,
                                 cudaConditionalNodeParams& what);
#endif
cudaError_t add_dependencies(cudaGraph_t in, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count);
#if CUDART_VERSION >= 13000
// The edges may be nullptr.
void let_begin_early(cudaGraphNode_t to, cudaGraphNode_t from, const cudaGraphEdgeData* edge);
void refuse_early_begin(const char* function, const cudaGraphEdgeData* edges, size_t count);
#endif
cudaError_t begin_capture(cudaStream_t handle, graph& into);
cudaError_t set_captured_tail(cudaStream_t handle, const cudaGraphNode_t* after, size_t count, bool adds);
// The nodes after which the next one of a stream comes, and the graph that captures it, if any.
const cudaGraphNode_t* captured_tail(cudaStream_t handle, cudaGraph_t& into, size_t& count);

// A copy, in the same order.
std::shared_ptr<graph> clone(const graph& of);

}  // namespace model

#endif
