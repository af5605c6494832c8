// A loop around a compare-exchange ends on types with padding, in every memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"
#include "../support/padded.h"

using gpu_test::device_array;

template <class Value>
__global__ void in_each_memory(unsigned char* global) {
  __shared__ alignas(16) unsigned char shared[16];
  alignas(16) unsigned char local[16];
  DEVICE_CHECK(wrong_loops_over(*reinterpret_cast<Value*>(global)) == 0);
  DEVICE_CHECK(wrong_loops_over(*reinterpret_cast<Value*>(shared)) == 0);
  DEVICE_CHECK(wrong_loops_over(*reinterpret_cast<Value*>(local)) == 0);
}

// The compiler does not see which memory it is.
template <class Value>
__global__ void in_unknown_memory(unsigned char** places) {
  DEVICE_CHECK(wrong_loops_over(*reinterpret_cast<Value*>(places[threadIdx.x])) == 0);
}

template <class Value>
void check() {
  const device_array<unsigned char> place(64);
  gpu_test::run(in_each_memory<Value>, {1, 1}, place.get());
  const device_array<unsigned char*> places(std::vector<unsigned char*>{place.get()});
  gpu_test::run(in_unknown_memory<Value>, {1, 1}, places.get());
}

TEST(of_two_bytes) {
  check<tail_of_two>();
}
TEST(of_four_bytes) {
  check<short_behind_char>();
  check<char_behind_short>();
}
TEST(of_eight_bytes) {
  check<int_behind_char>();
  check<char_behind_int>();
  check<in_an_array>();
  check<in_a_class>();
  check<in_a_union>();
  check<bits>();
}
int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
