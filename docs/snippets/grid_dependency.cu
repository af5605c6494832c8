// Programmatic dependent launch: the second kernel begins while the first still runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/grid_dependency>

// [kernels]
__global__ void first(float* data) {
  const unsigned cell = blockIdx.x * blockDim.x + threadIdx.x;
  cudasync::launch_dependent_grids();  // once all blocks have come here, the next grid may begin
  data[cell] *= 2;                     // it sees this all the same
}

__global__ void second(const float* weights, const float* data, float* out) {
  const unsigned cell = blockIdx.x * blockDim.x + threadIdx.x;
  const float weight = weights[cell];       // no earlier grid of the stream writes these
  cudasync::wait_for_prerequisite_grids();  // until the first kernel is over
  out[cell] = weight * data[cell];
}
// [end kernels]

// [launch]
cudaError_t launch(const float* weights, float* data, float* out, unsigned blocks, cudaStream_t stream) {
  first<<<blocks, 256, 0, stream>>>(data);

  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = 256;
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, second, weights, static_cast<const float*>(data), out);
}
// [end launch]
