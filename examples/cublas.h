// cuBLAS, which 17_tensor_core_product.cu is compared with. It is loaded at run time, so programs build without it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUBLAS_H
#define CUBLAS_H

#include <cuda_bf16.h>
#include <dlfcn.h>
#include <library_types.h>

class cublas {
 public:
  cublas() {
    void* library = nullptr;
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
      if (library == nullptr) library = dlopen(name, RTLD_NOW);
    if (library == nullptr) return;
    const auto create = reinterpret_cast<int (*)(void**)>(dlsym(library, "cublasCreate_v2"));
    gemm_ = reinterpret_cast<gemm_function*>(dlsym(library, "cublasGemmEx"));
    if (create == nullptr || gemm_ == nullptr || create(&handle_) != 0) gemm_ = nullptr;
  }

  bool is_loaded() const { return gemm_ != nullptr; }

  // Begins to compute C = A B' for row-major matrices of size x size elements, which is C' = B A' in the column-major
  // order of cuBLAS. Returns whether there was no error.
  bool multiply(unsigned size, const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c) const {
    const float one = 1, zero = 0;
    const int count = static_cast<int>(size);
    constexpr int transposed = 1, as_it_is = 0, add_in_float = 68, any_algorithm = -1;
    return gemm_(handle_, transposed, as_it_is, count, count, count, &one, b, CUDA_R_16BF, count, a, CUDA_R_16BF, count,
                 &zero, c, CUDA_R_16BF, count, add_in_float, any_algorithm) == 0;
  }

 private:
  using gemm_function = int(void*, int, int, int, int, int, const float*, const void*, cudaDataType, int, const void*,
                            cudaDataType, int, const float*, void*, cudaDataType, int, int, int);
  void* handle_ = nullptr;
  gemm_function* gemm_ = nullptr;
};

#endif
