// A grid that runs: its blocks, warps and threads, its barriers, the copies on their way.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_GRID_H
#define CUDASYNC_MACHINE_GRID_H

#include "changes.h"
#include "first_cache.h"
#include "machine.h"
#include "numbers.h"
#include "opcodes.h"
#include "order.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace model {

struct tensor_map;
struct texture;

// A region that kernels may access.
struct allowed_region {
  uint64_t start = 0, end = 0;
};
bool is_allowed(uint64_t address, uint64_t bytes, allowed_region& in);

constexpr uint64_t shared_window = uint64_t{1} << 60;  // generic addresses of shared memory: behind it the 32-bit ones
constexpr uint64_t local_window = uint64_t{1} << 61;
constexpr uint64_t parameter_window = uint64_t{1} << 59;
// 32-bit addresses of shared memory have the rank of the block in the cluster above these bits, as on GPUs: programs clear the
// lowest bit of it to name the first block of a pair.
constexpr uint32_t rank_shift = 24;
constexpr uint64_t address_in(uint32_t rank, uint64_t address) {
  return uint64_t{rank} << rank_shift | (address & ((1u << rank_shift) - 1));
}
// Addresses of stores to several places, which are a stride apart: their number in eight bits, and below it the first place.
constexpr uint64_t multicast_window = uint64_t{1} << 58;
constexpr uint32_t multicast_count_shift = 48;
constexpr uint64_t multicast_stride = 8 << 10;
constexpr uint64_t local_bytes = 64 << 10;
constexpr uint64_t nanosecond = 16;  // in units of the machine's time: threads that sleep stay out of the others' way

// Why a register has no value: it comes from shared memory that nothing has written, or from a lane that is absent, or is the
// result of an operation that the thread has not waited for.
struct thread;
struct no_value {
  const instruction* at;
  const thread* by;
  uint64_t key;
  int lane;  // negative: from memory
  uint32_t operation = 0;
  const no_value* other = nullptr;  // on which the value depends, too
};

struct frame {
  const function* of = nullptr;
  size_t at = 0;
  std::vector<uint64_t> registers;
  std::vector<uint8_t> parameters;
  uint64_t local_start = 0;
  std::unordered_map<uint32_t, const no_value*> without_value;  // registers
};

enum class state : uint8_t { ready, in_warp, at_barrier, sleeping, ended };

struct block;
struct thread;

constexpr uint32_t tensor_memory_rows = 128, tensor_memory_columns = 512;

struct tensor_cells {
  uint32_t row, rows, column, columns;
};

// A tcgen05.ld on its way.
struct tensor_load {
  uint32_t id;
  const instruction* by;
  std::vector<tensor_cells> from;
  view before;
};

struct warp_of_threads {
  std::vector<thread*> lanes;
  uint64_t idle_until = 0;                         // no lane can do anything before
  clocks known_by_multiplies;                      // copies before wgmma.mma_async
  std::vector<uint32_t> multiplies;                // wgmma.mma_async, in their order
  std::vector<const instruction*> sets_registers;  // setmaxnreg, for each lane
};

// What is known of a thread that may wait in a loop, since a number of changes.
struct waiting_loop {
  uint64_t since = ~uint64_t{0}, window = 0, depth = 0, state = 0, anchor_here = 0, anchor = 0, count = 0, next = 0;
  const instruction* branch = nullptr;
};

