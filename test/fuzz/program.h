// Random programs of the library's operations, with what each read must see: derived from one order of all events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_FUZZ_PROGRAM_H
#define CUDASYNC_TEST_FUZZ_PROGRAM_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace fuzz {

// An agent is a host thread, or the lanes of a warp, which execute its steps together.
constexpr uint32_t agents = 4, cells = 8, sources = 4, row = 8, bars = 3, completing_bar = 2, latches = 3, signals = 3,
                   flags = 3, counters = 2, stages = 2, nears = 4, remotes = 4, rings = 3;
constexpr uint32_t stages_of_ring[rings] = {2, 3, 2}, most_ring_stages = 3;
// The last ring is that of a cluster. Its blocks have two agents each; and nears and remotes half of them each.
constexpr uint32_t cluster_ring = 2;

// Of operations that come in several ways, the step names one.
#define FUZZ_OPERATIONS(ROW)                                                                        \
  ROW(write_cell, 1)                                                                                \
  ROW(read_cell, 1)                                                                                 \
  ROW(bar_arrive, 2) /* all lanes; one lane for all */                                              \
  ROW(bar_wait, 5)   /* wait, wait_parity, try_wait, try_wait_parity, try_wait_for */               \
  ROW(bar_arrive_and_wait, 1)                                                                       \
  ROW(bar_drop, 1)                                                                                  \
  ROW(bar_copy, 2)    /* memcpy_async of the group; of one thread */                                \
  ROW(bar_copy_tx, 1) /* memcpy_async_tx and barrier_arrive_tx */                                   \
  ROW(latch_down, 2)  /* all lanes; one lane for all */                                             \
  ROW(latch_wait, 3)  /* wait, try_wait, try_wait_for */                                            \
  ROW(latch_arrive_and_wait, 1)                                                                     \
  ROW(signal_release, 1)                                                                            \
  ROW(signal_acquire, 3) /* acquire, try_acquire, try_acquire_for */                                \
  ROW(locked, 2)         /* acquire, try_acquire */                                                 \
  ROW(flag_raise, 7)     /* store, store seq_cst, exchange, fetch_add, store_add, compare, fence */ \
  ROW(flag_await, 6)     /* load, load seq_cst, wait, fetch_or, fence, compare */                   \
  ROW(counter_add, 3)    /* release, acq_rel, relaxed */                                            \
  ROW(counter_await, 2)  /* load, wait with a predicate */                                          \
  ROW(block_sync, 1)                                                                                \
  ROW(named_sync, 2) /* sync, dynamic_named_barrier */                                              \
  ROW(exchange_arrive, 1)                                                                           \
  ROW(exchange_sync, 1)                                                                             \
  ROW(cluster_sync, 2) /* arrive_and_wait; arrive, then wait */                                     \
  ROW(grid_sync, 2)    /* arrive_and_wait; arrive, then wait */                                     \
  ROW(pipe_acquire, 1)                                                                              \
  ROW(pipe_fill, 3) /* memcpy_async of the group; of one thread; stores */                          \
  ROW(pipe_commit, 1)                                                                               \
  ROW(pipe_wait, 2) /* consumer_wait, consumer_wait_for */                                          \
  ROW(pipe_read, 1)                                                                                 \
  ROW(pipe_release, 1)                                                                              \
  ROW(pipe_quit, 1)                                                                                 \
  ROW(ring_acquire, 3) /* producer_acquire, try_producer_acquire, acquire_and_copy */               \
  ROW(ring_copy, 2)    /* of what was visible at the acquire; with a fence, of what is visible */   \
  ROW(ring_cast, 2)    /* to blocks of the cluster, in the same two ways */                         \
  ROW(ring_wait, 2)    /* consumer_wait, try_consumer_wait */                                       \
  ROW(ring_read, 1)                                                                                 \
  ROW(ring_write, 1)                                                                                \
  ROW(ring_release, 1)                                                                              \
  ROW(ring_tail, 1)                                                                                 \
  ROW(store_begin, 1)                                                                               \
  ROW(store_commit, 1)                                                                              \
  ROW(store_wait, 1)                                                                                \
  ROW(store_wait_read, 1)                                                                           \
  ROW(near_write, 1)                                                                                \
  ROW(near_read, 1)                                                                                 \
  ROW(remote_arrive, 3) /* remote_barrier: all lanes; one lane for all; in the own block, arrive */ \
  ROW(remote_drop, 1)                                                                               \
  ROW(remote_wait, 3) /* wait_parity, try_wait_parity, try_wait_parity_for */

enum operation : uint32_t {
#define FUZZ_ROW(NAME, WAYS) NAME,
  FUZZ_OPERATIONS(FUZZ_ROW)
#undef FUZZ_ROW
      operations
};

inline uint32_t ways(uint32_t what) {
  constexpr uint32_t all[] = {
#define FUZZ_ROW(NAME, WAYS) WAYS,
      FUZZ_OPERATIONS(FUZZ_ROW)
#undef FUZZ_ROW
  };
  return all[what];
}

struct step {
  uint32_t what, way;
  uint32_t object, other;  // barrier and cell, say
  uint32_t value, parity;
};

// What the threads have: not all operations exist everywhere.
struct abilities {
  bool is_device, is_one_block, has_cluster, has_copy_engine;
};

// From here on, operations exist only where the copy engine does, and clusters.
constexpr uint32_t first_of_copy_engine = ring_acquire;

