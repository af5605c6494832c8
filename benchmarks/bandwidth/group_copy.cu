// Measures copies of 64 bytes to 64 KiB by the threads of a block: the latency of one, and the time if all blocks copy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "group_copy.h"

#include "hand.h"

namespace bench {
namespace {

constexpr int repetitions = 5;
constexpr u32 turns[] = {0, 2, 4, 6};  // the measured turns, of copy_turns
constexpr u32 range_in_l2 = 8u << 20;
constexpr u32 range_in_memory = 1u << 30;
constexpr std::size_t other_bytes = std::size_t{160} << 20;  // more than L2 holds

// Thread 0 copies, and all threads arrive. IsMerged: thread 0 expects the bytes with its arrival.
template <bool IsMerged>
struct in_bulk {
  u64 bar;

  __device__ __forceinline__ void start() {
    if (threadIdx.x == 0) {
      ptx::init(ptx::shared(&bar), blockDim.x);
      ptx::fence_init();
    }
  }
  __device__ __forceinline__ void copy(char* destination, const char* source, u32 bytes, u32 parity) {
    const u32 address = ptx::shared(&bar);
    if (threadIdx.x == 0) {
      if constexpr (IsMerged)
        ptx::arrive_and_expect(address, bytes);
      else
        ptx::expect(address, bytes);
      ptx::copy_in_bulk(ptx::shared(destination), source, bytes, address);
    }
    if (!IsMerged || threadIdx.x != 0) ptx::arrive(address);
    ptx::wait(address, parity);
  }
};

// Each thread copies its vectors. IsWaiting: the thread waits for its copies before it arrives.
template <bool IsWaiting>
struct by_vectors : in_bulk<false> {
  __device__ __forceinline__ void copy(char* destination, const char* source, u32 bytes, u32 parity) {
    const u32 address = ptx::shared(&bar);
    const u32 to = ptx::shared(destination);
    for (u32 at = threadIdx.x * 16; at < bytes; at += blockDim.x * 16)
      ptx::copy<16>(to + at, source + at);
    if constexpr (IsWaiting) {
      ptx::wait_all();
      ptx::arrive(address);
    } else {
      ptx::arrive_after_copies(address);
    }
    ptx::wait(address, parity);
  }
};

const bool is_enrolled = [] {
  enroll_group_copy<in_bulk<false>>("bulk copy: expect_tx, arrive", hand);
  enroll_group_copy<in_bulk<true>>("bulk copy: arrive.expect_tx", hand);
  enroll_group_copy<by_vectors<false>>("cp.async, arrive.noinc", hand);
  enroll_group_copy<by_vectors<true>>("cp.async, wait_all, arrive", hand);
  return true;
}();

__global__ void fill(u32* words, u32 count) {
  for (u32 index = blockIdx.x * blockDim.x + threadIdx.x; index < count; index += gridDim.x * blockDim.x)
    words[index] = index * 2654435761u >> 8;
}

struct shape {
  const char* operation;
  bool is_in_memory;
  const char* title;
  const char* unit;
};
constexpr shape shapes[] = {
    {copy_latency_name, false, "latency of a copy from L2", "cycles"},
    {copy_latency_name, true, "latency of a copy from memory", "cycles"},
    {copy_throughput_name, false, "time of copies everywhere, from L2", "us"},
};

struct outcome {
  double time;
  u64 sum;
};

class experiment {
 public:
  experiment() : source_(range_in_memory), other_(other_bytes), cycles_(1024), total_(1) {
    fill<<<4096, 256>>>(reinterpret_cast<u32*>(source_.data()), range_in_memory / sizeof(u32));
    check(cudaDeviceSynchronize(), "fill");
  }

  outcome run(const contestant& who, const shape& how, int threads, u32 bytes) const {
    return how.operation == copy_latency_name ? run_latency(who, how, threads, bytes)
                                              : run_throughput(who, threads, bytes);
  }

