// Litmus tests that count how often a forbidden outcome occurs, and how often it occurs with relaxed operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../fuzz/settings.h"
#include "../support/atomic_history.h"
#include "../support/gpu_test.h"
#include "../support/peers.h"
#include "shapes.h"

#include <cuda/atomic>

#include <memory>
#include <type_traits>
#include <vector>

using namespace litmus;

namespace {

constexpr unsigned threads = 128;

enum class place : unsigned { warp, block, cluster, blocks, gpus };
constexpr const char* name_of[] = {"one warp", "one block", "a cluster", "different blocks", "two GPUs"};

// How a launch plays: all of it changes from launch to launch, since what makes a GPU show its weak behavior differs.
struct playing {
  place where;
  unsigned row;                  // players of a group: of three in a warp or a block, one more, who is idle
  unsigned teams;                // if the players of a group are in different blocks: groups of blocks
  unsigned ranks[most_members];  // ... and the ranks that this GPU plays, one block of each team for each
  unsigned playing_blocks;       // of this GPU; the blocks after these cause traffic
  unsigned rounds, groups;       // groups that play in each round
  unsigned distance;             // in blocks, of the players of one group
  unsigned stride;               // words from one group's variable to another group's
  unsigned plane;                // words of one variable in one round
  unsigned rotation[variables];  // so that the variables of a group lie apart, in all directions
  unsigned delay;                // most pauses before a round
  unsigned patience;             // most polls for those who play the same group; 0: nobody meets
  unsigned traffic;              // 0: none, 1: loads, 2: stores, 3: both
  unsigned traffic_mask;         // of the words that cause it
  unsigned seed;
  int* memory[2];        // planes of the rounds, and in them of the variables; of each GPU
  unsigned homes;        // a bit for each plane, over again: the GPU in whose memory it is
  unsigned char* reads;  // of each round and group, most_members
  int* traffic_words;
  unsigned* meetings;  // of each round and of 32 groups
  unsigned* finished;  // playing blocks of this GPU

  __device__ int* variable(unsigned round, unsigned group, unsigned number) const {
    const unsigned index = round * variables + number;
    int* const home = (homes >> index % 32 & 1) == 0 ? memory[0] : memory[1];
    return home + index * plane + (group + rotation[number]) % groups * stride;
  }
};

__device__ unsigned mixed(unsigned bits) {
  bits = (bits ^ (bits >> 16)) * 0x7feb352d;
  bits = (bits ^ (bits >> 15)) * 0x846ca68b;
  return bits ^ (bits >> 16);
}

using counter = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__device__ void cause_traffic(const playing& how) {
  unsigned at = mixed(how.seed + blockIdx.x * threads + threadIdx.x);
  int sum = 0;
  for (unsigned count = 0; count < 256 * how.rounds; ++count) {
    if (count % 16 == 0 && counter(*how.finished).load(memory_order_relaxed) == how.playing_blocks) break;
    at = mixed(at);
    volatile int& word = how.traffic_words[at & how.traffic_mask];
    if ((how.traffic & 1) != 0) sum += word;
    if ((how.traffic & 2) != 0) word = static_cast<int>(at);
  }
  if (sum == 1) how.traffic_words[0] = sum;  // the loads are used
}

// The warps that play the same groups begin together, as nearly as they can. Orders nothing, and ends.
template <cuda::thread_scope Scope>
__device__ void meet(const playing& how, unsigned meeting) {
  if (threadIdx.x % 32 == 0) {
    const cuda::atomic_ref<unsigned, Scope> count(how.meetings[meeting]);
    if (count.fetch_add(1, memory_order_relaxed) + 1 < how.row)
      for (unsigned polls = 0; polls < how.patience && count.load(memory_order_relaxed) < how.row; ++polls) {
      }
  }
  __syncwarp();
}

// Which groups a thread plays: those of 32 lanes, or of a part of them in one warp.
struct seat {
  unsigned rank, first_group, lanes;
};
__device__ seat seat_of(const playing& how) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = threads / 32,
                 all = blockIdx.x * warps + warp;
  if (how.where == place::warp) return {lane / (32 / how.row), all * (32 / how.row), 32 / how.row};
  if (how.where == place::block) return {warp % how.row, all / how.row * 32, 32};
  if (how.where == place::cluster) return {blockIdx.x % how.row, (blockIdx.x / how.row * warps + warp) * 32, 32};
  const unsigned rank = how.ranks[blockIdx.x / how.teams];
  return {rank, ((blockIdx.x + rank * how.distance) % how.teams * warps + warp) * 32, 32};
}

