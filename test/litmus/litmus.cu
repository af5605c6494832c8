// Litmus tests that count: how often the outcome that a shape forbids occurs, and how often with relaxed operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../fuzz/settings.h"
#include "../support/atomic_history.h"
#include "../support/gpu_test.h"
#include "../support/peers.h"
#include "shapes.h"

#include <cuda/atomic>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

using namespace litmus;

namespace {

constexpr unsigned threads = 128;

enum class place : unsigned { warp, block, cluster, blocks, gpus };
constexpr const char* name_of[] = {"one warp", "one block", "a cluster", "different blocks", "two GPUs"};

// How a launch plays: all of it changes from launch to launch, since what makes a GPU show its weak behavior differs.
struct playing {
  place where;
  unsigned playing_blocks;  // the blocks after these cause traffic
  unsigned rounds, groups;  // groups that play in each round
  unsigned stride;          // words from one group's variable to the next group's
  unsigned plane;           // words of one variable in one round
  unsigned delay;           // most pauses before a round
  unsigned traffic;         // 0: none, 1: loads, 2: stores, 3: both
  unsigned seed;
  unsigned gpu;            // of two, if the place is gpus
  int* planes[variables];  // of the rounds, and in them of the variables: the memory in which each variable is
  unsigned char* reads;    // of each round and group, most_members
  int* traffic_words;
  unsigned* meetings;  // of each round
};
constexpr unsigned traffic_size = 1 << 16;

__device__ unsigned mixed(unsigned bits) {
  bits = (bits ^ (bits >> 16)) * 0x7feb352d;
  bits = (bits ^ (bits >> 15)) * 0x846ca68b;
  return bits ^ (bits >> 16);
}

__device__ void cause_traffic(const playing& how) {
  unsigned at = mixed(how.seed + blockIdx.x * threads + threadIdx.x);
  int sum = 0;
  for (unsigned count = 0; count < 64 * how.rounds; ++count) {
    at = mixed(at);
    volatile int& word = how.traffic_words[at % traffic_size];
    if ((how.traffic & 1) != 0) sum += word;
    if ((how.traffic & 2) != 0) word = static_cast<int>(at);
  }
  if (sum == 1) how.traffic_words[0] = sum;  // the loads are used
}

// Waits a while for the other threads that play the round, so that its operations meet. Orders nothing, and ends.
template <cuda::thread_scope Scope>
__device__ void meet_at(unsigned& meetings, unsigned blocks) {
  const cuda::atomic_ref<unsigned, Scope> count(meetings);
  if (threadIdx.x == 0) {
    count.fetch_add(1, cuda::memory_order_relaxed);
    for (unsigned polls = 0; polls < 100 && count.load(cuda::memory_order_relaxed) < blocks; ++polls) {
    }
  }
  __syncthreads();
}
__device__ void meet(const playing& how, unsigned round) {
  if (how.where == place::gpus)
    meet_at<cuda::thread_scope_system>(how.meetings[round], 2 * how.playing_blocks);
  else
    meet_at<cuda::thread_scope_device>(how.meetings[round], how.playing_blocks);
}

template <class Shape, class Places>
__device__ void play_groups(const playing& how) {
  const unsigned own = threadIdx.x, lane = own % 32, warp = own / 32;
  constexpr unsigned members = Shape::members;
  unsigned role, group, lanes = 32;
  if (how.where == place::warp) {
    lanes = 32 / (members == 3 ? 4 : members);
    role = lane / lanes;
    group = (blockIdx.x * (threads / 32) + warp) * lanes + lane % lanes;
  } else if (how.where == place::block) {
    role = warp % (members == 3 ? 4 : members);
    group = (blockIdx.x * (threads / 32) + warp) / (members == 3 ? 4 : members) * 32 + lane;
  } else {  // the blocks of a cluster, or neighbours, which are on different GPUs if there are two
    const unsigned block = how.where == place::gpus ? 2 * blockIdx.x + how.gpu : blockIdx.x;
    role = block % members;
    group = block / members * threads + own;
  }
  const bool is_idle = role >= members || group >= how.groups;
  for (unsigned round = 0; round < how.rounds; ++round) {
    const unsigned random = mixed(how.seed + round * members + role);
    meet(how, round);
    if (is_idle) continue;
    const unsigned current = group ^ (random % lanes);  // another group of the same warps, for each role
    const unsigned first = round * variables * how.plane + current * how.stride;
    const Places at{how.planes[0] + first, how.planes[1] + first + how.plane, how.planes[2] + first + 2 * how.plane};
    for (unsigned pause = mixed(random + own) % (how.delay + 1); pause > 0; --pause)
      __nanosleep(0);
    unsigned char read[most_members];
    for (unsigned char& each : read)
      each = 0xff;
    Shape::play(role, at, read);
    for (unsigned index = 0; index < most_members; ++index)
      if (read[index] != 0xff) how.reads[(round * how.groups + current) * most_members + index] = read[index];
  }
}

template <class Shape, class Places, class Here = cudasync::target::here>
__device__ void play_if_possible(const playing& how) {
  if constexpr (Places::scope != cuda::thread_scope_cluster || !cudasync::target::lacks<Here, cudasync::target::sm90>)
    play_groups<Shape, Places>(how);
}
template <class Shape, cuda::thread_scope Scope, bool IsStrong>
__global__ void __launch_bounds__(threads) play(playing how) {
  if (blockIdx.x < how.playing_blocks)
    play_if_possible<Shape, places<Scope, IsStrong>>(how);
  else
    cause_traffic(how);
}

template <class Shape>
__global__ void count_outcomes(playing how, unsigned long long* forbidden) {
  unsigned found = 0;
  const unsigned all = gridDim.x * threads;
  for (unsigned index = blockIdx.x * threads + threadIdx.x; index < how.rounds * how.groups; index += all) {
    const unsigned round = index / how.groups, group = index % how.groups;
    const unsigned first = round * variables * how.plane + group * how.stride;
    int last[variables];
    for (unsigned each = 0; each < variables; ++each)
      last[each] = how.planes[each][first + each * how.plane];
    found += Shape::is_forbidden(how.reads + index * most_members, last) ? 1 : 0;
  }
  if (found != 0) atomicAdd(forbidden, static_cast<unsigned long long>(found));
}

struct result {
  unsigned long long runs = 0, forbidden = 0;
};

// What the host knows of a shape.
using play_kernel = void(playing);
struct shape_kernels {
  const char* name;
  unsigned members;
  void (*count)(playing, unsigned long long*);
};
template <class Shape>
constexpr shape_kernels kernels_of{Shape::name, Shape::members, count_outcomes<Shape>};

// Memory for the largest launch.
class table {
 public:
  table(unsigned blocks, unsigned rounds)
      : blocks_(blocks), rounds_(rounds), most_groups_(blocks * threads / 2),
        variables_(size_t{rounds} * variables * plane(32)), reads_(size_t{rounds} * most_groups_ * most_members),
        traffic_(traffic_size), meetings_(rounds), forbidden_(1) {
    if (connected_gpus(2) < 2) return;
    use_gpu(1);
    variables_of_second_.reset(new gpu_test::device_array<int>(size_t{rounds} * variables * plane(32)));
    use_gpu(0);
  }

