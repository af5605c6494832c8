// No instruction takes 24 bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: atomic_ref needs an object of 1, 2, 4, 8 or 16 bytes
#include <cuda/atomic>

struct node {
  node* left;
  node* right;
  long long key;
};

__device__ void use(node*& value) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::atomic_ref<node> atomic(*value);
#else
  cuda::atomic_ref<node*> atomic(value);
#endif
  static_cast<void>(atomic);
}