 private:
  outcome run_latency(const contestant& who, const shape& how, int threads, u32 bytes) const {
    const int blocks = gpu::current().multiprocessors;
    const u32 copies = std::clamp((1u << 20) / bytes, 16u, 64u);
    outcome all{0, 0};
    for (u32 turn : turns) {
      copy_source source{source_.data(), how.is_in_memory ? range_in_memory : range_in_l2, 0, 0};
      source.step = how.is_in_memory ? std::max(bytes, 4096u) : std::max(bytes, 512u);
      source.block_step = how.is_in_memory ? range_in_memory / 256 : 1u << 15;
      u32 size = bytes;
      u32 count = copies;
      long long* out = cycles_.data();
      u64* total = total_.data();
      void* arguments[] = {&source, &size, &count, &turn, &out, &total};
      check(cudaMemset(total, 0, sizeof(u64)), who.name);
      const std::string what = who.operation + ", " + who.name;
      const int shared_bytes = bytes_that_limit_blocks_to(1);
      if (how.is_in_memory)
        check(cudaMemset(other_.data(), 0, other_bytes), "cudaMemset");
      else
        launch(who.kernel, blocks, threads, arguments, shared_bytes, false, what);  // brings the source to L2
      check(cudaMemset(total, 0, sizeof(u64)), who.name);
      launch(who.kernel, blocks, threads, arguments, shared_bytes, false, what);
      all.sum += total_.copy()[0];
      const std::vector<long long> cycles = cycles_.copy();
      double sum = 0;
      int active = 0;
      for (u32 block = turn; block < static_cast<u32>(blocks); block += copy_turns, ++active)
        sum += static_cast<double>(cycles[block]);
      all.time += sum / active / copies;
    }
    all.time /= static_cast<double>(std::size(turns));
    return all;
  }

  outcome run_throughput(const contestant& who, int threads, u32 bytes) const {
    const int limit = std::min({8, 2048 / threads, static_cast<int>(ring_shared_bytes / (2 * bytes))});
    const int blocks = limit * gpu::current().multiprocessors;
    copy_source source{source_.data(), range_in_l2, std::max(bytes, 512u), 1u << 15};
    u32 size = bytes;
    u32 count = std::clamp((4u << 20) / bytes, 64u, 512u);
    u32 turn = 0;
    long long* out = nullptr;
    u64* total = total_.data();
    void* arguments[] = {&source, &size, &count, &turn, &out, &total};
    check(cudaMemset(total, 0, sizeof(u64)), who.name);
    const int shared_bytes = std::max(static_cast<int>(2 * bytes), bytes_that_limit_blocks_to(limit));
    const std::string what = who.operation + ", " + who.name;
    const double time = microseconds(who.kernel, blocks, threads, arguments, what, shared_bytes);
    return {time, total_.copy()[0]};
  }

  device_array<char> source_;
  device_array<char> other_;
  device_array<long long> cycles_;
  device_array<u64> total_;
};

}  // namespace

void run_group_copy(report& results) {
  const experiment all;
  std::vector<u32> sizes;
  std::vector<std::string> names;
  for (u32 size = 64; size <= 64u << 10; size *= 2) {
    sizes.push_back(size);
    names.push_back(size < 1024 ? std::to_string(size) + " B" : std::to_string(size >> 10) + " KiB");
  }
  for (const shape& how : shapes)
    for (const int threads : {32, 128, 256, 512}) {
      const std::vector<contestant> who = enrolled("group_copy", how.operation);
      std::vector<u64> expected;
      for (const u32 size : sizes)
        expected.push_back(all.run(first_by_hand(who), how, threads, size).sum);
      const auto sample = [&](const contestant& each, std::size_t index) {
        const outcome found = all.run(each, how, threads, sizes[index]);
        return checked(found.time, found.sum, expected[index], each);
      };
      std::vector<row> rows = measure(who, sizes.size(), repetitions, sample);
      const std::string operation = std::string(how.title) + ", " + std::to_string(threads) + " threads";
      for (row& each : rows)
        each.who.operation = operation;
      results.add(rows, names, "shared by the threads of a block: " + operation, how.unit);
    }
}

}  // namespace bench
