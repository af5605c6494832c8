// The memory in which read-modify-writes of several GPUs are atomic, with a CUDA runtime of this test.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define CUDASYNC_CHECKED 1
#include "aborts.h"
#include "catch.h"

// CMake gives this program the toolkit's headers where there is a toolkit.
#if __has_include(<cuda_runtime_api.h>)

#include <cudasync/system_atomics.h>

#include <string>

// The machine: three GPUs, with native atomics on the link between the GPUs 0 and 1, and from 2 to 1, but not from 1 to 2.
// The program does not link the runtime.
namespace {

cudaMemoryType type_of_memory = cudaMemoryTypeDevice;
int gpu_of_memory = 0;
cudaDeviceAttr attribute_that_is_0 = cudaDevAttrMaxThreadsPerBlock;
int gpu_without_attribute = 1;
bool has_driver = true;
char object;

bool contains(const char* text, const char* part) {
  return text != nullptr && std::string(text).find(part) != std::string::npos;
}
const char* error_in(cudaMemoryType type, cudaDeviceAttr is_0) {
  type_of_memory = type;
  attribute_that_is_0 = is_0;
  return cudasync::system_atomics_error(&object);
}

}  // namespace

extern "C" {
cudaError_t CUDARTAPI cudaPointerGetAttributes(cudaPointerAttributes* found, const void*) {
  found->type = type_of_memory;
  found->device = gpu_of_memory;
  return has_driver ? cudaSuccess : cudaErrorInsufficientDriver;
}
cudaError_t CUDARTAPI cudaGetLastError() {
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) {
  *count = 3;
  return has_driver ? cudaSuccess : cudaErrorInsufficientDriver;
}
cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int gpu) {
  *value = which != attribute_that_is_0 || gpu != gpu_without_attribute;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr which, int from, int to) {
  *value = which == cudaDevP2PAttrNativeAtomicSupported && (from + to == 1 || (from == 2 && to == 1));
  return cudaSuccess;
}
}

TEST_CASE("memory of the host needs the attribute of its kind on each GPU") {
  const cudaDeviceAttr others = cudaDevAttrMaxThreadsPerBlock;
  CHECK(error_in(cudaMemoryTypeHost, others) == nullptr);
  CHECK(error_in(cudaMemoryTypeManaged, others) == nullptr);
  CHECK(error_in(cudaMemoryTypeUnregistered, others) == nullptr);
  CHECK(contains(error_in(cudaMemoryTypeHost, cudaDevAttrHostNativeAtomicSupported), "is in pinned memory"));
  CHECK(error_in(cudaMemoryTypeHost, cudaDevAttrConcurrentManagedAccess) == nullptr);
  CHECK(contains(error_in(cudaMemoryTypeManaged, cudaDevAttrConcurrentManagedAccess), "is in managed memory"));
  CHECK(contains(error_in(cudaMemoryTypeUnregistered, cudaDevAttrPageableMemoryAccess), "is in pageable memory"));
  const int gpus[] = {0, 2};  // those that have the attribute
  CHECK(cudasync::system_atomics_error(&object, gpus, 2) == nullptr);
}

TEST_CASE("memory of a GPU needs native atomics on the links to it") {
  type_of_memory = cudaMemoryTypeDevice;
  const int connected[] = {0, 1}, alone[] = {2}, all[] = {0, 1, 2};
  CHECK(cudasync::system_atomics_error(&object, connected, 2) == nullptr);
  CHECK(contains(cudasync::system_atomics_error(&object, all, 3), "the link has no native atomics"));
  CHECK(contains(cudasync::system_atomics_error(&object), "the link has no native atomics"));
  gpu_of_memory = 2;
  CHECK(cudasync::system_atomics_error(&object, alone, 1) == nullptr);
  CHECK(contains(cudasync::system_atomics_error(&object, connected, 2), "the link has no native atomics"));
  gpu_of_memory = 1;
  CHECK(cudasync::system_atomics_error(&object, all, 3) == nullptr);
  gpu_of_memory = 0;
}

TEST_CASE("the checked build aborts at the line of the call") {
  const std::string words = last_words([] {
    type_of_memory = cudaMemoryTypeHost;
    attribute_that_is_0 = cudaDevAttrHostNativeAtomicSupported;
    cudasync::check_system_atomics(&object);
  });
  CHECK(contains(words.c_str(), "system_atomics.cpp:"));
  CHECK(contains(words.c_str(), "cudasync: the object is in pinned memory of the host"));
  const int gpus[] = {0};
  type_of_memory = cudaMemoryTypeHost;
  attribute_that_is_0 = cudaDevAttrHostNativeAtomicSupported;
  cudasync::check_system_atomics(&object, gpus, 1);
}

TEST_CASE("without a driver there is an error") {
  has_driver = false;
  CHECK(contains(cudasync::system_atomics_error(&object), "there is no GPU"));
  const int gpus[] = {0};
  CHECK(contains(cudasync::system_atomics_error(&object, gpus, 1), "does not know the object's memory"));
  has_driver = true;
}

#endif
