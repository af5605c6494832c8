// quit: the word that counts the threads of each role is only read by loads that acquire, and only changed by releases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 80 90
#include <cuda/pipeline>

// The last thread of a role has then seen what the others of its role had seen before they left: docs/api/pipeline.md.
//
// PTX-LABEL: .entry quit(
// PTX-NOT: ld.relaxed
// PTX: atom.release.cta.shared.add.u32
// PTX-NOT: {{ld.relaxed|cas}}
// PTX: ld.acquire.cta.shared.u32
// PTX-NOT: ld.relaxed
extern "C" __global__ void quit(int* result) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state);
  *result = pipe.quit();
}
