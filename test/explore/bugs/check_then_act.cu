// A place is taken by two atomic operations: a look whether one is left, and then an increment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: trap
#include "launch.h"

extern "C" __global__ void check_then_act(int* data) {
  constexpr int places = 2;
  int* const taken = data;
  if (atomicAdd(taken, 0) < places) {             // wrong
    if (atomicAdd(taken, 1) >= places) __trap();  // wrong, reported
    // right: for (int old = atomicAdd(taken, 0); old < places;) {
    // right:   const int found = atomicCAS(taken, old, old + 1);
    // right:   if (found == old) break;
    // right:   old = found;
  }
  // right: if (atomicAdd(taken, 0) > places) __trap();
}

int main() {
  return launch(check_then_act, 3, 1);
}
