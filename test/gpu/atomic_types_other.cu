// Every operation of atomics of bool, enumerations, structs and pointers, in every memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/atomic_operations.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>

// Addresses are never followed, and differ by whole elements, though of odd size.
struct three_bytes {
  char bytes[3];
};
template <class Pointer>
Pointer element(ptrdiff_t index) {
  return reinterpret_cast<Pointer>(0x7f0012345600 + index * static_cast<ptrdiff_t>(sizeof(*Pointer())));
}
template <class Pointer, cuda::thread_scope Scope>
void check_pointer() {
  const Pointer values[8] = {element<Pointer>(0),    element<Pointer>(1),  element<Pointer>(-1),
                             element<Pointer>(1000), element<Pointer>(77), element<Pointer>(0x40000000),
                             element<Pointer>(-500), element<Pointer>(1)};
  check_reference<Pointer, Scope>(values);
  check_atomic<Pointer, Scope>(values);
}
TEST(pointers) {
  check_pointer<three_bytes*, cuda::thread_scope_thread>();
  check_pointer<three_bytes*, cuda::thread_scope_device>();
  check_pointer<const int*, cuda::thread_scope_block>();
  check_pointer<double**, cuda::thread_scope_system>();
}

TEST(bool_atomics) {
  const bool values[8] = {false, true, true, false, false, true, false, true};
  check_references<bool>(values);
  check_atomics<bool>(values);
}

enum class small : unsigned char { none, some = 3, most = 0xfe };
enum whole : int { nothing, something = 77, negative = -1 };
TEST(enumerations) {
  const small smalls[8] = {small::none, small::some, small::most, small(1), small(2), small(0x80), small(5), small(6)};
  const whole wholes[8] = {nothing, something, negative, whole(1), whole(2), whole(3), whole(4), whole(5)};
  check_reference<small, cuda::thread_scope_device>(smalls);
  check_atomic<small, cuda::thread_scope_block>(smalls);
  check_reference<whole, cuda::thread_scope_block>(wholes);
  check_atomic<whole, cuda::thread_scope_system>(wholes);
}

// The bytes are what compare-exchange compares. The last part decides which struct is the smaller one.
template <class Part, unsigned Count>
struct alignas(sizeof(Part) * Count) parts {
  Part part[Count];

  friend __host__ __device__ bool operator<(const parts& left, const parts& right) {
    return left.part[Count - 1] < right.part[Count - 1];
  }
};
template <class Struct>
void check_struct() {
  Struct values[8];
  for (uint64_t index = 0; index < 8; ++index)
    values[index] = bytes_as<Struct>(index * 0x0123456789abcdef);
  check_reference<Struct, cuda::thread_scope_thread>(values);
  check_reference<Struct, cuda::thread_scope_device>(values);
  check_atomic<Struct, cuda::thread_scope_block>(values);
}
TEST(structs) {
  check_struct<parts<char, 1>>();
  check_struct<parts<char, 2>>();
  check_struct<parts<short, 2>>();
  check_struct<parts<char, 8>>();
  check_struct<parts<int, 2>>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