struct thread {
  block* home = nullptr;
  warp_of_threads* group = nullptr;
  uint32_t id = 0;  // in the clocks
  uint32_t rank = 0, lane = 0, warp = 0;
  extent index{0, 0, 0};
  state is = state::ready;
  std::vector<frame> frames;
  std::vector<uint8_t> local;
  uint64_t local_used = 0;
  uint64_t wakes_at = 0;
  int64_t priority = 0;    // unless the schedule is random
  uint32_t places = 0;     // that it has led its group to, with priorities
  bool has_slept = false;  // in the try_wait at which it is
  waiting_loop loop;
  uint64_t waits_since = ~uint64_t{0}, asked_time_since = ~uint64_t{0};  // numbers of changes
  uint64_t asked_time_at = 0, times_asked = 0;                           // a number of steps; since the change
  bool carry = false;
  std::optional<uint64_t> cluster_phase;   // at which it has arrived
  uint64_t awaited = 0, awaited_word = 0;  // the mbarrier whose phase was not complete in the last test; 0: none
  view seen;
  clocks maps;                                 // before fences for tensor maps that it has seen the release of
  std::unique_ptr<message> fence_releases[5];  // by scope
  std::vector<std::pair<message_pointer, scope>> observed;  // by relaxed reads: a later fence may acquire them
  std::vector<std::vector<uint32_t>> copy_groups;           // committed cp.async, by group
  std::vector<uint32_t> open_copies;
  std::vector<std::vector<uint32_t>> bulk_groups;
  std::vector<uint32_t> open_bulk;
  std::vector<std::vector<uint32_t>> multiply_groups;  // committed wgmma.mma_async
  std::vector<uint32_t> open_multiplies;
  bool has_multiply_fence = false;          // has executed wgmma.fence
  std::vector<uint32_t> tensor_operations;  // that this thread has begun
  std::vector<tensor_load> tensor_loads;
  std::vector<uint32_t> tensor_stores;
  std::vector<uint32_t> tensor_accesses_done;  // since the last tcgen05.fence::before_thread_sync
  clocks tensor_known;                         // copies before the operations
  clocks tensor_seen;                          // by the last tcgen05.fence::after_thread_sync

  const instruction& next() const { return frames.back().of->code[frames.back().at]; }
};

inline uint32_t lanes_of(const std::vector<thread*>& all) {
  uint32_t mask = 0;
  for (const thread* each : all)
    mask |= 1u << each->lane;
  return mask;
}
inline uint32_t lanes_alive(const warp_of_threads& warp) {
  uint32_t alive = 0;
  for (const thread* each : warp.lanes)
    if (each->is != state::ended) alive |= 1u << each->lane;
  return alive;
}

// What threads bring to a hardware barrier.
struct brought_to_barrier {
  view published;
  uint32_t population = 0;
  bool all = true, any = false;

  void join(const brought_to_barrier& other) {
    published.join(other.published);
    population += other.population;
    all = all && other.all;
    any = any || other.any;
  }
};

struct hardware_barrier {
  uint32_t arrived = 0, expected = 0;  // threads
  uint32_t arrived_lanes[32] = {};     // of each warp
  const instruction* at[32] = {};      // where they are: the last that arrived
  std::vector<thread*> waiting;
  brought_to_barrier brought;                        // by the threads that count
  std::map<uint32_t, brought_to_barrier> of_a_part;  // of a warp, until all its threads are there: only then it counts
};

struct block {
  uint32_t serial = 0, cluster_serial = 0, cluster_rank = 0, multiprocessor = 0;
  uint32_t first_id = 0;        // of its threads, in the clocks
  uint32_t last_operation = 0;  // that a thread has begun
  extent index{0, 0, 0};
  std::vector<std::unique_ptr<thread>> threads;
  std::vector<block*> cluster;  // by rank
  std::vector<uint8_t> shared;
  std::vector<uint8_t> written;                 // of shared, for each byte whether something has
  std::vector<uint32_t> tensor_memory;          // rows of words, or nothing
  std::map<uint32_t, uint32_t> tensor_columns;  // that are allocated: how many, by the first one
  bool has_relinquished = false;                // may not allocate any more
  std::vector<hardware_barrier> barriers = std::vector<hardware_barrier>(16);
  uint32_t alive = 0;
  view ended;      // what its threads had seen at their ends
  clocks awaited;  // what they have waited for, though it is not ordered before what they do next
  struct copy {
    uint32_t id;
    place from;
    bool writes;
    const instruction* at;
    uint64_t key, bytes;
  };
  std::vector<copy> copies;                 // of its shared memory
  bool knows_of_failure = false;            // of a request to cancel a launch
  bool lacks_values = false;                // a value may name a thread as the one that it lacks
  first_cache* cache = nullptr;             // of its multiprocessor, once it was used
  std::vector<const instruction*> signals;  // atomic and volatile writes that it has executed: mostly all

  void note_signal(const instruction* at) {
    constexpr size_t most = 32;
    if ((!signals.empty() && signals.back() == at) || signals.size() >= most) return;
    const auto known = std::find(signals.begin(), signals.end(), at);
    if (known == signals.end())
      signals.push_back(at);
    else
      std::swap(*known, signals.back());
  }
};

