// Atomics of system scope between the host and the device, in memory of the host that is mapped.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/atomic_litmus.h"
#include "../support/duck_time.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>

#include <thread>

using namespace litmus;

using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;

template <class Value>
using system_ref = cuda::atomic_ref<Value, cuda::thread_scope_system>;

// Loads and stores of such memory are atomic on both sides even where read-modify-writes are not.
template <class Value>
class mapped {
 public:
  mapped() {
    gpu_test::expect_success(cudaHostAlloc(&object_, sizeof(Value), cudaHostAllocMapped), "cudaHostAlloc");
    memset(static_cast<void*>(object_), 0, sizeof(Value));
  }
  mapped(const mapped&) = delete;
  mapped& operator=(const mapped&) = delete;
  ~mapped() { cudaFreeHost(object_); }
  Value* get() const { return object_; }

 private:
  Value* object_ = nullptr;
};

// Waits for a second at most: the other side may have failed.
template <class Receive>
bool await_on_host(int round, const Receive& receive) {
  const double deadline = gpu_test::seconds() + 1;
  while (receive() < round) {
    if (gpu_test::seconds() < deadline) continue;
    CHECK(!"the device does not answer");
    return false;
  }
  return true;
}

// Message passing, in turn to the device and to the host. Forbidden: the flag is new and the data is old.
struct by_operations {
  static __host__ __device__ void send(int& flag, int number) {
    system_ref<int>(flag).store(number, memory_order_release);
  }
  static __host__ __device__ int receive(int& flag) { return system_ref<int>(flag).load(memory_order_acquire); }
};
struct by_sequential_consistency {
  static __host__ __device__ void send(int& flag, int number) { system_ref<int>(flag).store(number); }
  static __host__ __device__ int receive(int& flag) { return system_ref<int>(flag).load(); }
};
struct by_fences {
  static __host__ __device__ void send(int& flag, int number) {
    cuda::atomic_thread_fence(memory_order_release);
    system_ref<int>(flag).store(number, memory_order_relaxed);
  }
  static __host__ __device__ int receive(int& flag) {
    const int number = system_ref<int>(flag).load(memory_order_relaxed);
    cuda::atomic_thread_fence(memory_order_acquire);
    return number;
  }
};
struct by_bytes_of_flag {
  static __host__ __device__ unsigned char& byte(int& flag) { return reinterpret_cast<unsigned char&>(flag); }
  static __host__ __device__ void send(int& flag, int number) {
    system_ref<unsigned char>(byte(flag)).store(static_cast<unsigned char>(number), memory_order_release);
  }
  static __host__ __device__ int receive(int& flag) {
    return system_ref<unsigned char>(byte(flag)).load(memory_order_acquire);
  }
};

template <class How>
__global__ void answer_host(places* shared, int* wrong, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    if (!await_round(round, [&] { return How::receive(shared->second.number); })) return;
    if (shared->first.number != round) ++*wrong;
    shared->first.number = -round;
    How::send(shared->answer.number, round);
  }
}
template <class How>
void pass_messages(int rounds) {
  const mapped<places> shared;
  const mapped<int> wrong;
  places& place = *shared.get();
  gpu_test::start(answer_host<How>, {1, 1}, shared.get(), wrong.get(), rounds);
  for (int round = 1; round <= rounds; ++round) {
    place.first.number = round;
    How::send(place.second.number, round);
    if (!await_on_host(round, [&] { return How::receive(place.answer.number); })) break;
    CHECK(place.first.number == -round);
  }
  gpu_test::finish();
  CHECK(*wrong.get() == 0);
}
TEST(messages_by_operations) {
  SKIP_IF(gpu_test::attribute(cudaDevAttrCanMapHostMemory) == 0, "no mapped memory");
  pass_messages<by_operations>(5000);
}
TEST(messages_by_sequential_consistency) {
  SKIP_IF(gpu_test::attribute(cudaDevAttrCanMapHostMemory) == 0, "no mapped memory");
  pass_messages<by_sequential_consistency>(5000);
}
TEST(messages_by_fences) {
  SKIP_IF(gpu_test::attribute(cudaDevAttrCanMapHostMemory) == 0, "no mapped memory");
  pass_messages<by_fences>(5000);
}
TEST(messages_by_bytes) {
  SKIP_IF(gpu_test::attribute(cudaDevAttrCanMapHostMemory) == 0, "no mapped memory");
  pass_messages<by_bytes_of_flag>(255);
}

// wait and notify: the host sleeps, and the device polls.
__global__ void wait_for_host(cuda::atomic<int>* flag, cuda::atomic<int>* answer, int* data, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    if (!flag->wait_for([=](int now) { return now >= round; }, seconds{5})) return DEVICE_CHECK(false);
    DEVICE_CHECK(*data == round);
    *data = -round;
    answer->store(round, memory_order_release);
    answer->notify_all();
  }
}
TEST(host_and_device_wait_for_each_other) {
  SKIP_IF(gpu_test::attribute(cudaDevAttrCanMapHostMemory) == 0, "no mapped memory");
  const mapped<cuda::atomic<int>> flag, answer;
  const mapped<int> data;
  constexpr int rounds = 200;
  gpu_test::start(wait_for_host, {1, 1}, flag.get(), answer.get(), data.get(), rounds);
  for (int round = 1; round <= rounds; ++round) {
    *data.get() = round;
    flag.get()->store(round, memory_order_release);
    flag.get()->notify_all();
    const bool came = answer.get()->wait_for([=](int now) { return now >= round; }, seconds{5});
    CHECK(came);
    if (!came) break;
    CHECK(*data.get() == -round);
  }
  gpu_test::finish();
}

// Read-modify-writes of both sides on the same objects.
struct counters {
  int sum;
  unsigned long exchanged;
  unsigned toggled;
  short small;
};
__host__ __device__ inline void count(counters& all, int index) {
  system_ref<int>(all.sum).fetch_add(index, memory_order_relaxed);
  system_ref<unsigned>(all.toggled).fetch_xor(static_cast<unsigned>(index) * 0x9e3779b9u, memory_order_acq_rel);
  system_ref<short>(all.small).store_add(1, memory_order_relaxed);
  unsigned long expected = 0;
  while (
      !system_ref<unsigned long>(all.exchanged).compare_exchange_weak(expected, expected + 3, memory_order_relaxed)) {
  }
}
__global__ void count_on_device(counters* all, int each) {
  for (int index = 0; index < each; ++index)
    count(*all, static_cast<int>(threadIdx.x) * each + index);
}
TEST(read_modify_writes_of_both) {
  SKIP_IF(gpu_test::attribute(cudaDevAttrHostNativeAtomicSupported) == 0, "no atomics between host and device");
  const mapped<counters> all;
  constexpr int device_threads = 64, each = 500;
  gpu_test::start(count_on_device, {1, device_threads}, all.get(), each);
  std::thread host([&] {
    for (int index = 0; index < each; ++index)
      count(*all.get(), device_threads * each + index);
  });
  host.join();
  gpu_test::finish();
  counters wanted = {};
  for (int index = 0; index < (device_threads + 1) * each; ++index) {
    wanted.sum += index;
    wanted.exchanged += 3;
    wanted.toggled ^= static_cast<unsigned>(index) * 0x9e3779b9u;
    wanted.small = static_cast<short>(wanted.small + 1);
  }
  CHECK(all.get()->sum == wanted.sum);
  CHECK(all.get()->exchanged == wanted.exchanged);
  CHECK(all.get()->toggled == wanted.toggled);
  CHECK(all.get()->small == wanted.small);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
