// A stack without a lock whose pop compares the head alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: trap
// schedule: search
// If the head is popped and pushed again in between, its next node is another. A count beside the head tells the two apart.
#include "launch.h"

struct stack {
  unsigned long long head;  // the number of a node from 1, and above it a count of changes
  unsigned next[8], users[8];
};

__device__ unsigned node_of(unsigned long long head) {
  return static_cast<unsigned>(head);
}
__device__ unsigned long long change(unsigned long long head, unsigned node) {
  const unsigned long long count = 0;  // wrong
  // right: const unsigned long long count = (head >> 32) + 1;
  return count << 32 | node;
}

__device__ unsigned pop(stack& all) {
  for (;;) {
    const unsigned long long head = atomicAdd(&all.head, 0ull);
    __threadfence();
    if (node_of(head) == 0) return 0;
    const unsigned next = atomicAdd(&all.next[node_of(head)], 0u);
    if (atomicCAS(&all.head, head, change(head, next)) == head) return node_of(head);
  }
}
__device__ void push(stack& all, unsigned node) {
  for (;;) {
    const unsigned long long head = atomicAdd(&all.head, 0ull);
    atomicExch(&all.next[node], node_of(head));
    __threadfence();
    if (atomicCAS(&all.head, head, change(head, node)) == head) return;
  }
}

extern "C" __global__ void aba_stack(stack* all) {
  if (blockIdx.x == 0) {
    for (unsigned node = 1; node <= 3; ++node)
      push(*all, node);
    atomicExch(&all->users[0], 100u);
  }
  while (atomicAdd(&all->users[0], 0u) == 0)
    __nanosleep(20);
  unsigned mine[2];
  for (unsigned& node : mine) {
    node = pop(*all);
    if (node != 0 && atomicAdd(&all->users[node], 1u) != 0) __trap();  // reported
  }
  for (unsigned node : mine)
    if (node != 0) {
      atomicSub(&all->users[node], 1u);
      push(*all, node);
    }
}

int main() {
  return launch(aba_stack, 2, 1);
}
