// make_tensor_map without exceptions: the use of a map that could not be made prints the error and aborts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aborts.h"
#include "catch.h"

// CMake gives this program the toolkit's headers where there is a toolkit.
#if __has_include(<cuda.h>) && __has_include(<cuda_runtime_api.h>)

#undef __cpp_exceptions  // as with -fno-exceptions, with which Catch2 cannot be compiled
#include <cudasync/tensor_map.h>

// The program does not link the runtime. There is no driver.
extern "C" {
#if CUDART_VERSION >= 12050
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(const char*, void**, unsigned, unsigned long long,
                                                       cudaDriverEntryPointQueryResult*) {
  return cudaErrorInsufficientDriver;
}
#else
cudaError_t CUDARTAPI cudaGetDriverEntryPoint(const char*, void**, unsigned long long,
                                              cudaDriverEntryPointQueryResult*) {
  return cudaErrorInsufficientDriver;
}
#endif
cudaError_t CUDARTAPI cudaGetDevice(int*) {
  return cudaErrorInsufficientDriver;
}
cudaError_t CUDARTAPI cudaDeviceGetAttribute(int*, cudaDeviceAttr, int) {
  return cudaErrorInsufficientDriver;
}
const char* CUDARTAPI cudaGetErrorString(cudaError_t) {
  return "no driver";
}
}

// The last words of a program that uses the map of a matrix with boxes of this many rows.
std::string words_of(int rows) {
  return last_words([rows] {
    const float* const none = nullptr;
    const CUtensorMap map = cudasync::make_tensor_map(none, {64, 64}, {rows, 32});
    static_cast<void>(map);
  });
}

TEST_CASE("the use of an error aborts") {
  CHECK(words_of(512) == "cudasync: tensor map: box[0] is 512 elements, the most is 256: split the tile\n");
  CHECK(words_of(8) ==
        "cudasync: tensor map: the CUDA driver cannot be used: no driver: run the program on a machine with a GPU "
        "and its driver\n");
}

TEST_CASE("an error that is only read does not abort") {
  const float* const none = nullptr;
  const auto map = cudasync::make_tensor_map(none, {64, 64}, {512, 32});
  CHECK_FALSE(map);
  CHECK(map.error() == std::string("box[0] is 512 elements, the most is 256: split the tile"));
}

#endif