struct settings_of_program {
  uint32_t lanes;      // of each agent
  uint32_t producers;  // a bit for each agent
  uint32_t members[bars];
  uint32_t downs[latches];
  uint32_t arrivals[remotes];
  uint32_t locked_times;  // of all agents together
  uint32_t last_quits;    // of threads that leave the pipeline last: 0 or 1
};

class program {
 public:
  program(uint64_t seed, const abilities& can, uint32_t length) : state_(seed * 0x9e3779b97f4a7c15 + 1), can_(can) {
    const uint32_t widths[] = {1, 2, 4, 8, 32}, most = can.is_one_block || can.has_cluster ? 9 : 1;
    settings = {can.is_device ? widths[below(10) < most ? below(4) : 4] : 1, 1 + below(14), {}, {}, {}, 0, 0};
    for (agent& each : agents_)
      each.knows.resize(agents);
    for (uint32_t index = 0; index < agents; ++index)
      agents_[index].knows[index] = 1;
    for (uint32_t index = 0; index < bars; ++index) {
      bars_[index].members = index == 0 ? 15 : 1 + below(15);
      settings.members[index] = static_cast<uint32_t>(__builtin_popcount(bars_[index].members));
    }
    for (uint32_t index = 0; index < latches; ++index) {
      latches_[index].missing = 1 + below(15);
      settings.downs[index] = static_cast<uint32_t>(__builtin_popcount(latches_[index].missing));
    }
    for (signal& each : signals_) {
      each.from = below(agents);
      each.to = (each.from + 1 + below(agents - 1)) % agents;
    }
    for (flag& each : flags_)
      each.writer = below(agents);
    for (counter& each : counters_)
      each.members = 1 + below(15);
    meetings_[0].members = 3, meetings_[1].members = 12;
    for (uint32_t index = 2; index < 6; ++index)
      meetings_[index].members = 15;
    if (can.has_copy_engine) choose_members_of_rings();
    if (can.has_cluster) choose_members_of_remotes();
    exchange_from_ = below(agents), exchange_to_ = (exchange_from_ + 1 + below(agents - 1)) % agents;
    for (uint32_t count = 0; count < length; ++count)
      add_any();
    finish();
    settings.locked_times = locked_times_;
    settings.last_quits = quitters_ == 15 ? 1 : 0;
  }

  // The program without the operation of this name, which is a fault.
  void leave_out(const char* name);

  settings_of_program settings;
  std::vector<step> steps[agents];
  bool is_complete = true;  // no agent waits for something that nobody does

 private:
  // How far an agent knows each other agent, and each copy, which has an entry of its own.
  using clock = std::vector<uint32_t>;
  static void join(clock& to, const clock& from) {
    if (to.size() < from.size()) to.resize(from.size());
    for (size_t index = 0; index < from.size(); ++index)
      if (to[index] < from[index]) to[index] = from[index];
  }

  struct agent {
    clock knows;
    bool is_blocked = false;
  };
  struct cell {
    uint32_t value = 0, writer = 0, written = 0;
    std::map<uint32_t, uint32_t> readers;
  };
  struct bar {
    uint32_t members = 0, arrived = 0, dropped = 0, phase = 0;
    uint32_t waiting = 0;  // have arrived, and not waited yet
    uint32_t blocked = 0;  // wait for the current phase
    uint32_t copying = 0;  // must arrive with all lanes
    uint32_t alone[agents] = {};
    clock gathered, completed;
  };
  struct latch {
    uint32_t missing = 0, blocked = 0;
    bool is_used = false;
    clock gathered;
  };
  struct signal {
    uint32_t from = 0, to = 0, acquired = 0;
    std::vector<clock> released;  // of each permit
  };
  struct flag {
    uint32_t writer = 0, value = 0, seen[agents] = {};
    std::vector<clock> messages;
  };
  struct counter {
    uint32_t members = 0, added = 0, round = 0, known[agents] = {};
    clock gathered, completed;
  };
  struct meeting {  // of members that all block: named barriers, and those of a block, a cluster and a grid
    uint32_t members = 0, blocked = 0;
    clock gathered;
  };
  struct round {
    clock filled, emptied;
    uint32_t commits = 0, releases = 0;
    uint32_t values[agents] = {};
  };
  struct side {
    uint32_t round = 0;
    uint32_t at = 0;  // steps within the round
  };
  struct planned_copy {
    uint32_t unit, block, to;  // by the producer of this block, to the blocks of this set
    uint32_t source;
    std::vector<uint32_t> copies;  // the entry of each block that receives it
    bool is_begun;
  };
  struct ring_round {
    std::vector<planned_copy> plan;
    clock filled[2], emptied;
    uint32_t acquired = 0, releases = 0;
  };
  struct ring {
    uint32_t blocks = 0;
    uint32_t producers[2] = {}, consumers[2] = {};  // of each block: an agent, a bit for each agent
    std::vector<ring_round> rounds;
    uint32_t values[2][most_ring_stages][agents] = {};
    side sides[agents];
    clock seen[agents];  // when the producer acquired the stage
    uint32_t ended = 0;
  };
  struct group_of_stores {
    clock read, stored;
    uint32_t from = 0, to = 0;  // of the last store
    bool is_committed = false;
  };
  struct remote {  // a barrier in one block, whose agents wait; agents of both blocks arrive
    uint32_t members = 0, arrived = 0, dropped = 0, phase = 0, waiting = 0;
    uint32_t entry = 0;  // in the clocks: how many phases are known to be complete
    clock gathered, completed;
  };