template <class Shape, class Places>
__device__ void play_groups(const playing& how) {
  const seat own = seat_of(how);
  for (unsigned round = 0; round < how.rounds; ++round) {
    const unsigned role = (own.rank + round) % how.row;
    const unsigned random = mixed(how.seed + (round * most_members + role) * 1024);
    const unsigned meeting = (round * how.groups + own.first_group) / 32;
    if (how.where == place::gpus)
      meet<cuda::thread_scope_system>(how, meeting);
    else if (how.where != place::warp && how.patience != 0)
      meet<cuda::thread_scope_device>(how, meeting);
    if (role >= Shape::members) continue;
    const unsigned group = own.first_group + (threadIdx.x ^ random) % own.lanes;  // of another lane, for each role
    const Places at{how.variable(round, group, 0), how.variable(round, group, 1), how.variable(round, group, 2)};
    const unsigned sleeper = how.where == place::warp ? threadIdx.x : threadIdx.x / 32;
    for (unsigned pause = mixed(random + blockIdx.x * threads + sleeper) % (how.delay + 1); pause > 0; --pause)
      __nanosleep(0);
    unsigned char read[most_members];
    for (unsigned char& each : read)
      each = 0xff;
    Shape::play(role, at, read);
    for (unsigned index = 0; index < most_members; ++index)
      if (read[index] != 0xff) how.reads[(round * how.groups + group) * most_members + index] = read[index];
  }
  __syncthreads();
  if (threadIdx.x == 0) counter(*how.finished).fetch_add(1, memory_order_relaxed);
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

struct outcomes {
  unsigned long long forbidden, overlapped;
};

template <class Shape>
__global__ void count_outcomes(playing how, outcomes* sums) {
  unsigned forbidden = 0, overlapped = 0;
  const unsigned all = gridDim.x * threads;
  for (unsigned index = blockIdx.x * threads + threadIdx.x; index < how.rounds * how.groups; index += all) {
    const unsigned round = index / how.groups, group = index % how.groups;
    const int last[] = {*how.variable(round, group, 0), *how.variable(round, group, 1), *how.variable(round, group, 2)};
    forbidden += Shape::is_forbidden(how.reads + index * most_members, last) ? 1 : 0;
    overlapped += Shape::overlaps(how.reads + index * most_members, last) ? 1 : 0;
  }
  if (forbidden != 0) atomicAdd(&sums->forbidden, static_cast<unsigned long long>(forbidden));
  if (overlapped != 0) atomicAdd(&sums->overlapped, static_cast<unsigned long long>(overlapped));
}

struct result : outcomes {
  unsigned long long runs = 0;
};

// What the host knows of a shape, with one scope.
using play_kernel = void(playing);
struct row {
  const char* name;
  unsigned members;
  void (*count)(playing, outcomes*);
  play_kernel *strong, *relaxed;
  place where;
  const char* scope;
};

// What each GPU has in its own memory.
struct own_memory {
  own_memory(size_t words, size_t words_of_traffic) : variables(words), traffic(words_of_traffic), finished(1) {}

  gpu_test::device_array<int> variables, traffic;
  gpu_test::device_array<unsigned> finished;
};

void clear(void* memory, size_t bytes) {
  gpu_test::expect_success(cudaMemsetAsync(memory, 0, bytes), "cudaMemsetAsync");
}

// Memory for the largest launch.
class table {
 public:
  table(unsigned blocks, unsigned rounds, int gpus)
      : blocks_(blocks), rounds_(rounds), most_groups_(blocks * threads / 2),
        reads_(size_t{rounds} * most_groups_ * most_members), meetings_(rounds * most_groups_ / 32), sums_(1) {
    for (int gpu = gpus - 1; gpu >= 0; --gpu) {
      use_gpu(gpu);
      own_[gpu].reset(new own_memory(size_t{rounds} * variables * plane(most_stride), size_t{1} << most_traffic()));
    }
  }

  // Until there are so many runs, or no time is left.
  result count(const row& of, play_kernel* play, unsigned long long least_runs, double deadline,
               random_numbers& random) {
    result sum;
    for (unsigned launches = 1; sum.runs < least_runs && (sum.runs == 0 || fuzz::now() < deadline); ++launches) {
      const playing how = random_playing(of, random);
      clear(meetings_.get(), size_t{rounds_} * how.groups / 32 * sizeof(unsigned));
      const unsigned blocks_with_traffic =
          how.traffic == 0 ? 0 : static_cast<unsigned>(random.next() % blocks_ + 1) / how.row * how.row;
      if (of.where == place::gpus) {
        start_on_two_gpus(play, how, blocks_with_traffic, random);
      } else {
        clear_memory_of(0, how);
        start_on(0, play, how, blocks_with_traffic);
      }
      gpu_test::start(of.count, {blocks_, threads}, how, sums_.get());
      sum.runs += size_t{rounds_} * how.groups;
      if (launches % 4 == 0) gpu_test::finish();
    }
    gpu_test::finish();
    static_cast<outcomes&>(sum) = sums_.values()[0];
    gpu_test::expect_success(cudaMemset(sums_.get(), 0, sizeof(outcomes)), "cudaMemset");
    return sum;
  }

 private:
  static constexpr unsigned most_stride = 32;

  void clear_memory_of(int gpu, const playing& how) {
    clear(own_[gpu]->variables.get(), size_t{rounds_} * variables * how.plane * sizeof(int));
    clear(own_[gpu]->finished.get(), sizeof(unsigned));
  }
  void start_on(int gpu, play_kernel* play, playing how, unsigned blocks_with_traffic) {
    how.finished = own_[gpu]->finished.get();
    gpu_test::shape shape{how.playing_blocks + blocks_with_traffic, threads};
    if (how.where == place::cluster) shape.cluster = how.row;
    gpu_test::start(play, shape, how);
  }
  // Each GPU plays one half of the ranks, or one and two of three. All memory is clear before one of them begins. The second
  // GPU begins first: where the kernel must be loaded, nobody waits for it.
  void start_on_two_gpus(play_kernel* play, playing how, unsigned blocks_with_traffic, random_numbers& random) {
    constexpr unsigned halves_of_four[] = {0b0011, 0b0101, 0b0110};
    const unsigned ranks_of_second = how.row == 4 ? halves_of_four[random.next() % 3] : 1;
    for (const int gpu : {0, 1}) {  // the first may still count the outcomes in the memory of both
      use_gpu(gpu);
      clear_memory_of(gpu, how);
      gpu_test::finish();
    }
    for (const int gpu : {1, 0}) {
      use_gpu(gpu);
      unsigned ranks = 0;
      for (unsigned rank = 0; rank < how.row; ++rank)
        if ((ranks_of_second >> rank & 1) == static_cast<unsigned>(gpu)) how.ranks[ranks++] = rank;
      how.playing_blocks = ranks * how.teams;
      how.traffic_words = own_[random.next() % 2]->traffic.get();
      start_on(gpu, play, how, blocks_with_traffic);
    }
    use_gpu(1);
    gpu_test::finish();
    use_gpu(0);
  }

  playing random_playing(const row& of, random_numbers& random) {
    const auto one_of = [&](auto... each) {
      const unsigned values[] = {static_cast<unsigned>(each)...};
      return values[random.next() % sizeof...(each)];
    };
    playing how = {};
    how.where = of.where;
    how.row = of.where <= place::block && of.members == 3 ? 4 : of.members;
    how.rounds = rounds_;
    how.teams = blocks_ / of.members;
    for (unsigned rank = 0; rank < most_members; ++rank)
      how.ranks[rank] = rank;
    how.playing_blocks = how.teams * of.members;
    how.groups = how.playing_blocks * threads / how.row;
    how.distance = static_cast<unsigned>(random.next() % blocks_);
    how.stride = one_of(1, 4, 8, most_stride);
    how.plane = plane(how.stride);
    for (unsigned& each : how.rotation)
      each = static_cast<unsigned>(random.next() % how.groups);
    how.delay = one_of(0, 0, 4, 32);
    how.patience = one_of(of.where == place::gpus ? 1000 : 0, 1000, 1000, 1000);  // GPUs do not begin at the same time
    how.traffic = one_of(0, 1, 2, 3);
    how.traffic_mask = (1u << one_of(6, 14, most_traffic())) - 1;
    how.seed = static_cast<unsigned>(random.next());
    for (int gpu = 0; gpu < 2; ++gpu)
      how.memory[gpu] = own_[gpu] ? own_[gpu]->variables.get() : nullptr;
    how.homes = how.where == place::gpus ? static_cast<unsigned>(random.next()) : 0;
    how.reads = reads_.get();
    how.traffic_words = own_[0]->traffic.get();
    how.meetings = meetings_.get();
    return how;
  }

  // Planes are at a distance that is no power of two.
  unsigned plane(unsigned stride) const { return most_groups_ * stride + 96; }
  unsigned most_traffic() const { return blocks_ > 32 ? 22 : 14; }  // the binary logarithm, of words

  unsigned blocks_, rounds_, most_groups_;
  std::unique_ptr<own_memory> own_[2];
  gpu_test::device_array<unsigned char> reads_;
  gpu_test::device_array<unsigned> meetings_;
  gpu_test::device_array<outcomes> sums_;
};

bool has_clusters() {
  return gpu_test::attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
}

template <class Shape, cuda::thread_scope Scope>
row row_of(place where, const char* scope) {
  play_kernel* relaxed = nullptr;
  if constexpr (!std::is_same<Shape, coherence>::value) relaxed = play<Shape, Scope, false>;
  return {Shape::name, Shape::members, count_outcomes<Shape>, play<Shape, Scope, true>, relaxed, where, scope};
}
template <class Shape>
std::vector<row> rows_of([[maybe_unused]] int gpus) {
  std::vector<row> result;
  for (const place where : {place::warp, place::block, place::cluster, place::blocks}) {
    if (where == place::cluster && !has_clusters()) continue;
#if !defined LITMUS_WITH_ONE_SCOPE  // to save compile time
    if (where <= place::block) result.push_back(row_of<Shape, cuda::thread_scope_block>(where, "block"));
    if (where <= place::cluster && has_clusters())
      result.push_back(row_of<Shape, cuda::thread_scope_cluster>(where, "cluster"));
    result.push_back(row_of<Shape, cuda::thread_scope_system>(where, "system"));
#endif
    result.push_back(row_of<Shape, cuda::thread_scope_device>(where, "device"));
  }
#if !defined LITMUS_WITH_ONE_SCOPE
  if (fuzz::settings("CUDASYNC_LITMUS_GPUS", 0) != 0) result.clear();
  if (gpus == 2) result.push_back(row_of<Shape, cuda::thread_scope_system>(place::gpus, "system"));
#endif
  return result;
}

// The time of the whole program, in equal parts for what is still to be counted.
class time_left {
 public:
  explicit time_left(unsigned counts)
      : counts_(counts), end_(fuzz::now() + fuzz::settings("CUDASYNC_LITMUS_SECONDS", 1000000)) {}

  double next_deadline() {
    const double now = fuzz::now();
    return now + (end_ - now) / (counts_ > 1 ? counts_-- : 1);
  }

 private:
  unsigned counts_;
  double end_;
};

constexpr unsigned shapes = 11;
time_left& time_of_all(unsigned counts) {
  static time_left time(counts);
  return time;
}

void write(FILE* file, const row& of, const result& strong, const result& relaxed) {
  cudaDeviceProp properties;
  gpu_test::expect_success(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  fprintf(file,
          "{\"gpu\": \"%s\", \"shape\": \"%s\", \"place\": \"%s\", \"scope\": \"%s\", \"runs\": %llu, "
          "\"overlapped\": %llu, \"forbidden\": %llu, \"relaxed_runs\": %llu, \"relaxed_overlapped\": %llu, "
          "\"relaxed\": %llu}\n",
          properties.name, of.name, name_of[static_cast<unsigned>(of.where)], of.scope, strong.runs, strong.overlapped,
          strong.forbidden, relaxed.runs, relaxed.overlapped, relaxed.forbidden);
}

// CUDASYNC_LITMUS_RUNS: of each row, at least; CUDASYNC_LITMUS_SECONDS: until the program ends, even with fewer runs;
// CUDASYNC_LITMUS_JSON: a file to which the rows are added, a JSON object a line; CUDASYNC_LITMUS_GPUS=1: only threads on
// two GPUs.
template <class Shape>
void add_rows() {
  const int gpus = connected_gpus(2);
  const std::vector<row> rows = rows_of<Shape>(gpus);
  time_left& time = time_of_all(static_cast<unsigned>(rows.size() * (2 * shapes - 1)));  // one has no twin
  random_numbers random(fuzz::settings("CUDASYNC_LITMUS_SEED", 1));
  const auto processors = static_cast<unsigned>(gpu_test::attribute(cudaDevAttrMultiProcessorCount));
  table with(fuzz::settings("CUDASYNC_LITMUS_BLOCKS", 4 * processors), fuzz::settings("CUDASYNC_LITMUS_ROUNDS", 16),
             gpus);
  const unsigned runs = fuzz::settings("CUDASYNC_LITMUS_RUNS", 500000);
  printf("%-5s %-16s %-8s %12s %12s %10s %14s %12s %12s\n", "shape", "threads in", "scope", "runs", "overlapped",
         "forbidden", "relaxed runs", "overlapped", "seen");
  for (const row& each : rows) {
    const result strong = with.count(each, each.strong, runs, time.next_deadline(), random);
    const bool has_twin = each.relaxed != nullptr;
    const result relaxed = has_twin ? with.count(each, each.relaxed, runs, time.next_deadline(), random) : result();
    printf("%-5s %-16s %-8s %12llu %12llu %10llu %14llu %12llu %12llu\n", each.name,
           name_of[static_cast<unsigned>(each.where)], each.scope, strong.runs, strong.overlapped, strong.forbidden,
           relaxed.runs, relaxed.overlapped, relaxed.forbidden);
    fflush(stdout);
    CHECK(strong.forbidden == 0);
    // Threads that do not overlap show nothing. Lanes of a warp may take turns, and three threads overlap rarely.
    const bool must_overlap = each.where >= place::blocks && ((has_twin && each.members == 2) || strong.runs > 1000000);
    CHECK(!must_overlap || strong.overlapped + relaxed.overlapped != 0);
    if (const char* const path = getenv("CUDASYNC_LITMUS_JSON")) {
      FILE* const file = fopen(path, "a");
      CHECK(file != nullptr);
      if (file == nullptr) return;
      write(file, each, strong, relaxed);
      fclose(file);
    }
  }
  if (gpus < 2) printf("%-5s %-16s not run: no two GPUs that have access to each other\n", Shape::name, "two GPUs");
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
