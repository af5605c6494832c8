// Rings of tiles in shared memory, with the names of libcu++: a part of the source texts of the libraries' pipelines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

namespace rings {

template <class Value>
__device__ unsigned first_word(const Value& value) {
  return *reinterpret_cast<const unsigned*>(&value);
}

template <unsigned Stages, class Value, class Size>
__device__ unsigned thread_ring(Value (*stages)[256], const Value* from, unsigned count, Size size) {
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
    sum += first_word(stages[number % Stages][threadIdx.x]);
    pipe.consumer_release();
  }
  return sum;
}

// How a group fills a tile with values.
template <class Value>
struct together {
  template <class Pipe, class Group, class Size>
  static __device__ void copy(Pipe& pipe, const Group& group, Value* to, const Value* from, Size size) {
    cuda::memcpy_async(group, to, from, size, pipe);
  }
};
template <class Value, class SizeOfValue>
struct each_apart {
  template <class Pipe, class Group, class Size>
  static __device__ void copy(Pipe& pipe, const Group& group, Value* to, const Value* from, Size size) {
    for (unsigned each = group.thread_rank(); each < size / sizeof(Value); each += group.size())
      cuda::memcpy_async(to + each, from + each, SizeOfValue(sizeof(Value)), pipe);
  }
};
template <class Value>
using each_by_its_thread = each_apart<Value, decltype(sizeof(Value))>;
template <class Value>
using each_aligned_by_its_thread = each_apart<Value, cuda::aligned_size_t<sizeof(Value)>>;

template <template <class> class How, class Value, unsigned Stages, class Pipe, class Group, class Size>
__device__ void fetch(Pipe& pipe, const Group& group, bytes_t* tiles, const bytes_t* from, unsigned number, Size size) {
  pipe.producer_acquire();
  How<Value>::copy(pipe, group, reinterpret_cast<Value*>(tiles + number % Stages * static_cast<unsigned>(size)),
                   reinterpret_cast<const Value*>(from + number * static_cast<unsigned>(size)), size);
  pipe.producer_commit();
}

template <unsigned Stages, template <class> class How = together, class Value = int4, class State, class Size>
__device__ unsigned unified(State* state, bytes_t* tiles, const bytes_t* from, unsigned count, Size size) {
  auto pipe = cuda::make_pipeline(block_group{}, state);
  unsigned sum = 0;
  unsigned fetched = 0;
  for (unsigned number = 0; number < count; ++number) {
    for (; fetched < count && fetched < number + Stages; ++fetched)
      fetch<How, Value, Stages>(pipe, block_group{}, tiles, from, fetched, size);
    pipe.consumer_wait();
    sum += tiles[number % Stages * static_cast<unsigned>(size) + threadIdx.x];
    pipe.consumer_release();
  }
  return sum;
}

// The first warp copies.
template <unsigned Stages, template <class> class How = together, class Value = int4, class State, class Size>
__device__ unsigned partitioned(State* state, bytes_t* tiles, const bytes_t* from, unsigned count, Size size) {
  const bool is_producer = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(block_group{}, state,
                                  is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  unsigned sum = 0;
  for (unsigned number = 0; number < count; ++number) {
    if (is_producer) {
      fetch<How, Value, Stages>(pipe, warp_group{}, tiles, from, number, size);
    } else {
      pipe.consumer_wait();
      sum += tiles[number % Stages * static_cast<unsigned>(size) + threadIdx.x];
      pipe.consumer_release();
    }
  }
  return sum;
}

}  // namespace rings