  uint32_t below(uint32_t limit) {  // splitmix64
    uint64_t bits = state_ += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return static_cast<uint32_t>((bits ^ (bits >> 31)) >> 32) % limit;
  }
  bool coin() { return below(2) != 0; }
  static bool has(uint32_t set, uint32_t member) { return (set >> member & 1) != 0; }

  step& add(uint32_t who, operation what, uint32_t object = 0) {
    steps[who].push_back({what, below(ways(what)), object, 0, 0, 0});
    return steps[who].back();
  }
  // What the agent did so far; what it does from now on is later.
  clock release(uint32_t who) {
    const clock result = agents_[who].knows;
    ++agents_[who].knows[who];
    return result;
  }
  void acquire(uint32_t who, const clock& from) { join(agents_[who].knows, from); }
  bool knows(uint32_t who, uint32_t id, uint32_t time) const {
    const clock& known = agents_[who].knows;
    return time == 0 || (id < known.size() && known[id] >= time);
  }
  bool may_read(uint32_t who, const cell& of) const { return knows(who, of.writer, of.written); }
  bool may_write(uint32_t who, const cell& of) const {
    for (const auto& [reader, time] : of.readers)
      if (!knows(who, reader, time)) return false;
    return may_read(who, of);
  }

  // An agent may wait for members that do not wait themselves: then nobody waits in a circle.
  bool may_block(uint32_t missing) const {
    for (uint32_t each = 0; each < agents; ++each)
      if (has(missing, each) && agents_[each].is_blocked) return false;
    return true;
  }

