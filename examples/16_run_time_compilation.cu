// A kernel with a bulk copy that NVRTC compiles at run time, with headers that are embedded in the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of a tile depends on the shared memory of the GPU, and is still a compile-time constant of the kernel. The
// program contains the headers of cudasync: cudasync_header_map in CMakeLists.txt writes them to
// <cudasync_header_map.h>. On the machine that runs the program, neither CCCL nor the include folder of a toolkit is
// needed.
//
// needs: sm_90
// uses: NVRTC
// 16_run_time_compilation [elements, rounded up to whole tiles] prints:
// expect: compiled for sm_[0-9]+ with tiles of 8192: 0 of 1048576 sums are wrong
// PASS
#include <cuda_runtime.h>
#include <nvrtc.h>

#include <cudasync_header_map.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

const char* const source = R"(
#include <cuda/barrier>

// in and out have gridDim.x tiles of tile_size elements, and are aligned to 16 bytes.
extern "C" __global__ void add_one(const int* in, int* out) {
  alignas(16) __shared__ int tile[tile_size];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();

  const size_t first = static_cast<size_t>(blockIdx.x) * tile_size;
  if (threadIdx.x == 0) cuda::device::memcpy_async_tx(tile, in + first, cuda::aligned_size_t<16>(sizeof tile), bar);
  auto token = cuda::device::barrier_arrive_tx(bar, 1, threadIdx.x == 0 ? sizeof tile : 0);
  bar.wait(cuda::std::move(token));

  for (int index = threadIdx.x; index < tile_size; index += blockDim.x) out[first + index] = tile[index] + 1;
}
)";

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

void check(nvrtcResult status) {
  if (status == NVRTC_SUCCESS) return;
  std::fprintf(stderr, "error: %s\n", nvrtcGetErrorString(status));
  std::exit(1);
}

// Returns the machine code for an architecture, for example "sm_90".
std::vector<char> compile(const std::string& arch, int tile_size) {
  // [create]
  nvrtcProgram program;
  check(nvrtcCreateProgram(&program, source, "add_one.cu", cudasync::header_count, cudasync::header_texts,
                           cudasync::header_names));
  // [end create]
  const std::string options[] = {"-std=c++17", "-arch=" + arch, "-Dtile_size=" + std::to_string(tile_size)};
  const char* const words[] = {options[0].c_str(), options[1].c_str(), options[2].c_str()};
  if (nvrtcCompileProgram(program, 3, words) != NVRTC_SUCCESS) {
    size_t size;
    check(nvrtcGetProgramLogSize(program, &size));
    std::string log(size, '\0');
    check(nvrtcGetProgramLog(program, log.data()));
    std::fprintf(stderr, "%s\n", log.c_str());
    std::exit(1);
  }
  size_t size;
  check(nvrtcGetCUBINSize(program, &size));
  std::vector<char> code(size);
  check(nvrtcGetCUBIN(program, code.data()));
  check(nvrtcDestroyProgram(&program));
  return code;
}

int main(int argc, char** argv) {
  size_t size = 1 << 20;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;

  int device;
  cudaDeviceProp properties;
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  const std::string arch = "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
  int tile_size = 1;
  while (2 * tile_size * sizeof(int) < properties.sharedMemPerBlock)
    tile_size *= 2;
  const int tiles = static_cast<int>((size + tile_size - 1) / tile_size);
  size = static_cast<size_t>(tiles) * tile_size;
  const size_t bytes = size * sizeof(int);

  const std::vector<char> code = compile(arch, tile_size);
  cudaLibrary_t library;
  cudaKernel_t kernel;
  check(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  check(cudaLibraryGetKernel(&kernel, library, "add_one"));

  std::vector<int> values(size);
  for (size_t index = 0; index < size; ++index)
    values[index] = static_cast<int>(index % 1009);
  int* in;
  int* out;
  check(cudaMalloc(&in, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(in, values.data(), bytes, cudaMemcpyHostToDevice));
  void* arguments[] = {&in, &out};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(tiles), dim3(256), arguments, 0, nullptr));
  std::vector<int> sums(size);
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));

  size_t wrong = 0;
  for (size_t index = 0; index < size; ++index)
    wrong += sums[index] != values[index] + 1;
  std::printf("compiled for %s with tiles of %d: %zu of %zu sums are wrong\n", arch.c_str(), tile_size, wrong, size);
  check(cudaFree(in));
  check(cudaFree(out));
  check(cudaLibraryUnload(library));
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong != 0;
}