// What a thread reads in a loop.
struct loop_read {
  const instruction* at = nullptr;
  uint64_t key = 0, size = 0, value = 0, times = 0;
  bool is_update = false, is_changed = false;  // by itself
  uint64_t written = 0;                        // by the last update
  // What the loop compares it with.
  const instruction* compared = nullptr;
  bool is_second = false, is_compared_twice = false, decides = false;
  uint64_t other = 0;

  bool is_weak() const { return !is_update && at->ordering == order::weak; }
};
struct loop_reads {
  std::vector<loop_read> all;
  size_t depth = 0;  // of calls
  // At a branch backward: whether other registers change than those with the value.
  const instruction* branch = nullptr;
  std::vector<uint64_t> registers;
  std::set<uint32_t> derived;
  uint64_t returns = 0;
  bool counts = false, stores = false;
  std::map<uint32_t, size_t> in, decide;  // registers with the value, and with the result of its comparison
};

struct launch_response;

// The barrier of a cluster.
struct cluster_meeting {
  uint32_t arrived = 0, alive = 0;
  uint64_t phase = 0;
  view published, completed;
};

// An mbarrier's eight bytes, as this machine lays them out.
struct mbarrier_word {
  uint32_t expected, pending;
  int32_t bytes;
  bool parity;

  // The bits of sm_90: from bit 1 the expected count, from 21 the bytes, from 43 the pending count, each negated; the parity.
  static mbarrier_word from(uint64_t raw) {
    mbarrier_word result;
    result.expected = static_cast<uint32_t>(0 - (raw >> 1)) & 0xfffff;
    result.pending = static_cast<uint32_t>(0 - (raw >> 43)) & 0xfffff;
    result.bytes = -(static_cast<int32_t>(static_cast<uint32_t>(raw >> 21) << 11) >> 11);
    result.parity = (raw >> 63) != 0;
    return result;
  }
  uint64_t raw() const {
    return ((uint64_t{0} - expected) & 0xfffff) << 1 | (static_cast<uint64_t>(-int64_t{bytes}) & 0x1fffff) << 21 |
           ((uint64_t{0} - pending) & 0xfffff) << 43 | uint64_t{parity} << 63;
  }
  // What an arrival returns: the upper half.
  static uint64_t state(uint64_t raw) { return raw >> 32 << 32; }
};

struct mbarrier_messages {
  std::vector<message_pointer> gathered, completed;
  bool is_initialized = false;
  uint64_t completed_at = 0, awaited = 0;  // accesses until its last phase, and until the last one that was awaited
  access overwritten = {};                 // by what is no operation of barriers, if it has an instruction
  bool is_raised = false;                  // by cp.async.mbarrier.arrive without .noinc
  bool expects_bytes = false, expected_bytes = true;  // in this phase, and in the last one
};

// Something that the copy engine has still to do.
struct pending_copy {
  uint64_t due = 0;
  uint32_t id = 0;
  std::vector<uint32_t> after;  // copies that must be done first
  std::function<void()> act;
  const thread* by = nullptr;  // of a store through a multicast address
  uint32_t when = 0;           // in the clock of that thread
  uint64_t to = 0;
};

class grid {
 public:
  // number: of this run of the module.
  grid(module& of, const function& kernel, const launch& how, const settings& with, uint64_t number)
      : program_(*of.program_), kernel_(kernel), how_(how), with_(with), number_(number),
        choices_(with.how, with.seed, least_places()), random_(choices_.seed()), order_(with.is_strict),
        evictions_(choices_.seed()) {}

  outcome run();

 private:
  using lanes = std::vector<thread*>;