  bool add_any() {
    for (uint32_t attempt = 0; attempt < 200; ++attempt) {
      const uint32_t who = below(agents);
      if (!agents_[who].is_blocked && try_any(who)) return true;
    }
    return false;
  }
  // A half of the programs have more of one kind of steps, so that there are more rounds.
  bool step_of_focus(uint32_t who) {
    if (focus_ == 0) return can_.has_cluster ? step_of_remote(who, below(remotes)) : step_of_pipe(who);
    if (focus_ == 1) return step_of_ring(who, can_.has_cluster ? cluster_ring : below(cluster_ring));
    return false;
  }
  bool try_any(uint32_t who) {
    const bool may_begin = !is_finishing_;
    if (coin() && step_of_focus(who)) return true;
    if (may_begin && below(5) < 2) return access(who);
    switch (below(can_.has_copy_engine ? 20 : 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return step_of_bar(who, below(bars));
    case 4:
      return step_of_latch(who, below(latches));
    case 5:
    case 6:
      return may_begin && step_of_signal(who, signals_[below(signals)]);
    case 7:
      return may_begin && below(3) == 0 && step_with_lock(who);
    case 8:
    case 9:
      return may_begin && step_of_flag(who, below(flags));
    case 10:
      return may_begin && step_of_counter(who, below(counters));
    case 11:
      return can_.is_device && meet(who, can_.is_one_block ? below(4) : 4 + below(2));
    case 12:
      return step_of_exchange(who);
    case 16:
    case 17:
      return step_of_ring(who, can_.has_cluster ? cluster_ring : below(cluster_ring));
    case 18:
    case 19:
      return can_.is_one_block ? step_of_store(who) : step_of_remote(who, below(remotes));
    default:
      if (can_.is_one_block) return step_of_pipe(who);
      return can_.has_cluster && coin() ? step_of_remote(who, below(remotes)) : meet(who, 4 + below(2));
    }
  }
  // What has begun is brought to its end: no agent stays blocked, and no copy stays under way.
  void finish() {
    is_finishing_ = true;
    for (uint32_t idle = 0; idle < 50; ++idle)
      if (add_any()) idle = 0;
    for (const agent& each : agents_)
      is_complete = is_complete && !each.is_blocked;
    for (const bar& each : bars_)
      is_complete = is_complete && each.arrived == 0 && each.copying == 0 && each.waiting == 0;
    for (uint32_t number = 0; number < rounds_.size(); ++number)
      is_complete = is_complete && (rounds_[number].commits == 0 || is_released(number));
    for (const ring& each : rings_) {
      for (const ring_round& one : each.rounds)
        is_complete = is_complete && one.releases == (each.consumers[0] | each.consumers[1]);
      is_complete =
          is_complete && (each.rounds.empty() || __builtin_popcount(each.ended) == static_cast<int>(each.blocks));
    }
    for (const auto& each : stores_)
      is_complete = is_complete && each.empty();
    for (const remote& each : remotes_)
      is_complete = is_complete && (each.waiting & ~each.arrived) == 0;
  }

  // --- Plain memory ---

  bool access(uint32_t who) {
    const uint32_t index = below(cells + sources + (can_.has_cluster ? nears : 0));
    if (coin() && may_read(who, cells_[index])) return read(who, index);
    return may_write(who, cells_[index]) && write(who, index);
  }
  bool read(uint32_t who, uint32_t index) {
    cell& of = cells_[index];
    add(who, index < cells + sources ? read_cell : near_read, index).value = of.value;
    of.readers[who] = agents_[who].knows[who];
    return true;
  }
  bool write(uint32_t who, uint32_t index) {
    cell& of = cells_[index];
    of = {next_value_++, who, agents_[who].knows[who], {}};
    add(who, index < cells + sources ? write_cell : near_write, index).value = of.value;
    return true;
  }

  // --- Barriers ---

  bool step_of_bar(uint32_t who, uint32_t index) {
    bar& of = bars_[index];
    const bool is_open = of.arrived != 0 || of.copying != 0;
    if (has(of.waiting, who)) {  // wait, if the phase has completed
      if (has(of.arrived, who)) return false;
      step& made = add(who, bar_wait, index);
      made.parity = (of.phase - 1) & 1;
      made.value = of.phase;  // phases that have completed
      made.other = of.alone[who];
      of.waiting &= ~(1u << who);
      acquire(who, of.completed);
      return true;
    }
    if (!has(of.members, who) || has(of.arrived, who) || (is_finishing_ && !is_open)) return false;
    const uint32_t what = below(8);
    // A copy into a cell whose contents nobody uses any more.
    if (what < 3 && index != completing_bar && can_.is_one_block && !is_finishing_) {
      const uint32_t number = below(cells), source = cells + below(sources);
      cell &to = cells_[number], &from = cells_[source];
      if (!may_write(who, to) || !may_read(who, from)) return false;
      const uint32_t copy = start_copy(from);
      to = {from.value, copy, 1, {}};
      const bool is_arrival = can_.is_device && what < 2 && !has(of.copying, who);
      step& made = add(who, is_arrival ? bar_copy_tx : bar_copy, index);
      made.other = number;
      made.value = source;
      complete_copy(copy, of.gathered);
      of.copying |= 1u << who;
      if (!is_arrival) return true;
      of.alone[who] = 1;
      of.waiting |= 1u << who;
      arrive(who, index);
      return true;
    }
    if (what == 3 && !has(of.copying, who) && (of.members & (of.members - 1)) != 0 &&
        (of.members & ~of.dropped & ~(1u << who)) != 0 && below(4) == 0) {
      add(who, bar_drop, index);
      of.dropped |= 1u << who;
      arrive(who, index);
    } else if (what < 6 && may_block(of.members & ~of.arrived)) {
      add(who, bar_arrive_and_wait, index).value = of.phase + 1;
      of.blocked |= 1u << who;
      agents_[who].is_blocked = true;
      arrive(who, index);
    } else {
      step& made = add(who, bar_arrive, index);
      if (has(of.copying, who)) made.way = 0;
      of.alone[who] = made.way;
      of.waiting |= 1u << who;
      arrive(who, index);
    }
    return true;
  }
  // A copy reads and writes at some time before the phase completes, of which its entry in the clocks tells.
  uint32_t start_copy(cell& from) {
    const auto copy = static_cast<uint32_t>(copies_++);
    from.readers[copy] = 1;
    return copy;
  }
  static void complete_copy(uint32_t copy, clock& gathered) {
    clock done(copy + 1);
    done[copy] = 1;
    join(gathered, done);
  }
  void arrive(uint32_t who, uint32_t index) {
    bar& of = bars_[index];
    join(of.gathered, release(who));
    of.arrived |= 1u << who;
    if (of.arrived != of.members) return;
    ++of.phase;
    of.completed = std::exchange(of.gathered, {});
    of.members &= ~of.dropped;
    of.arrived = of.copying = 0;
    for (uint32_t each = 0; each < agents; ++each)
      if (has(of.blocked, each)) {
        agents_[each].is_blocked = false;
        acquire(each, of.completed);
      }
    of.blocked = 0;
  }

  // --- Latches, semaphores ---

  bool step_of_latch(uint32_t who, uint32_t index) {
    latch& of = latches_[index];
    if (is_finishing_ && of.blocked == 0) return false;  // nobody must count down
    if (of.missing == 0) {
      if (is_finishing_) return false;
      add(who, latch_wait, index);
      acquire(who, of.gathered);
      return true;
    }
    if (!has(of.missing, who)) return false;
    of.missing &= ~(1u << who);
    if (below(3) == 0 && may_block(of.missing)) {
      add(who, latch_arrive_and_wait, index);
      agents_[who].is_blocked = true;
      of.blocked |= 1u << who;
    } else {
      add(who, latch_down, index);
    }
    join(of.gathered, release(who));
    if (of.missing != 0) return true;
    for (uint32_t each = 0; each < agents; ++each)
      if (has(of.blocked, each)) {
        agents_[each].is_blocked = false;
        acquire(each, of.gathered);
      }
    of.blocked = 0;
    return true;
  }

  // From one agent to another: the permit says that what came before its release is visible.
  bool step_of_signal(uint32_t who, signal& of) {
    const auto index = static_cast<uint32_t>(&of - signals_);
    if (who == of.from && of.released.size() - of.acquired < 3) {
      const uint32_t permits = 1 + below(2);
      add(who, signal_release, index).value = permits;
      of.released.insert(of.released.end(), permits, release(who));
      return true;
    }
    if (who != of.to || of.released.size() == of.acquired) return false;
    add(who, signal_acquire, index);
    acquire(who, of.released[of.acquired++]);
    return true;
  }
  bool step_with_lock(uint32_t who) {
    add(who, locked);
    ++locked_times_;
    return true;
  }

  // --- Atomics ---

  // One agent raises the flag, others wait for a value that it has.
  bool step_of_flag(uint32_t who, uint32_t index) {
    flag& of = flags_[index];
    if (who == of.writer) {
      add(who, flag_raise, index).value = ++of.value;
      of.messages.push_back(release(who));
      return true;
    }
    if (of.seen[who] == of.value) return false;
    of.seen[who] += 1 + below(of.value - of.seen[who]);
    add(who, flag_await, index).value = of.seen[who];
    acquire(who, of.messages[of.seen[who] - 1]);
    return true;
  }
  // Each member adds once in a round, and only after it knows that the round before is complete.
  bool step_of_counter(uint32_t who, uint32_t index) {
    counter& of = counters_[index];
    const auto size = static_cast<uint32_t>(__builtin_popcount(of.members));
    if (of.known[who] < of.round) {
      add(who, counter_await, index).value = of.round * size;
      of.known[who] = of.round;
      acquire(who, of.completed);
      return true;
    }
    if (!has(of.members, who) || has(of.added, who)) return false;
    const uint32_t way = add(who, counter_add, index).way;
    if (way != 2) join(of.gathered, release(who));
    of.added |= 1u << who;
    if (of.added != of.members) return true;
    of.added = 0;
    ++of.round;
    of.completed = of.gathered;  // with the rounds before, whose release sequences go on
    return true;
  }

  // --- Barriers without objects ---

  // 0 and 1: two warps; 2: all warps; 3: the block; 4: the cluster; 5: the grid.
  bool meet(uint32_t who, uint32_t index) {
    meeting& of = meetings_[index];
    if (!has(of.members, who) || (is_finishing_ && of.blocked == 0)) return false;
    if (!may_block(of.members & ~of.blocked)) return false;
    if (index == 4 && !can_.has_cluster) return false;
    if (index == 5 && settings.lanes != 32) return false;  // all threads of a block are in the grid's barrier
    const operation kinds[] = {named_sync, named_sync, named_sync, block_sync, cluster_sync, grid_sync};
    step& made = add(who, kinds[index], index);
    if (of.blocked == 0) ways_[index] = made.way;
    made.way = ways_[index];  // all members the same
    agents_[who].is_blocked = true;
    of.blocked |= 1u << who;
    join(of.gathered, release(who));
    if (of.blocked != of.members) return true;
    for (uint32_t each = 0; each < agents; ++each)
      if (has(of.blocked, each)) {
        agents_[each].is_blocked = false;
        acquire(each, of.gathered);
      }
    of.blocked = 0;
    of.gathered.clear();
    return true;
  }

  // Two agents in turn: one arrives at a named barrier, the other one synchronizes; then at another, the other way.
  bool step_of_exchange(uint32_t who) {
    if (!can_.is_device || !can_.is_one_block || (is_finishing_ && exchange_at_ % 2 == 0)) return false;
    const uint32_t next = exchange_at_ % 4;
    if (who != (next == 0 || next == 3 ? exchange_from_ : exchange_to_)) return false;
    ++exchange_at_;
    if (next % 2 == 0) {
      add(who, exchange_arrive, next / 2);
      exchanged_ = release(who);
    } else {
      add(who, exchange_sync, next / 2);
      acquire(who, exchanged_);
      release(who);
    }
    return true;
  }

  // --- A pipeline: some agents produce, the others consume ---

  round& round_at(uint32_t number) {
    if (rounds_.size() <= number) rounds_.resize(number + 1);
    return rounds_[number];
  }
  // The members of this set that take part in the round: those that had not left before.
  uint32_t staying(uint32_t set, uint32_t number) const {
    for (uint32_t each = 0; each < agents; ++each)
      if (has(quitters_, each) && sides_[each].round <= number) set &= ~(1u << each);
    return set;
  }
  bool is_released(uint32_t number) const {
    const uint32_t releases = rounds_[number].releases;
    return releases != 0 && releases == staying(15 & ~settings.producers, number);
  }
  // An agent leaves after rounds that are complete for its role: then it need not wait in the order of events, although
  // it may when the program runs. The last consumer stays until it has consumed what the last producer left.
  bool quit(uint32_t who, uint32_t last) {
    const uint32_t producers = settings.producers, consumers = 15 & ~producers, next = sides_[who].round;
    const bool is_producer = has(producers, who);
    if (!is_producer && (consumers & ~quitters_) == 1u << who && ((producers & ~quitters_) != 0 || next < last))
      return false;
    for (uint32_t number = next < stages ? 0 : next - stages; number < next; ++number) {
      if (is_producer ? rounds_[number].commits != staying(producers, number) : !is_released(number)) return false;
    }
    add(who, pipe_quit);
    quitters_ |= 1u << who;
    return true;
  }
  bool step_of_pipe(uint32_t who) {
    if (!can_.is_one_block || has(quitters_, who)) return false;
    side& own = sides_[who];
    const uint32_t producers = settings.producers;
    const bool is_producer = has(producers, who);
    uint32_t last = 0;  // the round that some agent has begun
    for (uint32_t each = 0; each < agents; ++each) {
      const uint32_t begun = sides_[each].round + (sides_[each].at != 0 ? 1 : 0);
      if (begun > last) last = begun;
    }
    if (own.at == 0 && (is_finishing_ ? all_quit_ : below(10) == 0) && quit(who, last)) return true;
    if (is_finishing_ && own.round >= last) return false;
    round& now = round_at(own.round);
    const uint32_t stage = own.round % stages;
    if (is_producer) {
      if (own.at == 0) {
        if (own.round >= stages) {
          if (!is_released(own.round - stages)) return false;
          acquire(who, rounds_[own.round - stages].emptied);
        }
        add(who, pipe_acquire);
      } else if (own.at == 1) {
        const uint32_t source = cells + below(sources);
        cell& from = cells_[source];
        const bool may_copy = may_read(who, from);
        step& made = add(who, pipe_fill, stage);
        if (!may_copy) made.way = 2;  // a value of its own, for it may never learn of a source: the round must end
        made.other = source;
        made.value = now.values[who] = may_copy ? from.value : next_value_++;
        if (made.way != 2) complete_copy(start_copy(from), now.filled);
      } else {
        add(who, pipe_commit);
        join(now.filled, release(who));
        now.commits |= 1u << who;
      }
    } else {
      if (own.at == 0) {
        if (now.commits == 0 || now.commits != staying(producers, own.round)) return false;
        add(who, pipe_wait);
        acquire(who, now.filled);
      } else if (own.at == 1) {
        for (uint32_t each = 0; each < agents; ++each)
          if (has(now.commits, each)) {
            step& made = add(who, pipe_read, stage);
            made.other = each;
            made.value = now.values[each];
          }
      } else {
        add(who, pipe_release);
        join(now.emptied, release(who));
        now.releases |= 1u << who;
      }
    }
    if (++own.at == 3) own = {own.round + 1, 0};
    return true;
  }

  // --- Rings that the copy engine fills: a producer in each block, the others consume ---

  // Of the two rings of a block, all others consume the first, and two of them the second.
  void choose_members_of_rings() {
    if (can_.is_one_block) {
      for (uint32_t index = 0; index < cluster_ring; ++index) {
        ring& of = rings_[index];
        of.blocks = 1;
        of.producers[0] = below(agents);
        of.consumers[0] = 15 & ~(1u << of.producers[0]);
        if (index == 1) of.consumers[0] &= ~(1u << (of.producers[0] + 1 + below(agents - 1)) % agents);
      }
    } else if (can_.has_cluster) {
      ring& of = rings_[cluster_ring];
      of.blocks = 2;
      for (uint32_t block = 0; block < 2; ++block) {
        of.producers[block] = 2 * block + below(2);
        of.consumers[block] = 3u << 2 * block & ~(1u << of.producers[block]);
      }
    }
  }

  // What the producers copy in a round, of sources that nobody writes until then.
  void make_plan(const ring& of, ring_round& now) {
    for (uint32_t unit = 0; unit < agents; ++unit) {
      const uint32_t block = below(of.blocks), to = 1 + below((1u << of.blocks) - 1), source = cells + below(sources);
      if (below(3) == 0 || !may_read(of.producers[block], cells_[source])) continue;
      planned_copy made{unit, block, to, source, {}, false};
      for (uint32_t each = 0; each < of.blocks; ++each)
        made.copies.push_back(has(to, each) ? start_copy(cells_[source]) : 0);
      now.plan.push_back(made);
    }
  }
  void begin_copy(uint32_t who, uint32_t index, planned_copy& one, uint32_t value) {
    ring& of = rings_[index];
    const uint32_t number = of.sides[who].round;
    one.is_begun = true;
    for (uint32_t block = 0; block < of.blocks; ++block)
      if (has(one.to, block)) {
        of.values[block][number % stages_of_ring[index]][one.unit] = value;
        complete_copy(one.copies[block], of.rounds[number].filled[block]);
      }
  }

  bool step_of_ring(uint32_t who, uint32_t index) {
    ring& of = rings_[index];
    if (of.blocks == 0) return false;
    const uint32_t block = of.blocks == 1 ? 0 : who / 2, consumers = of.consumers[0] | of.consumers[1];
    side& own = of.sides[who];
    uint32_t last = 0;
    for (const side& each : of.sides) {
      const uint32_t begun = each.round + (each.at != 0 ? 1 : 0);
      if (begun > last) last = begun;
    }
    if (who != of.producers[block])
      return has(of.consumers[block], who) && own.round < last && consume_ring(who, index, block);
    if (has(of.ended, who)) return false;
    if (is_finishing_ && own.round >= last) return end_ring(who, index, block);
    if (own.at == 0 && own.round >= stages_of_ring[index]) {
      const ring_round& before = of.rounds[own.round - stages_of_ring[index]];
      if (before.releases != consumers) return false;
      acquire(who, before.emptied);
    }
    if (of.rounds.size() <= own.round) of.rounds.resize(own.round + 1);
    ring_round& now = of.rounds[own.round];
    if (own.at == 0) {
      if (now.acquired == 0) make_plan(of, now);
      now.acquired |= 1u << block;
      uint32_t units = 0;
      for (const planned_copy& each : now.plan)
        units += has(each.to, block) ? 1 : 0;
      step& made = add(who, ring_acquire, index);
      made.other = units;
      of.seen[who] = release(who);
      if (made.way == 2) {
        planned_copy* const only = now.plan.size() == 1 ? now.plan.data() : nullptr;
        if (only == nullptr || only->block != block || only->to != 1u << block) {
          made.way = 0;
        } else {
          made.other = only->unit;
          made.value = only->source;
          begin_copy(who, index, *only, cells_[only->source].value);
        }
      }
    } else {
      for (planned_copy& each : now.plan)
        if (!each.is_begun && each.block == block) {
          copy_to_ring(who, index, each);
          break;
        }
    }
    ++own.at;
    bool is_done = true;
    for (const planned_copy& each : now.plan)
      is_done = is_done && (each.is_begun || each.block != block);
    if (is_done) own = {own.round + 1, 0};
    return true;
  }
  // The planned source, or another one: with a fence, if the producer has learned of its contents only since it acquired
  // the stage.
  void copy_to_ring(uint32_t who, uint32_t index, planned_copy& one) {
    ring& of = rings_[index];
    const uint32_t other = cells + below(sources);
    const bool is_other = coin() && may_read(who, cells_[other]);
    const uint32_t source = is_other ? other : one.source;
    cell& from = cells_[source];
    step& made = add(who, one.to == 1u << one.block ? ring_copy : ring_cast, index);
    made.other = one.unit;
    made.value = source;
    made.parity = one.to;
    if (is_other) {
      const clock& seen = of.seen[who];
      if (from.written != 0 && (from.writer >= seen.size() || seen[from.writer] < from.written)) made.way = 1;
      for (uint32_t block = 0; block < of.blocks; ++block)
        if (has(one.to, block)) complete_copy(start_copy(from), of.rounds[of.sides[who].round].filled[block]);
    }
    begin_copy(who, index, one, from.value);
  }
  // A consumer reads what the producer or it itself wrote last, and may write its own unit.
  bool consume_ring(uint32_t who, uint32_t index, uint32_t block) {
    ring& of = rings_[index];
    side& own = of.sides[who];
    ring_round& now = of.rounds[own.round];
    const uint32_t stage = own.round % stages_of_ring[index];
    if (own.at == 0) {
      if (!has(now.acquired, block)) return false;
      for (const planned_copy& each : now.plan)
        if (has(each.to, block) && !each.is_begun) return false;
      add(who, ring_wait, index);
      acquire(who, now.filled[block]);
    } else if (own.at == 1) {
      for (uint32_t unit = 0; unit < agents; ++unit)
        if (unit == who || !has(of.consumers[block], unit)) read_ring(who, index, block, stage, unit);
      if (coin()) {
        step& made = add(who, ring_write, index);
        made.other = who;
        made.parity = stage;
        made.value = of.values[block][stage][who] = next_value_++;
      }
    } else {
      add(who, ring_release, index);
      join(now.emptied, release(who));
      now.releases |= 1u << who;
    }
    if (++own.at == 3) own = {own.round + 1, 0};
    return true;
  }
  void read_ring(uint32_t who, uint32_t index, uint32_t block, uint32_t stage, uint32_t unit) {
    step& made = add(who, ring_read, index);
    made.other = unit;
    made.parity = stage;
    made.value = rings_[index].values[block][stage][unit];
  }
  // After the tail, the producer may read what the consumers left.
  bool end_ring(uint32_t who, uint32_t index, uint32_t block) {
    ring& of = rings_[index];
    if (of.rounds.empty()) return false;
    for (const ring_round& each : of.rounds)
      if (each.releases != (of.consumers[0] | of.consumers[1])) return false;
    add(who, ring_tail, index);
    of.ended |= 1u << who;
    for (const ring_round& each : of.rounds)
      acquire(who, each.emptied);
    for (uint32_t stage = 0; stage < stages_of_ring[index]; ++stage)
      for (uint32_t unit = 0; unit < agents; ++unit)
        if (has(of.consumers[block], unit)) read_ring(who, index, block, stage, unit);
    return true;
  }

  // --- Stores by the copy engine: from cells to sources ---

  bool step_of_store(uint32_t who) {
    std::vector<group_of_stores>& groups = stores_[who];
    const bool is_open = !groups.empty() && !groups.back().is_committed;
    const uint32_t what = is_finishing_ ? 3 + below(3) : below(6);
    if (what < 3) {
      const uint32_t number = below(cells), target = cells + below(sources);
      cell &from = cells_[number], &to = cells_[target];
      if (!may_read(who, from) || !may_write(who, to)) return false;
      if (!is_open) groups.push_back({});
      const uint32_t reads = start_copy(from), writes = static_cast<uint32_t>(copies_++);
      complete_copy(reads, groups.back().read);
      complete_copy(reads, groups.back().stored);
      complete_copy(writes, groups.back().stored);
      to = {from.value, writes, 1, {}};
      groups.back().from = number;
      groups.back().to = target;
      step& made = add(who, store_begin, number);
      made.other = target;
    } else if (what == 3) {
      if (!is_open) return false;
      groups.back().is_committed = true;
      add(who, store_commit);
    } else {
      if (groups.empty() || is_open) return false;
      const auto count = static_cast<uint32_t>(groups.size());
      const uint32_t pending = is_finishing_ ? 0 : below(count < 3 ? count : 3);
      const bool is_whole = is_finishing_ || what == 4;
      add(who, is_whole ? store_wait : store_wait_read, pending);
      for (uint32_t index = 0; index < count - pending; ++index)
        acquire(who, is_whole ? groups[index].stored : groups[index].read);
      const group_of_stores& latest = groups[count - pending - 1];
      if (is_whole ? may_read(who, cells_[latest.to]) : may_write(who, cells_[latest.from]))
        is_whole ? read(who, latest.to) : write(who, latest.from);
      if (is_whole) groups.erase(groups.begin(), groups.end() - pending);
    }
    return true;
  }

  // --- Barriers that agents of another block of the cluster arrive at ---

  void choose_members_of_remotes() {
    for (uint32_t index = 0; index < remotes; ++index) {
      remote& of = remotes_[index];
      of.members = (1 + below(15)) | 1u << (index / 2 * 2 + below(2));  // one of them must wait
      settings.arrivals[index] = static_cast<uint32_t>(__builtin_popcount(of.members));
      of.entry = static_cast<uint32_t>(copies_++);
    }
  }
  // Reads what the agent may read only now.
  void acquire_and_read(uint32_t who, const clock& from) {
    const clock before = agents_[who].knows;
    acquire(who, from);
    for (uint32_t index = 0; index < cells + sources + nears; ++index) {
      const cell& of = cells_[index];
      const bool is_new = of.written != 0 && (of.writer >= before.size() || before[of.writer] < of.written);
      if (is_new && may_read(who, of)) read(who, index);
    }
  }
  // An agent arrives again when it knows that the phase before is complete: because it has waited, or because it has
  // synchronized with one that has.
  bool step_of_remote(uint32_t who, uint32_t index) {
    if (!can_.has_cluster) return false;
    remote& of = remotes_[index];
    const bool is_owner = who / 2 == index / 2;
    if (has(of.waiting, who)) {
      if (has(of.arrived, who)) return false;
      step& made = add(who, remote_wait, index);
      made.parity = (of.phase - 1) & 1;
      of.waiting &= ~(1u << who);
      acquire_and_read(who, of.completed);
      return true;
    }
    if (is_finishing_ || !has(of.members, who) || has(of.arrived, who) || !knows(who, of.entry, of.phase)) return false;
    access(who);
    const uint32_t left = of.members & ~of.dropped & ~(1u << who);
    if (left != 0 && below(12) == 0) {
      add(who, remote_drop, index);
      of.dropped |= 1u << who;
    } else {
      step& made = add(who, remote_arrive, index);
      if (!is_owner && made.way == 2) made.way = 0;
      if (is_owner) of.waiting |= 1u << who;
    }
    join(of.gathered, release(who));
    of.arrived |= 1u << who;
    if (of.arrived != of.members) return true;
    ++of.phase;
    of.completed = std::exchange(of.gathered, {});
    clock known(of.entry + 1);
    known[of.entry] = of.phase;
    join(of.completed, known);
    of.members &= ~of.dropped;
    of.arrived = 0;
    return true;
  }

  uint64_t state_;
  abilities can_;
  bool is_finishing_ = false;
  agent agents_[agents];
  cell
      cells_[cells + sources + nears];  // sources are in global memory: copies read them; nears in a block of a cluster
  bar bars_[bars];
  latch latches_[latches];
  signal signals_[signals];
  flag flags_[flags];
  counter counters_[counters];
  meeting meetings_[6];
  uint32_t ways_[6] = {}, exchange_from_ = 0, exchange_to_ = 0, exchange_at_ = 0;
  clock exchanged_;
  side sides_[agents];
  std::vector<round> rounds_;
  uint32_t quitters_ = 0;
  bool all_quit_ = coin();
  uint32_t focus_ = below(4);
  ring rings_[rings];
  std::vector<group_of_stores> stores_[agents];
  remote remotes_[remotes];
  size_t copies_ = agents;
  uint32_t next_value_ = 1, locked_times_ = 0;
};

inline const char* name_of(uint32_t what) {
  constexpr const char* all[] = {
#define FUZZ_ROW(NAME, WAYS) #NAME,
      FUZZ_OPERATIONS(FUZZ_ROW)
#undef FUZZ_ROW
  };
  return all[what];
}

inline void program::leave_out(const char* name) {
  for (std::vector<step>& of : steps)
    of.erase(
        std::remove_if(of.begin(), of.end(), [&](const step& each) { return strcmp(name_of(each.what), name) == 0; }),
        of.end());
}

inline void print(uint32_t who, const std::vector<step>& steps) {
  for (size_t index = 0; index < steps.size(); ++index)
    printf("agent %u, step %zu: %s, way %u, object %u, other %u, value %u, parity %u\n", who, index,
           name_of(steps[index].what), steps[index].way, steps[index].object, steps[index].other, steps[index].value,
           steps[index].parity);
}

// The first wrong result, and how many there were. Agent number "agents": the sum of the sections under the lock; the one
// after it: the threads that left the pipeline last.
struct failures {
  uint32_t count, agent, step, found;
};

inline void explain(uint64_t seed, const failures& of, const program& in) {
  printf("seed %llu: %u wrong results; first ", static_cast<unsigned long long>(seed), of.count);
  if (of.agent == agents) {
    printf("%u sections under the lock, expected %u\n", of.found, in.settings.locked_times);
  } else if (of.agent > agents) {
    printf("%u threads left the pipeline last, expected %u\n", of.found, in.settings.last_quits);
  } else {
    printf("%u (value %u) in\n", of.found, of.found / row);
    const std::vector<step>& steps = in.steps[of.agent];
    print(of.agent, {steps[of.step]});
    printf("which is step %u\n", of.step);
  }
}

// Whether each way of each operation occurs that exists where the program runs.
template <class Exists>
bool is_all_covered(const unsigned (*covered)[8], Exists exists) {
  bool result = true;
  for (uint32_t what = 0; what < operations; ++what)
    for (uint32_t way = 0; way < ways(what); ++way)
      if (covered[what][way] == 0 && exists(what)) {
        printf("no seed has %s, way %u\n", name_of(what), way);
        result = false;
      }
  return result;
}

}  // namespace fuzz

#endif