  result count(const shape_kernels& of, play_kernel* play, place where, unsigned long long least_runs,
               random_numbers& random) {
    const unsigned members = of.members, row = members == 3 ? 4 : members;
    result sum;
    while (sum.runs < least_runs) {
      const unsigned strides[] = {1, 2, 8, 32};
      playing how = {};
      how.where = where;
      how.rounds = rounds_;
      how.playing_blocks = blocks_ / members * members;
      how.groups = where == place::warp || where == place::block ? how.playing_blocks * threads / row
                   : where == place::gpus                        ? 2 * how.playing_blocks / members * threads
                                                                 : how.playing_blocks / members * threads;
      how.stride = strides[random.next() % 4];
      how.plane = plane(how.stride);
      how.delay = random.next() % 2 == 0 ? 0 : 16;
      how.traffic = static_cast<unsigned>(random.next() % 4);
      how.seed = static_cast<unsigned>(random.next());
      for (int*& each : how.planes)
        each = where == place::gpus && random.next() % 2 != 0 ? variables_of_second_->get() : variables_.get();
      how.reads = reads_.get();
      how.traffic_words = traffic_.get();
      how.meetings = meetings_.get();
      clear(variables_.get(), how.plane);
      gpu_test::expect_success(cudaMemsetAsync(how.meetings, 0, rounds_ * sizeof(unsigned)), "cudaMemsetAsync");
      gpu_test::shape shape{how.playing_blocks + (how.traffic != 0 ? blocks_ / 8 * members : 0), threads};
      if (where == place::cluster) shape.cluster = members;
      if (where == place::gpus) {
        use_gpu(1);
        clear(variables_of_second_->get(), how.plane);
        gpu_test::finish();
        use_gpu(0);
        gpu_test::finish();
        use_gpu(1);
        how.gpu = 1;
        gpu_test::start(play, shape, how);
        use_gpu(0);
        how.gpu = 0;
      }
      gpu_test::start(play, shape, how);
      if (where == place::gpus) {
        use_gpu(1);
        gpu_test::finish();
        use_gpu(0);
      }
      gpu_test::start(of.count, {blocks_, threads}, how, forbidden_.get());
      sum.runs += size_t{rounds_} * how.groups;
    }
    gpu_test::finish();
    sum.forbidden = forbidden_.values()[0];
    gpu_test::expect_success(cudaMemset(forbidden_.get(), 0, sizeof(unsigned long long)), "cudaMemset");
    return sum;
  }