  void plan_launches();
  bool can_start_cluster() const;
  void start_clusters();
  void start_cluster();
  extent first_block_of(uint64_t number) const;
  std::unique_ptr<block> make_block(extent index);
  void make_threads(block& home) const;
  void shrink_ended();
  bool step();
  void choose_lanes(lanes& group);
  warp_of_threads* next_warp(size_t start, size_t offset);
  uint64_t least_places() const;
  bool change_priority(const lanes& group);
  bool is_due(const pending_copy& each) const { return each.due <= now_ || choices_.is_at_once(each.id); }
  // The mask of an instruction of several lanes.
  uint32_t lanes_named(thread& who) {
    const opcode what = opcode(who.next().opcode);
    if (who.next().operands.empty() || what == opcode::tensormap_copy || is_of_matrices(what) ||
        is_of_tensor_memory(what))
      return ~uint32_t{0};
    return read_word(who, who.next().operands.back());
  }
  bool is_meeting_complete(const lanes& group);
  const instruction* find_meeting(const lanes& waiting, lanes& together);
  void execute(const instruction& at, lanes& group);
  void execute_together(const instruction& at, const lanes& meeting);
  void exchange(const instruction& at, const lanes& meeting);
  void execute_one(const instruction& at, thread& who);
  bool is_watching();
  void note_return(thread& who, const instruction& at);
  void note_time(thread& who) const {
    if (who.asked_time_since != changes_) who.times_asked = 0;
    ++who.times_asked;
    who.asked_time_since = changes_;
    who.asked_time_at = result_.steps;
  }
  bool has_time_limit(const thread& who) const;
  bool waits(const thread& who, bool is_late) const;
  bool do_all_wait() const;
  bool is_hung();
  bool let_others_run() {
    if (!with_.lets_others_run || !with_.lets_others_run()) return false;
    changed();
    return true;
  }
  [[noreturn]] void refuse(const instruction& at);
  bool run_fast(const lanes& group, uint64_t& left);
  void end_thread(thread& who);
  void changed() {
    ++changes_;
    waits_for_host_ = false;
    idle_steps_ = 0;
    time_step_ = 1;
    idle_since_ = now_;
  }

  // Operands.
  bits read(thread& who, const operand& from, type as) {
    if (from.is == operand::form::immediate)
      return static_cast<bits>(static_cast<__int128>(from.value)) & mask_of(as.bytes);
    if (from.is != operand::form::reg) return read_other(who, from, as);
    const uint64_t* const registers = who.frames.back().registers.data();
    bits value = registers[from.reg];
    if (as.bytes == 16) value |= bits{registers[from.reg + 1]} << 64;
    if (from.inverted) value = value == 0;
    return value & mask_of(as.bytes);
  }
  bits read_other(thread& who, const operand& from, type as);
  uint32_t read_word(thread& who, const operand& from) {
    return static_cast<uint32_t>(read(who, from, {kind::bits, 4}));
  }
  void write(thread& who, const operand& to, bits value, type as) {
    if (to.is != operand::form::reg) return write_parts(who, to, value, as);
    uint64_t* const registers = who.frames.back().registers.data();
    value &= mask_of(as.bytes);
    registers[to.reg] = static_cast<uint64_t>(value);
    if (as.bytes == 16) registers[to.reg + 1] = static_cast<uint64_t>(value >> 64);
  }
  void write_parts(thread& who, const operand& to, bits value, type as);
  bits special_value(thread& who, special which);
  uint64_t address_of_symbol(thread& who, const variable& symbol);
  uint64_t effective(thread& who, const operand& from) {
    uint64_t address = static_cast<uint64_t>(from.value);
    if (from.has_base) address += who.frames.back().registers[from.reg];
    if (from.symbol != nullptr) address += address_of_symbol(who, *from.symbol);
    return address;
  }

