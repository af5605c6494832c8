// Each operation, with each order and scope and on each type, is what the rules of tools/cudasync_tools/atomic_matrix.py say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 70 75 80 89 90 100 120
// MATRIX: atomic
#include <cuda/atomic>

// As <cuda_fp16.h> and <cuda_bf16.h> lay them out; atomics look at their names alone.
struct __half {
  unsigned short bits;
};
struct __nv_bfloat16 {
  unsigned short bits;
};

struct eight {
  int low;
  int high;
};
struct alignas(16) sixteen {
  long long low;
  long long high;
};

extern __shared__ __align__(16) unsigned char memory[];

template <class Value, cuda::thread_scope Scope>
__device__ cuda::atomic<Value, Scope>& atomic_at(void* place) {
  return *static_cast<cuda::atomic<Value, Scope>*>(place);
}

template <class Value, cuda::thread_scope Scope>
__device__ cuda::atomic_ref<Value, Scope> ref_at(void* place) {
  return cuda::atomic_ref<Value, Scope>(*static_cast<Value*>(place));
}

// The kernels follow: fetch_add__int32__relaxed__block__shared and so on.
