// Every order that each operation takes, as a constant and as a value of run time: the results are the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"

#include <cuda/atomic>

using cuda::memory_order;

template <class Atomic, class Order>
__device__ void change_with(const Atomic& atom, Order order) {
  using value = typename Atomic::value_type;
  const value one = static_cast<value>(1);
  DEVICE_CHECK(atom.exchange(static_cast<value>(10), order) == value(3));
  DEVICE_CHECK(atom.fetch_add(one, order) == value(10));
  DEVICE_CHECK(atom.fetch_sub(static_cast<value>(2), order) == value(11));
  DEVICE_CHECK(atom.fetch_max(static_cast<value>(5), order) == value(9));
  DEVICE_CHECK(atom.fetch_min(static_cast<value>(7), order) == value(9));
  DEVICE_CHECK(atom.fetch_xor(static_cast<value>(9), order) == value(7));
  DEVICE_CHECK(atom.fetch_or(one, order) == value(14));
  DEVICE_CHECK(atom.fetch_and(static_cast<value>(6), order) == value(15));
  value expected = 5;
  DEVICE_CHECK(!atom.compare_exchange_strong(expected, one, order) && expected == value(6));
  DEVICE_CHECK(atom.compare_exchange_weak(expected, static_cast<value>(3), order) && expected == value(6));
}
template <class Atomic, class Order>
__device__ void store_with(const Atomic& atom, Order order) {
  using value = typename Atomic::value_type;
  atom.store(static_cast<value>(8), order);
  atom.store_add(static_cast<value>(3), order);
  atom.store_sub(static_cast<value>(2), order);
  atom.store_max(static_cast<value>(4), order);
  atom.store_min(static_cast<value>(7), order);
  atom.store_xor(static_cast<value>(9), order);
  atom.store_or(static_cast<value>(1), order);
  atom.store_and(static_cast<value>(3), order);
  DEVICE_CHECK(atom.load(cuda::memory_order_relaxed) == value(3));
}
template <class Atomic, class Order>
__device__ void load_with(const Atomic& atom, Order order) {
  using value = typename Atomic::value_type;
  DEVICE_CHECK(atom.load(order) == value(3));
  atom.wait(static_cast<value>(4), order);
  DEVICE_CHECK(atom.wait([](value now) { return now == value(3); }, order) == value(3));
}
template <class Atomic, class Success, class Failure>
__device__ void compare_with(const Atomic& atom, Success success, Failure failure) {
  using value = typename Atomic::value_type;
  value expected = 4;
  DEVICE_CHECK(!atom.compare_exchange_weak(expected, static_cast<value>(9), success, failure) && expected == value(3));
  DEVICE_CHECK(atom.compare_exchange_strong(expected, static_cast<value>(9), success, failure) && expected == value(3));
  expected = 9;
  DEVICE_CHECK(atom.compare_exchange_weak(expected, static_cast<value>(3), success, failure));
}

template <class Atomic, class Success>
__device__ void with_each_failure(const Atomic& atom, Success success) {
  compare_with(atom, success, cuda::memory_order_relaxed);
  compare_with(atom, success, cuda::memory_order_acquire);
  compare_with(atom, success, cuda::memory_order_seq_cst);
}

template <class Atomic>
__device__ void with_constants(const Atomic& atom) {
  change_with(atom, cuda::memory_order_relaxed);
  change_with(atom, cuda::memory_order_consume);
  change_with(atom, cuda::memory_order_acquire);
  change_with(atom, cuda::memory_order_release);
  change_with(atom, cuda::memory_order_acq_rel);
  change_with(atom, cuda::memory_order_seq_cst);
  store_with(atom, cuda::memory_order_relaxed);
  store_with(atom, cuda::memory_order_release);
  store_with(atom, cuda::memory_order_seq_cst);
  load_with(atom, cuda::memory_order_relaxed);
  load_with(atom, cuda::memory_order_consume);
  load_with(atom, cuda::memory_order_acquire);
  load_with(atom, cuda::memory_order_seq_cst);
  with_each_failure(atom, cuda::memory_order_relaxed);
  with_each_failure(atom, cuda::memory_order_acquire);
  with_each_failure(atom, cuda::memory_order_release);
  with_each_failure(atom, cuda::memory_order_acq_rel);
  with_each_failure(atom, cuda::memory_order_seq_cst);
}

// The orders come from memory, so that the compiler cannot fold the choice.
template <class Atomic>
__device__ void with_values(const Atomic& atom, const memory_order* orders) {
  for (int index = 0; index < 6; ++index) {
    const memory_order order = orders[index];
    change_with(atom, order);
    const bool loads = order != memory_order::release && order != memory_order::acq_rel;
    const bool stores =
        order == memory_order::relaxed || order == memory_order::release || order == memory_order::seq_cst;
    if (stores) store_with(atom, order);
    if (!loads) continue;
    load_with(atom, order);
    for (int success = 0; success < 6; ++success)
      compare_with(atom, orders[success], order);
  }
}

// 3 is the value between the operations.
template <class Value, cuda::thread_scope Scope>
__global__ void try_orders(Value* objects, const memory_order* orders) {
  using reference = cuda::atomic_ref<Value, Scope>;
  __shared__ Value shared_objects[32];
  objects[threadIdx.x] = static_cast<Value>(3);
  shared_objects[threadIdx.x] = static_cast<Value>(3);
  with_constants(reference(objects[threadIdx.x]));
  with_values(reference(shared_objects[threadIdx.x]), orders);
}
template <class Value, cuda::thread_scope Scope>
void run_orders() {
  const gpu_test::device_array<Value> objects(32);
  const gpu_test::device_array<memory_order> orders({memory_order::relaxed, memory_order::consume,
                                                     memory_order::acquire, memory_order::release,
                                                     memory_order::acq_rel, memory_order::seq_cst});
  gpu_test::run(try_orders<Value, Scope>, {1, 32}, objects.get(), orders.get());
}

TEST(orders_of_8_bits) {
  run_orders<unsigned char, cuda::thread_scope_block>();
}
TEST(orders_of_32_bits) {
  run_orders<int, cuda::thread_scope_device>();
}
TEST(orders_of_64_bits) {
  run_orders<unsigned long, cuda::thread_scope_system>();
}

template <cuda::thread_scope Scope>
__device__ void fence_in_every_order(const memory_order* orders) {
  cuda::atomic_thread_fence(cuda::memory_order_relaxed, Scope);
  cuda::atomic_thread_fence(cuda::memory_order_consume, Scope);
  cuda::atomic_thread_fence(cuda::memory_order_acquire, Scope);
  cuda::atomic_thread_fence(cuda::memory_order_release, Scope);
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, Scope);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, Scope);
  for (int index = 0; index < 6; ++index) {
    cuda::atomic_thread_fence(orders[index], Scope);
    cuda::atomic_signal_fence(orders[index]);
  }
}
__global__ void fence(const memory_order* orders) {
  fence_in_every_order<cuda::thread_scope_thread>(orders);
  fence_in_every_order<cuda::thread_scope_block>(orders);
  fence_in_every_order<cuda::thread_scope_cluster>(orders);
  fence_in_every_order<cuda::thread_scope_device>(orders);
  fence_in_every_order<cuda::thread_scope_system>(orders);
}
TEST(fences) {
  const gpu_test::device_array<memory_order> orders({memory_order::relaxed, memory_order::consume,
                                                     memory_order::acquire, memory_order::release,
                                                     memory_order::acq_rel, memory_order::seq_cst});
  gpu_test::run(fence, {2, 32}, orders.get());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