  // Memory.
  struct location {
    uint8_t* bytes;
    uint64_t key;
    bool is_global, is_private;
  };
  location locate(thread& who, uint64_t address, space where, uint64_t size, const instruction& at);
  // Reports what the access races with.
  void check_barrier(const access& made, uint64_t key, uint64_t size);
  void check_end(const block& home);
  bool check_copies(const block& home);
  // Of the barrier on which a copy completes: the copy engine must know of it.
  void check_known(uint32_t id, const thread& who, const view& before, const location& bar, const instruction& by,
                   scope reach = scope::sys);
  void record(const access& made, uint64_t key, uint64_t size, const view& before, uint32_t memory);
  bool locate_fast(const lanes& active, const operand& from, space where, uint64_t size, location* places);
  void note_reads(const lanes& active, const location* places, uint64_t size, const instruction& by);
  bool access_fast(const instruction& at, lanes& active);
  // Regions change seldom, and are looked up again in each turn of a warp.
  bool is_allowed_as_before(uint64_t address, uint64_t bytes) {
    for (const allowed_region& each : allowed_)
      if (address >= each.start && address + bytes <= each.end) return true;
    allowed_region& next = allowed_[next_allowed_++ % 4];
    return is_allowed(address, bytes, next);
  }
  void note(thread& who, const location& at, uint64_t size, bool writes, const instruction& by, order ordering,
            scope reach, bool is_initialization = false, bool changes = true);
  static bool is_volatile(const instruction& at) { return at.has("volatile"_w); }
  void note_map(thread& who, const location& at, uint64_t size, const instruction& by);
  void note_copy(uint32_t id, thread& who, const view& before, const location& at, uint64_t size, bool writes,
                 const instruction& by, bool is_generic = false);
  // For proxy fences.
  static uint32_t memory_of(const location& at) {
    return at.is_global ? fenced_clocks::global : static_cast<uint32_t>((at.key - shared_window) >> rank_shift);
  }
  void load(const instruction& at, thread& who);
  void store(const instruction& at, thread& who);
  void store_everywhere(const instruction& at, thread& who);
  void finish_stores_everywhere(thread& who);
  void atomic(const instruction& at, thread& who, bool has_result);
  texture texture_of(const instruction& at, thread& who, const operand& from, bool is_surface);
  void read_texel(const instruction& at, thread& who, const texture& from, const int64_t (&place)[3],
                  double (&channels)[4]);
  void read_texture(const instruction& at, thread& who);
  void access_surface(const instruction& at, thread& who, bool writes);
  void fence(const instruction& at, thread& who);
  void release_maps(thread& who, scope reach, const clocks& before);
  first_cache& cache_of(const thread& who) {
    first_cache*& cache = who.home->cache;
    if (cache == nullptr) cache = &caches_[who.home->multiprocessor];
    return *cache;
  }
  const uint8_t* load_by_cache(thread& who, const location& at, uint64_t size);
  // An acquire at a wider scope than the block's lets the cache forget everything.
  void acquire_globally(thread& who, scope reach) {
    if (reach != scope::cta) cache_of(who).drop_all();
  }
  void publish(thread& who, uint64_t key, order ordering, scope reach, bool extends);
  void observe(thread& who, uint64_t key, order ordering, scope reach);
  void note_signals(thread& who, const location& at, uint64_t size, const instruction& by);
  void report_stale();
  // What the thread does from now on is not before the operation that it has begun.
  void go_on_after(thread& who) {
    if (with_.finds_races) tick(who);
  }
  void tick(thread& who) { ++times_[who.id], who.seen.all.set(who.id, times_[who.id]); }
  static bool are_in_reach(const thread& who, const message& from, scope reach) {
    return includes(from.reach, from.from, place_of(who)) && includes(reach, place_of(who), from.from);
  }
  // False if a scope does not include the other side.
  bool acquire(thread& who, const message& from, scope reach) {
    if (!are_in_reach(who, from, reach)) return false;
    who.seen.join(from.seen);
    return true;
  }
  uint32_t choose_multiprocessor();
  static place place_of(const thread& who) { return {who.home->serial, who.home->cluster_serial}; }
  message message_of(thread& who, scope reach) {
    message made{with_.finds_races ? who.seen : view(), place_of(who), reach};
    made.seen.all.share_own();
    return made;
  }

  // Barriers.
  void bar(const instruction& at, thread& who);
  void complete_if_full(block& home, uint32_t id);
  void cluster_arrive(const instruction& at, thread& who);
  bool cluster_wait(const instruction& at, thread& who);
  void complete_cluster(cluster_meeting& meeting);
  void mbarrier(const instruction& at, thread& who);
  void check_overflow(const instruction& at, const lanes& group);
  void settle(mbarrier_word& word, uint64_t key, block* home);
  void change_mbarrier(const location& at, uint32_t arrivals, uint32_t drops, int64_t bytes, const message* from);
  bool test_mbarrier(const instruction& at, thread& who);
  void complete_copy(uint32_t id, const location& bar, uint64_t size, const instruction& by);
  block* owner_of(uint64_t key);  // null: it has ended

  // Copies.
  void copy_async(const instruction& at, thread& who);
  void copy_bulk(const instruction& at, thread& who, bool reduces);
  void store_async(const instruction& at, thread& who, bool reduces);
  uint32_t new_copy(const thread& by) {
    times_.push_back(1);
    operations_.push_back(static_cast<uint32_t>(times_.size() - 1));
    issues_.push_back({by.id, order_.sequence()});
    return by.home->last_operation = operations_.back();
  }
  // Somebody in the block must wait for the copy.
  void keep_copy(uint32_t id, const thread& who, const location& at, uint64_t size, bool writes,
                 const instruction& by) {
    if (with_.finds_races && !at.is_global && size != 0)
      owner_of(at.key)->copies.push_back({id, place_of(who), writes, &by, at.key, size});
  }
  bool know_warpgroup(thread& who, uint32_t operation);
  void wait_for_copies(thread& who, std::vector<std::vector<uint32_t>>& groups, uint64_t left, bool only_reads);
  bool run_due_copies();
  const block::copy* find_copy_under_way(uint64_t key) const;  // to this byte of shared memory

