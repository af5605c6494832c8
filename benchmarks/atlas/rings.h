// Rings of tiles in shared memory, with the names of libcu++: a part of the source texts of the libraries' pipelines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

namespace rings {

template <unsigned Stages, class Size>
__device__ unsigned thread_ring(int4 (*stages)[256], const int4* from, unsigned count, Size size) {
  auto pipe = cuda::make_pipeline();
  unsigned sum = 0;
  unsigned fetched = 0;
  for (unsigned number = 0; number < count; ++number) {
    for (; fetched < count && fetched < number + Stages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stages[fetched % Stages][threadIdx.x], from + fetched * blockDim.x, size, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += stages[number % Stages][threadIdx.x].x;
    pipe.consumer_release();
  }
  return sum;
}

template <unsigned Stages, class Pipe, class Group, class Size>
__device__ void fetch(Pipe& pipe, const Group& group, bytes_t* tiles, const bytes_t* from, unsigned number, Size size) {
  pipe.producer_acquire();
  cuda::memcpy_async(group, reinterpret_cast<int4*>(tiles + number % Stages * static_cast<unsigned>(size)),
                     reinterpret_cast<const int4*>(from + number * static_cast<unsigned>(size)), size, pipe);
  pipe.producer_commit();
}

template <unsigned Stages, class State, class Size>
__device__ unsigned unified(State* state, bytes_t* tiles, const bytes_t* from, unsigned count, Size size) {
  auto pipe = cuda::make_pipeline(block_group{}, state);
  unsigned sum = 0;
  unsigned fetched = 0;
  for (unsigned number = 0; number < count; ++number) {
    for (; fetched < count && fetched < number + Stages; ++fetched)
      fetch<Stages>(pipe, block_group{}, tiles, from, fetched, size);
    pipe.consumer_wait();
    sum += tiles[number % Stages * static_cast<unsigned>(size) + threadIdx.x];
    pipe.consumer_release();
  }
  return sum;
}

// The first warp copies.
template <unsigned Stages, class State, class Size>
__device__ unsigned partitioned(State* state, bytes_t* tiles, const bytes_t* from, unsigned count, Size size) {
  const bool is_producer = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(block_group{}, state,
                                  is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  unsigned sum = 0;
  for (unsigned number = 0; number < count; ++number) {
    if (is_producer) {
      fetch<Stages>(pipe, warp_group{}, tiles, from, number, size);
    } else {
      pipe.consumer_wait();
      sum += tiles[number % Stages * static_cast<unsigned>(size) + threadIdx.x];
      pipe.consumer_release();
    }
  }
  return sum;
}

}  // namespace rings
