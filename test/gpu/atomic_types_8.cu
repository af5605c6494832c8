// Every operation of atomics of 8 bits: in every memory, of every scope, known to the compiler or not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/atomic_operations.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>

#include <limits>

// Ends of the range, sign bits, and sums that would carry into the neighbour.
template <class Integer>
constexpr eight_values<Integer> integers = {
    0,
    1,
    static_cast<Integer>(-1),
    std::numeric_limits<Integer>::max(),
    std::numeric_limits<Integer>::min(),
    static_cast<Integer>(0x80c3),
    static_cast<Integer>(0x7e55),
    static_cast<Integer>(-100),
};

TEST(references_to_signed_char) {
  check_reference<signed char, cuda::thread_scope_block>(integers<signed char>);
  check_reference<signed char, cuda::thread_scope_device>(integers<signed char>);
}
TEST(references_to_unsigned_char) {
  check_references<unsigned char>(integers<unsigned char>);
}

// These own four bytes, of which operations may use all.
TEST(atomics_of_8_bits) {
  check_atomic<signed char, cuda::thread_scope_thread>(integers<signed char>);
  check_atomic<unsigned char, cuda::thread_scope_device>(integers<unsigned char>);
  check_atomic<char, cuda::thread_scope_system>(integers<char>);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
