// Uses the four forms of make_pipeline on host threads: each adds two vectors, tile by tile, with two buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm is that of 09_pipeline_forms.cu. On the host, the first thread of the group makes the whole copy before
// memcpy_async returns. Only the partitioned forms overlap copies and additions.
//
// 09_pipeline_forms.host [elements] prints:
// expect: one thread:           0 of 4194304 sums are wrong
// expect: unified:              0 of 4194304 sums are wrong
// expect: partitioned by count: 0 of 4194304 sums are wrong
// expect: partitioned by role:  0 of 4194304 sums are wrong
// PASS
#include <cuda/pipeline>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

constexpr unsigned threads = 4;
constexpr size_t tile_size = 4096;

using shared_state = cuda::pipeline_shared_state<cuda::thread_scope_system, 2>;

struct vectors {
  std::vector<float> x, y, sum;
};

struct buffer {
  float x[tile_size], y[tile_size];
};

// A group of some of the threads, for memcpy_async and make_pipeline.
struct team {
  unsigned rank, count;
  cuda::barrier<cuda::thread_scope_system>* all_here;
  unsigned thread_rank() const { return rank; }
  unsigned size() const { return count; }
  void sync() const { all_here->arrive_and_wait(); }
};

template <class Pipeline>
void produce(const team& group, buffer& place, const vectors& all, size_t first, Pipeline& pipe) {
  const size_t bytes = std::min(tile_size, all.sum.size() - first) * sizeof(float);
  pipe.producer_acquire();
  cuda::memcpy_async(group, place.x, &all.x[first], bytes, pipe);
  cuda::memcpy_async(group, place.y, &all.y[first], bytes, pipe);
  pipe.producer_commit();
}

template <class Pipeline>
void consume(const team& group, const buffer& place, vectors& all, size_t first, Pipeline& pipe) {
  const size_t count = std::min(tile_size, all.sum.size() - first);
  pipe.consumer_wait();
  for (size_t cell = group.rank; cell < count; cell += group.count)
    all.sum[first + cell] = place.x[cell] + place.y[cell];
  pipe.consumer_release();
}

// Copies the next tile while the threads add the current tile.
template <class Pipeline>
void produce_and_consume(const team& group, buffer (&places)[2], vectors& all, size_t first, size_t stride,
                         Pipeline& pipe) {
  if (first < all.sum.size()) produce(group, places[0], all, first, pipe);
  for (size_t round = 0; first < all.sum.size(); first += stride, ++round) {
    if (first + stride < all.sum.size()) produce(group, places[(round + 1) % 2], all, first + stride, pipe);
    consume(group, places[round % 2], all, first, pipe);
  }
}

template <class Pipeline>
void produce_or_consume(bool is_producer, const team& group, buffer (&places)[2], vectors& all, Pipeline& pipe) {
  size_t round = 0;
  for (size_t first = 0; first < all.sum.size(); first += tile_size, ++round)
    if (is_producer)
      produce(group, places[round % 2], all, first, pipe);
    else
      consume(group, places[round % 2], all, first, pipe);
}

void one_thread(const team& everybody, shared_state&, buffer (&)[2], vectors& all) {
  static buffer places[threads][2];
  auto pipe = cuda::make_pipeline();
  produce_and_consume(team{0, 1, nullptr}, places[everybody.rank], all, everybody.rank * tile_size, threads * tile_size,
                      pipe);
}

void unified(const team& everybody, shared_state& state, buffer (&places)[2], vectors& all) {
  auto pipe = cuda::make_pipeline(everybody, &state);
  produce_and_consume(everybody, places, all, 0, tile_size, pipe);
}

void partitioned_by_count(const team& everybody, shared_state& state, buffer (&places)[2], vectors& all) {
  auto pipe = cuda::make_pipeline(everybody, &state, 1);
  const bool is_producer = everybody.rank == 0;
  const team group = is_producer ? team{0, 1, nullptr} : team{everybody.rank - 1, threads - 1, nullptr};
  produce_or_consume(is_producer, group, places, all, pipe);
}

void partitioned_by_role(const team& everybody, shared_state& state, buffer (&places)[2], vectors& all) {
  const bool is_producer = everybody.rank == threads - 1;
  const auto role = is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(everybody, &state, role);
  const team group = is_producer ? team{0, 1, nullptr} : team{everybody.rank, threads - 1, nullptr};
  produce_or_consume(is_producer, group, places, all, pipe);
}

// Runs one form in all threads and returns the number of wrong sums.
template <class Form>
size_t run(const char* name, Form form, vectors& all) {
  static buffer places[2];
  static shared_state state;
  cuda::barrier<cuda::thread_scope_system> all_here(threads);
  std::fill(all.sum.begin(), all.sum.end(), -1.0f);
  std::vector<std::thread> members;
  for (unsigned rank = 0; rank < threads; ++rank)
    members.emplace_back([&, rank] { form(team{rank, threads, &all_here}, state, places, all); });
  for (std::thread& member : members)
    member.join();
  size_t wrong = 0;
  for (size_t index = 0; index < all.sum.size(); ++index)
    wrong += all.sum[index] != static_cast<float>(index % 1009 + index % 1013);
  std::printf("%-21s %zu of %zu sums are wrong\n", name, wrong, all.sum.size());
  return wrong;
}

int main(int argc, char** argv) {
  size_t size = 1 << 22;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  vectors all{std::vector<float>(size), std::vector<float>(size), std::vector<float>(size)};
  for (size_t index = 0; index < size; ++index) {
    all.x[index] = static_cast<float>(index % 1009);
    all.y[index] = static_cast<float>(index % 1013);
  }
  const size_t wrong = run("one thread:", one_thread, all) + run("unified:", unified, all) +
                       run("partitioned by count:", partitioned_by_count, all) +
                       run("partitioned by role:", partitioned_by_role, all);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