  // Tensor cores.
  void note_tensor(uint32_t id, block& home, const tensor_cells& at, const view& before, bool writes,
                   const instruction& by);
  uint32_t* tensor_row(block& home, const tensor_cells& at, uint32_t row, const instruction& by);
  std::vector<tensor_cells> cells_of(const instruction& at, thread& who, const operand& address,
                                     const operand& registers);
  static view before_tensor_access(const thread& who);
  void multiply_async(const instruction& at, thread& who);
  void check_multiply_fence(const lanes& warp);
  void check_register_counts(const block& home);
  void multiply_as_warp(const instruction& at, const lanes& warp);
  void commit_tensor(const instruction& at, thread& who);
  void load_tensor(const instruction& at, thread& who);
  void store_tensor(const instruction& at, thread& who);
  void wait_for_tensor_accesses(const instruction& at, const lanes& warp);
  void manage_tensor_memory(const instruction& at, const lanes& warp);
  static void check_tensor_memory(const block& home);
  void fence_tensor(const instruction& at, thread& who);
  void copy_box(const instruction& at, thread& who);
  void replace_in_map(const instruction& at, thread& who);
  void copy_map(const instruction& at, const lanes& warp);
  struct box_row {
    uint64_t destination, source, bytes;  // destination: from the beginning of the box
  };
  class box_walk;
  static std::vector<box_row> rows_of(const tensor_map& map, const std::vector<int64_t>& corner,
                                      const std::vector<int64_t>& offsets, uint64_t& bytes);
  template <class Use>
  static void for_pieces(uint64_t start, uint32_t width, const box_row& row, const Use& use);
  tensor_map read_map(thread& who, const operand& from, const instruction& at, std::vector<int64_t>& corner);
  void store_box(const instruction& at, thread& who);

  // Matrices, by all lanes of a warp.
  void execute_matrices(const instruction& at, const lanes& warp);
  void move_matrix(const instruction& at, const lanes& warp, bool stores);
  void transpose_matrix(const instruction& at, const lanes& warp);
  void multiply_matrices(const instruction& at, const lanes& warp);
  location element_of_fragment(const instruction& at, thread& who, size_t place, uint32_t rows, uint32_t columns,
                               uint32_t number, uint32_t bytes);
  void move_fragment(const instruction& at, const lanes& warp, bool stores);
  void multiply_fragments(const instruction& at, const lanes& warp);

  // Launches.
  void try_cancel(const instruction& at, thread& who);
  launch_response cancel_some_cluster();
  void query_cancel(const instruction& at, thread& who);

  // Calls.
  void enter(thread& who, const function& callee);
  void leave(thread& who);
  bool call_system(const std::string& name, const instruction& at, thread& who);
  bool call_device_runtime(const std::string& name, const instruction& at, thread& who);
  void print(thread& who, uint64_t format, uint64_t arguments);
  std::string describe_hang();
  void end_hung(bool is_certain);

  // Loops that wait.
  void note_change(const thread& who, uint64_t key, uint64_t size, const instruction& at, uint64_t before,
                   uint64_t value) {
    changes_of_words_.note(launch_, changes_, key, size, {&at, who.id, before, value});
  }
  void note_store(const thread& who, uint64_t key, uint64_t size, const instruction& at, uint64_t value) {
    stored_.add(key);
    changes_of_words_.note_store(launch_, changes_, key, size, value, &at, who.id);
  }
  // By what is neither a store nor an atomic operation.
  void note_other_write(uint64_t key, uint64_t size) {
    auto& [first, end] = other_writes_[key >= shared_window ? 1 : 0];
    first = std::min(first, key);
    end = std::max(end, key + size);
  }
  bool observe_loops(bool is_certain);
  bool is_livelock();
  bool are_all_observed() const;
  void observe_instruction(const instruction& at, const lanes& group);
  void observe_access(thread& who, const instruction& at, uint64_t key, uint64_t size, bits value, const bits* made);
  bool is_of_records(const instruction& at) const;
  struct waiting_word;
  std::vector<waiting_word> words_of_loops() const;
  void explain_word(waiting_word& word, bool is_certain);
  bool has_signals() const;
  void look_up(waiting_word& word);
  std::string sentence_of(const waiting_word& word) const;
  std::string name_of_launch(uint64_t launch) const;
  std::vector<std::string> history_of(const waiting_word& word) const;
  std::vector<std::string> history_of_livelock(const waiting_word& word) const;
  std::string blocks_without(const waiting_word& word) const;
  std::string old_value(const waiting_word& word) const;
  static bool are_exchanges(const waiting_word& word);
  std::string cause_of_word(const waiting_word& word, std::string& remedy) const;
  std::string cause_of_exchange(const waiting_word& word, std::string& remedy) const;
  std::string cause_of_livelock(const waiting_word& word, std::string& remedy) const;
  bool is_unwritten_word(uint64_t key, uint64_t size);
  participant participant_of(const word_change& made) const;
  bool has_ended(uint32_t id) const;
  block* home_of(uint32_t id) const;
  std::map<std::string, uint32_t> awaited_barriers() const;
  std::string describe(const thread& who);
  std::string where_is(const instruction& at) const;

