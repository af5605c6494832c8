// Runs whole programs on GPU 0: programs [--json FILE] [--repetitions N] [SUITE...], all suites by default.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hash_table.h"
#include "matrix_product.h"
#include "reduction.h"
#include "stencil.h"

namespace bench { namespace {

constexpr int repetitions = 11;

// Small integers, whose sums are exact as floats.
__global__ void fill(float* values, u32 count) {
  for (u32 index = blockIdx.x * blockDim.x + threadIdx.x; index < count; index += gridDim.x * blockDim.x)
    values[index] = static_cast<float>(mixed(index) % 5) - 2;
}

__global__ void fill_numbers(u32* values, u32 count) {
  for (u32 index = blockIdx.x * blockDim.x + threadIdx.x; index < count; index += gridDim.x * blockDim.x)
    values[index] = mixed(index);
}

__global__ void sum_bits(const float* values, u32 count, u64* sum) {
  u64 own = 0;
  for (u32 index = blockIdx.x * blockDim.x + threadIdx.x; index < count; index += gridDim.x * blockDim.x)
    own += u64{__float_as_uint(values[index])} * mixed(index);
  atomicAdd(sum, own);
}

u64 sum_of_bits(const device_array<float>& values, u32 count) {
  const device_array<u64> sum(1);
  sum_bits<<<1024, 256>>>(values.data(), count, sum.data());
  check(cudaDeviceSynchronize(), "sum of bits");
  return sum.copy()[0];
}

struct outcome {
  double time;
  u64 sum;
};

// Measures a program. run(contestant) returns the time and a sum of the results.
template <class Run>
void add_program(report& results, const char* name, const Run& run) {
  const std::vector<contestant> all = enrolled("programs", name);
  const u64 expected = run(first_by_hand(all)).sum;
  const auto sample = [&](const contestant& who, std::size_t) {
    const outcome found = run(who);
    return checked(found.time, found.sum, expected, who);
  };
  results.add(measure(all, 1, repetitions, sample), {"time"}, name, "us");
}

void run_matrix_product(report& results) {
  constexpr u32 count = static_cast<u32>(product_size) * product_size;
  const device_array<float> left(count);
  const device_array<float> right(count);
  const device_array<float> product(count);
  fill<<<1024, 256>>>(left.data(), count);
  fill<<<1024, 256>>>(right.data(), count);
  check(cudaDeviceSynchronize(), "fill");
  add_program(results, product_name, [&](const contestant& who) {
    check(cudaMemset(product.data(), 0, count * sizeof(float)), who.name);
    const float* a = left.data();
    const float* b = right.data();
    float* c = product.data();
    void* arguments[] = {&a, &b, &c};
    constexpr unsigned tiles = product_size / product_tile;
    const double time = microseconds(who.kernel, dim3(tiles, tiles), product_threads, arguments, who.name);
    return outcome{time, sum_of_bits(product, count)};
  });
}

void run_stencil(report& results) {
  constexpr u32 count = static_cast<u32>(stencil_size) * stencil_size;
  const device_array<float> start(count);
  const device_array<float> from(count);
  const device_array<float> to(count);
  const device_array<char> barrier(256);
  fill<<<1024, 256>>>(start.data(), count);
  check(cudaDeviceSynchronize(), "fill");
  const int blocks = gpu::current().multiprocessors;
  add_program(results, stencil_name, [&](const contestant& who) {
    for (const device_array<float>* each : {&from, &to})
      check(cudaMemcpy(each->data(), start.data(), count * sizeof(float), cudaMemcpyDeviceToDevice), who.name);
    check(cudaMemset(barrier.data(), 0, 256), who.name);
    void* way = barrier.data();
    unsigned number = static_cast<unsigned>(blocks);
    void* prepare_arguments[] = {&way, &number};
    launch(who.prepare, 1, 1, prepare_arguments, 0, false, "init of " + who.name);
    float* a = from.data();
    float* b = to.data();
    void* arguments[] = {&way, &a, &b};
    const double time = microseconds(who.kernel, dim3(number), stencil_threads, arguments, who.name, 0, true);
    return outcome{time, sum_of_bits(from, count)};
  });
}

void run_hash_table(report& results) {
  const device_array<table_slot> table(table_slots);
  const device_array<u64> sum(1);
  add_program(results, table_name, [&](const contestant& who) {
    check(cudaMemset(table.data(), 0, table_slots * sizeof(table_slot)), who.name);
    check(cudaMemset(sum.data(), 0, sizeof(u64)), who.name);
    table_slot* slots = table.data();
    u64* out = sum.data();
    void* arguments[] = {&slots, &out};
    const double time = microseconds(who.kernel, 1024, 256, arguments, who.name);
    launch(who.verify, 1024, 256, arguments, 0, false, who.name);
    return outcome{time, sum.copy()[0]};
  });
}

void run_reduction(report& results) {
  const device_array<uint4> numbers(reduction_vectors);
  const device_array<reduction_state> state(1);
  const device_array<u64> sum(1);
  fill_numbers<<<1024, 256>>>(reinterpret_cast<u32*>(numbers.data()), 4 * reduction_vectors);
  check(cudaDeviceSynchronize(), "fill");
  add_program(results, reduction_name, [&](const contestant& who) {
    check(cudaMemset(sum.data(), 0, sizeof(u64)), who.name);
    const uint4* in = numbers.data();
    reduction_state* blocks = state.data();
    u64* out = sum.data();
    void* arguments[] = {&in, &blocks, &out};
    const double time =
        microseconds(who.kernel, 8 * gpu::current().multiprocessors, reduction_threads, arguments, who.name);
    return outcome{time, sum.copy()[0]};
  });
}

}}  // namespace bench

int main(int count, char** arguments) {
  return bench::run_suites(count, arguments,
                           {{"matrix_product", bench::run_matrix_product},
                            {"stencil", bench::run_stencil},
                            {"hash_table", bench::run_hash_table},
                            {"reduction", bench::run_reduction}});
}
