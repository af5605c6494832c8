// make_tensor_map: the limits that it checks are those of the driver, for random descriptions on both sides of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/gpu_test.h"

#include <cudasync/tensor_map.h>

#include <initializer_list>

using cudasync::tensor_element;
using cudasync::tma_interleave_layout;
using cudasync::tma_oob_fill;
using cudasync::tma_swizzle;
using cudasync::backend::tensor_description;

namespace backend = cudasync::backend;

constexpr long long two_to_32 = 1ll << 32, two_to_40 = 1ll << 40;

struct generator {
  unsigned long long state;

  unsigned below(unsigned count) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<unsigned>(state >> 33) % count;
  }
  bool once_in(unsigned count) { return below(count) == 0; }
  template <class Value>
  Value any_of(std::initializer_list<Value> values) {
    return values.begin()[below(static_cast<unsigned>(values.size()))];
  }
};

// The driver gets whole bytes, and no innermost stride: what it cannot see is not compared.
void choose_strides(generator& random, tensor_description& what) {
  const size_t rank = what.extents.count;
  const long long bits = bits_of(what.element);
  what.strides.count = rank;
  what.strides.values[rank - 1] = 1;
  long long bytes = (what.extents.values[rank - 1] * bits / 8 + 15) / 16 * 16;
  for (size_t dimension = rank - 1; dimension-- > 0;) {
    bytes = random.once_in(3) ? bytes + random.any_of({16ll, 32ll, 48ll, 8ll, -16ll}) : bytes;
    if (random.once_in(12)) bytes = random.any_of({0ll, 16ll, 32ll, 8ll, two_to_40 - 16, two_to_40 - 32, two_to_40});
    bytes = bits == 6 ? bytes / 3 * 3 : bytes;
    what.strides.values[dimension] = bytes < 0 ? 0 : bytes * 8 / bits;
    bytes = bytes * what.extents.values[dimension] < 2 * two_to_40 ? bytes * what.extents.values[dimension] : two_to_40;
  }
}

tensor_description any_description(generator& random, const char* memory) {
  using element = tensor_element;
  tensor_description what;
  const unsigned rank = 1 + random.below(5);
  what.element = static_cast<element>(random.below(16));
  if (random.once_in(2)) what.element = random.any_of({element::f32, element::bf16, element::u8});
  what.interleave = static_cast<tma_interleave_layout>(random.once_in(3) ? random.below(3) : 0);
  what.swizzle = static_cast<tma_swizzle>(random.once_in(4) ? random.below(7) : random.below(4));
  if (what.interleave == tma_interleave_layout::bytes32 && !random.once_in(4)) what.swizzle = tma_swizzle::bytes32;
  what.l2_fetch_size = static_cast<cudasync::tma_l2_fetch_size>(random.below(4));
  what.fill = static_cast<tma_oob_fill>(random.once_in(4) ? 1 : 0);
  what.address = memory + random.any_of({0, 0, 32, 64, 16, 48}) + (random.once_in(10) ? random.below(16) : 0);
  if (random.once_in(16)) what.address = nullptr;
  what.extents.count = what.box.count = what.steps.count = rank;
  for (unsigned dimension = 0; dimension < rank; ++dimension) {
    what.extents.values[dimension] = random.any_of({1ll, 2ll, 16ll, 64ll, 100ll, 128ll, 256ll, 1000ll, 4096ll});
    if (random.once_in(25)) what.extents.values[dimension] = random.any_of({0ll, two_to_32, two_to_32 + 1, 33ll, 34ll});
    what.box.values[dimension] = random.any_of({1ll, 2ll, 8ll, 16ll, 32ll, 64ll, 128ll, 256ll});
    if (random.once_in(25)) what.box.values[dimension] = random.any_of({0ll, 255ll, 257ll, 512ll, 3ll, 12ll});
    what.steps.values[dimension] = random.once_in(10) ? random.any_of({0ll, 2ll, 7ll, 8ll, 9ll}) : 1ll;
  }
  if (is_padded(what.element) && !random.once_in(4)) what.box.values[rank - 1] = 128;
  choose_strides(random, what);
  return what;
}