  // Registers without a value.
  // Whether it is of an operation that the thread has waited for.
  static bool has_come(const thread& who, const no_value& what) {
    return what.operation != 0 && who.seen.all.of(what.operation) != 0;
  }
  const no_value* lacking(const thread& who, const operand& from) const;
  const no_value* lacking_result(const instruction& at, thread& who);
  const no_value* both(const no_value* one, const no_value* other);
  void set_lacking(thread& who, const operand& to, const no_value* lacks);
  void follow(const instruction& at, thread& who);
  void check_guard(const instruction& at, thread& who);
  uint8_t* written_bytes(uint64_t key);  // of shared memory
  bool is_unwritten(uint64_t key, uint64_t size);
  const no_value* make_no_value(const instruction& at, const thread& who, uint64_t key, int lane);
  void check_loaded(const instruction& at, thread& who, const location& from);
  void update_unwritten(const instruction& at, thread& who, const location& to);
  void mark_stored(const instruction& at, thread& who, const location& to);
  void report_use(const thread& who, const instruction& at, const no_value& lacks, const char* how);

  // Findings.
  footprint make_footprint(const clocks* left_out = nullptr);
  void note_early(const access& made, uint64_t key, uint64_t size);
  uint64_t thread_number(const access& made, const block* home) const;
  void report_late();
  void report(finding one);
  void check_warp_at_barrier(const instruction& at, const thread& who);
  void check_block_at_barrier(const instruction& at, const thread& who);
  void report_bug(finding one);                              // which ends the kernel, unless it shall go on
  void report_race(const access& one, const access& other);  // the earlier one first
  const mbarrier_messages* barrier_of(const access& copy, uint64_t key) const;
  bool is_initialized(uint64_t key) const {
    const auto found = mbarriers_.find(key);
    return found != mbarriers_.end() && found->second.is_initialized;
  }
  std::string how_signal_fails(const access& one, const thread* first, const thread* second) const;
  std::string arrival_of_warp(const access& one, const thread* copies) const;
  void report_as_race(finding made);
  void report_kept();
  void report_end(const char* kind, const std::string& rule);
  void check_own_lanes(const lanes& group);
  const char* rule_of_hang() const;
  std::string cause_of_phase(std::string& remedy) const;
  std::vector<participant> waiting_places() const;
  bool is_update_in_one_line(const access& made) const;
  bool has_raced() const { return result_.how == outcome::end::raced; }
  std::vector<source_place> places_of(const instruction& at) const;
  bool is_trusted(const participant& who) const;
  bool is_trusted(const finding& one) const;
  block* find_block(uint32_t serial) const;
  const thread* thread_of(const access& made) const;
  participant participant_of(const access& made, uint64_t key) const;
  participant participant_of(const thread& who) const;
  void name_memory(participant& who, uint64_t key) const;

