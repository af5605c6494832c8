// Padding, spare bytes and neighbors take part in no comparison, whatever they hold, in memory that the compiler does not see.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"
#include "../support/unnamed_bytes.h"

using gpu_test::device_array;
using namespace unnamed_bytes;

template <class Value, bool HasReference>
__device__ void add_wrong_answers(void* place, unsigned tries, unsigned* wrong) {
  const answers all = wrong_answers<Value, HasReference>(place, tries);
  for (unsigned fill = 0; fill < 3; ++fill)
    for (unsigned other = 0; other < 3; ++other)
      atomicAdd(wrong + fill, all.wrong[fill][other]);
}
// wrong: for each memory and each fill byte
template <class Value, bool HasReference>
__global__ void in_each_memory(room* global, unsigned tries, unsigned* wrong) {
  __shared__ room shared;
  add_wrong_answers<Value, HasReference>(global, tries, wrong);
  add_wrong_answers<Value, HasReference>(&shared, tries, wrong + 3);
}

template <class Value, bool HasReference>
void check(const char* name, unsigned tries = 0) {
  const device_array<room> place(1);
  const device_array<unsigned> counts(6);
  gpu_test::run(in_each_memory<Value, HasReference>, {1, 1}, place.get(), tries, counts.get());
  const std::vector<unsigned> wrong = counts.values();
  for (unsigned memory = 0; memory < 2; ++memory) {
    if (wrong[3 * memory] + wrong[3 * memory + 1] + wrong[3 * memory + 2] == 0) continue;
    const char* const names[] = {"global", "shared"};
    printf("%s of %zu bytes in %s memory: %u %u %u wrong answers\n", name, sizeof(Value), names[memory],
           wrong[3 * memory], wrong[3 * memory + 1], wrong[3 * memory + 2]);
    gpu_test::current_failed = true;
  }
}
#define CHECK_ATOMIC(...) check<__VA_ARGS__, false>(#__VA_ARGS__)
#define CHECK_BOTH(...) check<__VA_ARGS__, true>(#__VA_ARGS__)

TEST(values_without_padding) {
  CHECK_BOTH(whole<1>);
  CHECK_BOTH(whole<2, 2>);
  CHECK_BOTH(whole<4, 4>);
  CHECK_BOTH(whole<8, 8>);
}
TEST(values_of_odd_sizes) {
  CHECK_ATOMIC(whole<3>);
  CHECK_ATOMIC(whole<5>);
  CHECK_ATOMIC(whole<6, 2>);
  CHECK_ATOMIC(whole<7>);
  CHECK_ATOMIC(with_tail<6, 2>);
  CHECK_ATOMIC(with_hole<6, 2>);
}
TEST(values_with_a_lock) {
  CHECK_ATOMIC(whole<9>);
  CHECK_ATOMIC(whole<15>);
  CHECK_ATOMIC(whole<24, 8>);
  CHECK_ATOMIC(whole<64>);
  CHECK_ATOMIC(with_tail<12, 4>);
  CHECK_ATOMIC(with_hole<24, 8>);
  CHECK_ATOMIC(nested);
}
TEST(values_with_padding) {
  CHECK_BOTH(with_tail<2, 2>);
  CHECK_BOTH(with_tail<4, 4>);
  CHECK_BOTH(with_tail<8, 8>);
  CHECK_BOTH(with_hole<4, 2>);
  CHECK_BOTH(with_hole<8, 2>);
  CHECK_BOTH(with_hole<8, 4>);
}
TEST(numbers) {
  CHECK_BOTH(bool);
  CHECK_BOTH(signed char);
  CHECK_BOTH(unsigned short);
  CHECK_BOTH(float);
  CHECK_BOTH(double);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
