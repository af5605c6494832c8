// Every operation of atomics of floating-point numbers, in every memory and of every scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/atomic_operations.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>

// All sums round in some pairs; none is a NaN or a subnormal number, whose bits the instructions do not agree on.
template <class Float>
const eight_values<Float> floats = {Float(0.f),      Float(1.f), Float(-1.f),     Float(1.5f),
                                    Float(-3000.0f), Float(.1f), Float(-0.0625f), Float(20000.0f)};

TEST(references_to_float) {
  check_references<float>(floats<float>);
}
TEST(references_to_double) {
  check_reference<double, cuda::thread_scope_block>(floats<double>);
  check_reference<double, cuda::thread_scope_system>(floats<double>);
}
TEST(references_to_half) {
  check_references<__half>(floats<__half>);
}
TEST(references_to_bfloat16) {
  check_reference<__nv_bfloat16, cuda::thread_scope_cluster>(floats<__nv_bfloat16>);
  check_reference<__nv_bfloat16, cuda::thread_scope_device>(floats<__nv_bfloat16>);
}
TEST(atomic_floats) {
  check_atomic<float, cuda::thread_scope_block>(floats<float>);
  check_atomic<double, cuda::thread_scope_device>(floats<double>);
  check_atomic<__half, cuda::thread_scope_device>(floats<__half>);
  check_atomic<__nv_bfloat16, cuda::thread_scope_block>(floats<__nv_bfloat16>);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