void print(const tensor_description& what, const char* ours, bool driver_accepts) {
  printf("the driver %s, make_tensor_map: %s\n  element %s, address %p, interleave %u, swizzle %s, fill %u",
         driver_accepts ? "accepts" : "refuses", ours[0] != 0 ? ours : "accepts", backend::name_of(what.element),
         what.address, static_cast<unsigned>(what.interleave), backend::name_of(what.swizzle),
         static_cast<unsigned>(what.fill));
  const auto list = [](const char* name, const backend::tensor_sizes& sizes) {
    printf(", %s", name);
    for (size_t dimension = 0; dimension < sizes.count; ++dimension)
      printf(" %lld", static_cast<long long>(sizes.values[dimension]));
  };
  list("extents", what.extents);
  list("strides", what.strides);
  list("box", what.box);
  list("element strides", what.steps);
  printf("\n");
}

TEST(what_the_driver_accepts_is_accepted) {
  const gpu_test::device_array<char> memory(1024);
  const auto driver = backend::find_tensor_driver();
  if (driver.encoder == nullptr) gpu_test::give_up(driver.error.text);
  generator random = {1};
  unsigned accepted = 0, refused = 0, refused_by_ours = 0, refused_by_driver = 0;
  for (unsigned number = 0; number < 20000; ++number) {
    const tensor_description what = any_description(random, memory.get());
    backend::tensor_error ours, theirs;
    const bool is_accepted = backend::is_within_limits(what, ours) &&
                             backend::is_within_limits_of_device(what, driver.major, driver.minor, ours);
    CUtensorMap map;
    const bool driver_accepts = backend::encode(what, driver.encoder, map, theirs);
    ++(driver_accepts ? accepted : refused);
    if (is_accepted == driver_accepts) continue;
    // The manual requires this swizzle, and the driver does not.
    if (strstr(ours.text, "tma_interleave_layout::bytes32 needs tma_swizzle::bytes32") != nullptr) continue;
    if (++(driver_accepts ? refused_by_ours : refused_by_driver) <= 20) print(what, ours.text, driver_accepts);
  }
  printf("%u accepted by the driver, %u refused; %u refused by the checks alone, %u by the driver alone\n", accepted,
         refused, refused_by_ours, refused_by_driver);
  CHECK(refused_by_ours == 0);  // what the driver alone refuses, such as formats that this GPU lacks, is its own error
  CHECK(accepted > 2000 && refused > 2000);
}

TEST(boxes_of_256_kilobytes_are_refused) {
  const gpu_test::device_array<char> memory(1024);
  const auto driver = backend::find_tensor_driver();
  if (driver.encoder == nullptr) gpu_test::give_up(driver.error.text);
  const auto driver_accepts = [&](int planes, int rows) {
    tensor_description what;
    what.address = memory.get();
    what.extents.count = what.box.count = 3;
    for (int dimension = 0; dimension < 3; ++dimension)
      what.extents.values[dimension] = 256;
    what.box.values[0] = planes;
    what.box.values[1] = rows;
    what.box.values[2] = 16;
    CUtensorMap map;
    backend::tensor_error error;
    return backend::encode(what, driver.encoder, map, error);
  };
  int planes = 256;
  while (planes > 0 && !driver_accepts(planes, 256))
    --planes;
  printf("the largest box of 4096-byte planes that the driver accepts has %d bytes\n", 4096 * planes);
  CHECK(planes > 0);
  CHECK(!driver_accepts(128, 128));  // 262,144 bytes
}

TEST(a_map_is_made_or_an_error_says_why) {
  const gpu_test::device_array<float> memory(64 * 64);
  const auto map = cudasync::make_tensor_map(memory.get(), {64, 64}, {8, 32}, {tma_swizzle::bytes128});
  if (!map) printf("%s\n", map.error());
  CHECK(static_cast<bool>(map));
  const auto none = cudasync::make_tensor_map(memory.get(), {64, 64}, {8, 512});
  CHECK(!none && std::string(none.error()) == "box[1] is 512 elements, the most is 256: split the tile");
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
