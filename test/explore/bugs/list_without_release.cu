// A list without a lock: a node is pushed by a compare-and-swap that does not release what the node contains.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

struct node {
  int value, next;  // next: the number of a node, from 1
};

extern "C" __global__ void list_without_release(node* nodes) {
  int* const head = &nodes[64].next;
  if (blockIdx.x < 2) {
    const int own = static_cast<int>(blockIdx.x) + 1;
    nodes[own].value = 7;  // reported
    int old = atomicAdd(head, 0);
    for (;;) {
      nodes[own].next = old;  // reported
      // right: __threadfence();
      const int found = atomicCAS(head, old, own);
      if (found == old) break;
      old = found;
    }
  } else {
    int own = 0;
    while (own == 0)
      own = atomicAdd(head, 0);
    __threadfence();
    for (; own != 0; own = nodes[own].next)            // reported
      if (nodes[own].value != 7) nodes[32].value = 1;  // reported
  }
}

int main() {
  return launch(list_without_release, 3, 1);
}
