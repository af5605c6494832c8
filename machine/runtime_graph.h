// Graphs: work as nodes, each after others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_RUNTIME_GRAPH_H
#define CUDASYNC_MACHINE_RUNTIME_GRAPH_H

#include "runtime_work.h"

namespace model {

struct node {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::vector<node*> after;
  action what;
  std::shared_ptr<graph> child;
  bool is_enabled = true;
};

struct graph {
  std::vector<std::unique_ptr<node>> nodes;  // each after those that it comes after
  std::vector<stream*> captures;             // streams that are captured into it, the first one first

  node& add(cudaGraphNodeType type, std::vector<node*> after, action what);
};

// A copy, in the same order.
std::shared_ptr<graph> clone(const graph& of);

}  // namespace model

#endif
