// No instruction takes 24 bytes: also of an atomic that nothing initialized.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: atomic types have 1, 2, 4, 8 or 16 bytes: pad the type, or keep it behind an atomic pointer
#include <cuda/atomic>

struct node {
  node* left;
  node* right;
  long long key;
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ node use(cuda::atomic<node>& atomic) {
#else
__device__ node* use(cuda::atomic<node*>& atomic) {
#endif
  return atomic.load();
}
