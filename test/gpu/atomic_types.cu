// Every operation of atomics of 32- and 64-bit integers: in every memory, of every scope, known to the compiler or not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/atomic_operations.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>

#include <limits>

// Ends of the range, sign bits and carries between bytes.
template <class Integer>
constexpr eight_values<Integer> integers = {
    0,
    1,
    static_cast<Integer>(-1),
    std::numeric_limits<Integer>::max(),
    std::numeric_limits<Integer>::min(),
    static_cast<Integer>(0x81fe00ff7e0180c3),
    static_cast<Integer>(0x00ff00ff00ff00ff),
    static_cast<Integer>(-1000),
};

TEST(references_to_int) {
  check_references<int>(integers<int>);
}
TEST(references_to_unsigned) {
  check_reference<unsigned, cuda::thread_scope_block>(integers<unsigned>);
  check_reference<unsigned, cuda::thread_scope_device>(integers<unsigned>);
}
TEST(references_to_long) {
  check_reference<long, cuda::thread_scope_cluster>(integers<long>);
  check_reference<long, cuda::thread_scope_system>(integers<long>);
}
TEST(references_to_unsigned_long) {
  check_references<unsigned long>(integers<unsigned long>);
}
TEST(references_to_long_long) {
  check_reference<long long, cuda::thread_scope_block>(integers<long long>);
  check_reference<unsigned long long, cuda::thread_scope_device>(integers<unsigned long long>);
}
TEST(references_to_characters) {
  check_reference<char32_t, cuda::thread_scope_device>(integers<char32_t>);
  check_reference<wchar_t, cuda::thread_scope_system>(integers<wchar_t>);
}

TEST(atomic_integers) {
  check_atomic<int, cuda::thread_scope_thread>(integers<int>);
  check_atomic<int, cuda::thread_scope_block>(integers<int>);
  check_atomic<unsigned, cuda::thread_scope_device>(integers<unsigned>);
  check_atomic<long, cuda::thread_scope_system>(integers<long>);
  check_atomic<unsigned long, cuda::thread_scope_cluster>(integers<unsigned long>);
  check_atomic<unsigned long long, cuda::thread_scope_device>(integers<unsigned long long>);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
