// All-reduces of 8 KiB to 4 MiB of floats over several GPUs: with barriers, with mailboxes, and with flags written by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "world.h"

namespace bench {
namespace {

constexpr unsigned threads = 512;
constexpr unsigned repetitions_in_kernel = 50;

__device__ float4 operator+(float4 left, float4 right) {
  return {left.x + right.x, left.y + right.y, left.z + right.z, left.w + right.w};
}
__device__ const float4* vectors(const float* values) {
  return reinterpret_cast<const float4*>(values);
}

// The sum of what all ranks have at this index, beginning with the own rank, so that the ranks do not read from the same
// GPU at the same time. The order of the additions is that of the ranks all the same: integers are exact.
__device__ float4 sum_at(const world& all, unsigned index) {
  float4 sum = vectors(all.own().input)[index];
  for (unsigned step = 1; step < all.ranks; ++step)
    sum = sum + vectors(all.memory[(all.rank() + step) % all.ranks]->input)[index];
  return sum;
}

template <class Barrier>
__device__ void reduce_at_once(const world& all, Barrier& bar, unsigned size) {
  bar.meet();
  for (unsigned index = all.block() * blockDim.x + threadIdx.x; index < size / 4;
       index += all.blocks_of_rank() * blockDim.x)
    reinterpret_cast<float4*>(all.own().result)[index] = sum_at(all, index);
  bar.meet();
}

// Each rank sums its slice, and then all ranks collect the slices. A block reads what the blocks with its index wrote.
template <class Barrier>
__device__ void reduce_in_two_steps(const world& all, Barrier& bar, unsigned size) {
  const unsigned slice = size / 4 / all.ranks;
  const unsigned first = all.block() * blockDim.x + threadIdx.x, stride = all.blocks_of_rank() * blockDim.x;
  bar.meet();
  for (unsigned index = first; index < slice; index += stride)
    reinterpret_cast<float4*>(all.own().slice)[index] = sum_at(all, all.rank() * slice + index);
  bar.meet();
  for (unsigned index = first; index < slice; index += stride)
    for (unsigned step = 0; step < all.ranks; ++step) {
      const unsigned rank = (all.rank() + step) % all.ranks;
      reinterpret_cast<float4*>(all.own().result)[rank * slice + index] = vectors(all.memory[rank]->slice)[index];
    }
}

struct ours {
  cudasync::peer_block_barrier<most_ranks> bar;
  __device__ explicit ours(const world& all) : bar(all.blocks, all.rank(), all.ranks, all.block()) {}
  __device__ void meet() { bar.arrive_and_wait(); }
};

template <class Barrier, bool IsAtOnce>
__global__ void __launch_bounds__(threads) reduce(const __grid_constant__ world all, unsigned size, unsigned) {
  Barrier bar(all);
  for (unsigned repetition = 0; repetition < repetitions_in_kernel; ++repetition)
    if constexpr (IsAtOnce)
      reduce_at_once(all, bar, size);
    else
      reduce_in_two_steps(all, bar, size);
}

// first: the number of the first message.
__global__ void __launch_bounds__(threads)
    reduce_by_mail(const __grid_constant__ world all, unsigned size, unsigned first) {
  for (unsigned message = first; message < first + repetitions_in_kernel; ++message) {
    const unsigned stride = all.blocks_of_rank() * blockDim.x;
    for (unsigned index = all.block() * blockDim.x + threadIdx.x; index < size; index += stride) {
      const float own = all.own().input[index];
      for (unsigned step = 1; step < all.ranks; ++step)
        all.memory[(all.rank() + step) % all.ranks]->boxes[all.rank()].put(message, index, own);
    }
    for (unsigned index = all.block() * blockDim.x + threadIdx.x; index < size; index += stride) {
      float sum = all.own().input[index];
      for (unsigned step = 1; step < all.ranks; ++step)
        sum += all.own().boxes[(all.rank() + step) % all.ranks].take(message, index);
      all.own().result[index] = sum;
    }
  }
}

__global__ void fill(const __grid_constant__ world all, unsigned size, unsigned) {
  for (unsigned index = all.block() * blockDim.x + threadIdx.x; index < size;
       index += all.blocks_of_rank() * blockDim.x) {
    all.own().input[index] = static_cast<float>(all.rank() + 1 + index % 7);
    all.own().result[index] = 0;
  }
}

const char* const sum = "all-reduce";

template <class Kernel>
void enroll(const char* name, const char* kind, Kernel kernel) {
  contestants().push_back({"all_reduce", sum, name, kind, "native", reinterpret_cast<const void*>(kernel), nullptr});
}
const bool is_enrolled = [] {
  enroll("peer_block_barrier, at once", "ours", reduce<ours, true>);
  enroll("peer_block_barrier, in two steps", "ours", reduce<ours, false>);
  enroll("peer_mailbox, at once", "ours", reduce_by_mail);
  enroll("flags, at once", hand, reduce<flags_by_hand, true>);
  enroll("flags, in two steps", hand, reduce<flags_by_hand, false>);
  return true;
}();

}  // namespace

void run_all_reduce(report& results) {
  const std::vector<unsigned> sizes{2u << 10, 16u << 10, 64u << 10, 128u << 10, 1u << 20};  // floats
  for (const unsigned count : ranks::counts()) {
    std::vector<std::string> names;
    for (const char* each : {"8 KiB", "64 KiB", "256 KiB", "512 KiB", "4 MiB"})
      names.push_back(std::to_string(count) + " x " + each);
    const auto sample = [&](const contestant& who, std::size_t index) {
      const unsigned size = sizes[index];
      const unsigned fit = ranks::blocks_that_fit(count);
      const unsigned needed = (size / 4 + threads - 1) / threads;
      const unsigned blocks = needed < fit ? needed : fit;
      const ranks all(count);
      all.start(reinterpret_cast<const void*>(fill), blocks, threads, size, 0);
      all.finish();
      all.start(who.kernel, blocks, threads, size, 1);
      all.finish();
      const auto start = std::chrono::steady_clock::now();
      all.start(who.kernel, blocks, threads, size, 1 + repetitions_in_kernel);
      all.finish();
      const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
      std::vector<float> found(size), expected(size);
      for (unsigned at = 0; at < size; ++at)
        expected[at] = static_cast<float>(count * (count + 1) / 2 + count * (at % 7));
      double value = time.count() / repetitions_in_kernel;
      for (unsigned rank = 0; rank < count; ++rank) {
        check(cudaMemcpy(found.data(), all.memory(rank)->result, size * sizeof(float), cudaMemcpyDeviceToHost),
              "cudaMemcpy");
        value = checked(value, found, expected, who);
      }
      return value;
    };
    results.add(measure(enrolled("all_reduce", sum), sizes.size(), 5, sample), names,
                std::to_string(count) + " " + ranks::place() + ": all-reduce of floats, ranks x bytes", "us");
  }
}

}  // namespace bench