  uint64_t random(uint64_t below) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(random_()) * below >> 64);
  }

  program& program_;
  const function& kernel_;
  const launch& how_;
  const settings& with_;
  const uint64_t number_;
  choices choices_;
  uint32_t next_warp_ = 0;  // or lane, in the order of the search
  generator random_;
  outcome result_;
  std::vector<std::unique_ptr<block>> blocks_;                  // that run
  std::vector<std::unique_ptr<block>> ended_;                   // whose shared memory others may still name
  mutable std::vector<std::unique_ptr<thread>> spare_threads_;  // of blocks that have ended, for those that start
  std::vector<std::vector<frame>> spare_frames_;
  size_t shrunk_ = 0;  // of them, those without it and without threads, unless a report names one
  std::map<uint32_t, cluster_meeting> meetings_;
  std::vector<std::unique_ptr<warp_of_threads>> warps_;
  lanes ready_, waiting_, together_, active_, group_;  // scratch of choose_lanes, execute and step
  std::vector<uint64_t> unstarted_;                    // clusters, the next one last
  bool cancels_ = false;                               // launches
  // Of the program, this is the number for the kernel that was prepared last: another one may run before this one ends.
  const uint64_t dynamic_start_ = round_up(program_.static_shared_bytes, 128);
  uint64_t most_resident_ = 0, shared_bytes_ = 0;
  uint32_t next_serial_ = 0;
  std::vector<uint32_t> blocks_on_;   // multiprocessors
  block* last_owner_ = nullptr;       // that owner_of has found
  std::vector<uint32_t> times_;       // the clock of each thread and copy
  std::vector<uint32_t> operations_;  // those of them that are copies and the like
  struct issue {
    uint32_t by;
    uint64_t sequence;  // of the last access before it
  };
  std::vector<issue> issues_;                             // of the operations
  std::set<std::pair<uint32_t, uint64_t>> completes_on_;  // copies and their barriers
  const thread* acting_ = nullptr;                        // of an instruction that may be at fault
  order_keeper order_;
  std::unordered_map<uint32_t, first_cache> caches_;  // of multiprocessors
  generator evictions_;
  const uint64_t impatience_ = choices_.impatience();
  std::set<std::pair<std::string, std::string>> reported_;  // races
  // Races of threads of one warp, or of one block: for some steps, the same lines of threads that are further apart, which need
  // another remedy, may be found to race, too.
  struct kept_race {
    finding made;
    std::pair<std::string, std::string> lines;
    int distance;    // 0: a warp, 1: a block
    uint64_t until;  // of result_.steps
  };
  std::vector<kept_race> kept_;
  // To be reported when the kernel ends, if there is no race; and the place in shared memory that was read, if it is of one.
  std::vector<std::pair<finding, uint64_t>> late_;
  // Volatile reads of values that may be older than the signal that the thread has seen, unless it polls there.
  std::map<const instruction*, std::pair<finding, bool>> stale_;
  bool has_volatile_data_ = false;  // in global memory
  std::deque<no_value> no_values_;
  std::unordered_map<uint64_t, mbarrier_messages> mbarriers_;
  std::vector<pending_copy> copies_;
  std::set<uint32_t> copies_done_;
  allowed_region allowed_[4];
  uint32_t next_allowed_ = 0;
  static constexpr uint64_t start_ = 1'000'000 * nanosecond;
  uint64_t now_ = start_, time_step_ = 1, idle_steps_ = 0, idle_since_ = 0;
  bool has_released_ = false, has_acquired_ = false;  // at device scope or wider
  uint64_t changes_ = 0, window_ = 0;                 // of memory and the like; in which waiting threads are looked for
  bool watches_ = false, waits_for_host_ = false;
  change_log& changes_of_words_ = change_log::of_thread();
  const uint64_t launch_ = begin_launch();
  std::pair<uint64_t, uint64_t> other_writes_[2] = {{~uint64_t{0}, 0}, {~uint64_t{0}, 0}};  // in global, shared memory
  stored_pieces stored_;
  uint64_t next_look_ = 1 << 20;             // for a livelock, in steps
  bool observes_ = false, is_over_ = false;  // is_over_: the kernel hangs
  uint64_t observed_changes_ = 0;
  std::unordered_map<const thread*, loop_reads> observed_;
  finding hang_;
  std::chrono::steady_clock::time_point waits_for_host_since_;
  std::map<uint64_t, child_launch> children_;  // whose parameters the kernel writes, by the address of these
  std::vector<clocks> known_at_launch_;        // of each child that is no tail launch
  uint64_t device_streams_ = 0;                // that the kernel has made
  uint32_t dependency_ = 0;  // in the clocks: the end of the kernel before, or 0 until a thread waits for it
  std::map<std::pair<const instruction*, bool>, uint32_t> early_kinds_;
  std::vector<uint8_t> workspace_ = std::vector<uint8_t>(64);
};

}  // namespace model

#endif