 private:
  void clear(int* memory, unsigned plane) const {
    gpu_test::expect_success(cudaMemsetAsync(memory, 0, size_t{rounds_} * variables * plane * sizeof(int)),
                             "cudaMemsetAsync");
  }
  // Variables of one group are in different lines, at a distance that is no power of two.
  unsigned plane(unsigned stride) const { return most_groups_ * stride + 96; }

  unsigned blocks_, rounds_, most_groups_;
  gpu_test::device_array<int> variables_;
  std::unique_ptr<gpu_test::device_array<int>> variables_of_second_;  // of two GPUs
  gpu_test::device_array<unsigned char> reads_;
  gpu_test::device_array<int> traffic_;
  gpu_test::device_array<unsigned> meetings_;
  gpu_test::device_array<unsigned long long> forbidden_;
};

// CUDASYNC_LITMUS_RUNS: of each row; CUDASYNC_LITMUS_JSON: a file to which the rows are added, a JSON object a line.
void add_row(table& with, const shape_kernels& of, play_kernel* play_strong, play_kernel* play_relaxed, place where,
             const char* scope, random_numbers& random) {
  const unsigned runs = fuzz::settings("CUDASYNC_LITMUS_RUNS", 100000);
  const result strong = with.count(of, play_strong, where, runs, random);
  const result relaxed = play_relaxed != nullptr ? with.count(of, play_relaxed, where, runs, random) : result();
  printf("%-5s %-17s %-7s %11llu runs: forbidden %llu; relaxed %s\n", of.name, name_of[static_cast<unsigned>(where)],
         scope, strong.runs, strong.forbidden,
         play_relaxed != nullptr ? std::to_string(relaxed.forbidden).c_str() : "has no twin");
  fflush(stdout);
  CHECK(strong.forbidden == 0);
  if (const char* const path = getenv("CUDASYNC_LITMUS_JSON")) {
    cudaDeviceProp properties;
    gpu_test::expect_success(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    FILE* const file = fopen(path, "a");
    CHECK(file != nullptr);
    if (file == nullptr) return;
    fprintf(file,
            "{\"gpu\": \"%s\", \"shape\": \"%s\", \"place\": \"%s\", \"scope\": \"%s\", \"runs\": %llu, "
            "\"forbidden\": %llu, \"relaxed_runs\": %llu, \"relaxed\": %llu}\n",
            properties.name, of.name, name_of[static_cast<unsigned>(where)], scope, strong.runs, strong.forbidden,
            relaxed.runs, relaxed.forbidden);
    fclose(file);
  }
}

// CUDASYNC_LITMUS_RUNS: of each row; CUDASYNC_LITMUS_JSON: a file to which the rows are added, a JSON object a line.
template <class Shape, cuda::thread_scope Scope>
void add_row(table& with, place where, const char* scope, random_numbers& random) {
  play_kernel* relaxed = nullptr;
  if constexpr (!std::is_same<Shape, coherence>::value) relaxed = play<Shape, Scope, false>;
  add_row(with, kernels_of<Shape>, play<Shape, Scope, true>, relaxed, where, scope, random);
}

bool has_clusters() {
  return gpu_test::attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
}
table make_table() {
  const auto processors = static_cast<unsigned>(gpu_test::attribute(cudaDevAttrMultiProcessorCount));
  return {fuzz::settings("CUDASYNC_LITMUS_BLOCKS", 4 * processors), fuzz::settings("CUDASYNC_LITMUS_ROUNDS", 8)};
}

template <class Shape>
void add_rows() {
  table with = make_table();
  random_numbers random(fuzz::settings("CUDASYNC_LITMUS_SEED", 1));
  for (const place where : {place::warp, place::block, place::cluster, place::blocks}) {
    if (where == place::cluster && !has_clusters()) continue;
#if !defined LITMUS_WITH_ONE_SCOPE  // to save compile time
    if (where <= place::block) add_row<Shape, cuda::thread_scope_block>(with, where, "block", random);
    if (where <= place::cluster && has_clusters())
      add_row<Shape, cuda::thread_scope_cluster>(with, where, "cluster", random);
    add_row<Shape, cuda::thread_scope_system>(with, where, "system", random);
#endif
    add_row<Shape, cuda::thread_scope_device>(with, where, "device", random);
  }
#if !defined LITMUS_WITH_ONE_SCOPE
  if (connected_gpus(2) == 2) add_row<Shape, cuda::thread_scope_system>(with, place::gpus, "system", random);
#endif
}

// Lanes of a warp may take turns, so that their operations never meet: only blocks must show it.
TEST(counting_finds_an_outcome_that_is_allowed) {
  table with = make_table();
  random_numbers random(1);
  for (const place where : {place::warp, place::block, place::cluster, place::blocks}) {
    if (where == place::cluster && !has_clusters()) continue;
    const result seen =
        with.count(kernels_of<data_before_message>, play<data_before_message, cuda::thread_scope_device, true>, where,
                   std::max(4000u, fuzz::settings("CUDASYNC_LITMUS_RUNS", 100000)), random);
    printf("%s, %s: %llu of %llu runs\n", data_before_message::name, name_of[static_cast<unsigned>(where)],
           seen.forbidden, seen.runs);
    CHECK(where != place::blocks || seen.forbidden != 0);
  }
}

TEST(message_passing_counted) {
  add_rows<message_passing>();
}
TEST(store_buffering_counted) {
  add_rows<store_buffering>();
}
TEST(load_buffering_counted) {
  add_rows<load_buffering>();
}
TEST(two_writes_each_counted) {
  add_rows<two_writes_each>();
}
TEST(write_after_message_counted) {
  add_rows<write_after_message>();
}
TEST(read_after_write_counted) {
  add_rows<read_after_write>();
}
TEST(write_to_read_causality_counted) {
  add_rows<write_to_read_causality>();
}
TEST(read_to_write_causality_counted) {
  add_rows<read_to_write_causality>();
}
TEST(message_over_a_third_counted) {
  add_rows<message_over_a_third>();
}
TEST(independent_reads_counted) {
  add_rows<independent_reads>();
}
TEST(coherence_counted) {
  add_rows<coherence>();
}

}  // namespace

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
