// Tensor cores (tcgen05): operations that read shared memory and change tensor memory later, and boxes of tensors for them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

#include <algorithm>
#include <atomic>

namespace model {

// Accesses to tensor memory are all those of operations with an id of their own. They are ordered by what a thread knows of
// other operations, as far as tcgen05.fence has made it valid for later ones.
void grid::note_tensor(uint32_t id, block& home, const tensor_cells& at, const view& before, bool writes,
                       const instruction& by) {
  if (!with_.finds_races) return;
  const access made{id, 1, {home.serial, home.cluster_serial}, 0, writes, false, true, false, scope::sys, &by};
  const uint64_t start = (uint64_t{1} << 62) + (uint64_t{home.serial} << 32);
  for (uint32_t row = at.row; row < at.row + at.rows; ++row)
    record(made, start + row * tensor_memory_columns + at.column, at.columns, before, home.serial);
}

// Columns of 128 rows. The upper half of an address is a row, that of the first lane.
uint32_t* grid::tensor_row(block& home, const tensor_cells& at, uint32_t row, const instruction& by) {
  if (at.column + at.columns > tensor_memory_columns || row >= tensor_memory_rows)
    throw fault("an address behind tensor memory, in " + where_is(by), "out-of-bounds");
  home.tensor_memory.resize(tensor_memory_rows * tensor_memory_columns);
  return &home.tensor_memory[row * tensor_memory_columns + at.column];
}

// Those of the registers of a lane, in their order, as the tables of the PTX manual have them. Neighbors are together.
std::vector<tensor_cells> grid::cells_of(const instruction& at, thread& who, const operand& address,
                                         const operand& registers) {
  const uint32_t first = static_cast<uint32_t>(effective(who, address)), lane = who.lane;
  const uint32_t count = registers.count();
  const bool is_of_halves = at.has("16x32bx2"_w);
  const size_t split_at = opcode(at.opcode) == opcode::tensor_ld ? 2 : 1;
  const uint32_t split = is_of_halves ? read_word(who, at.operands[split_at]) : 0;
  std::vector<tensor_cells> found;
  for (uint32_t index = 0; index < count; ++index) {
    uint32_t row = lane, column = index;
    if (at.has("16x256b"_w))
      row = lane / 4 + index / 2 % 2 * 8, column = index / 4 * 8 + lane % 4 * 2 + index % 2;
    else if (at.has("16x128b"_w))
      row = lane / 4 + index % 2 * 8, column = index / 2 * 4 + lane % 4;
    else if (at.has("16x64b"_w))
      row = lane / 4 + lane % 2 * 8, column = index * 2 + lane / 2 % 2;
    else if (is_of_halves)
      row = lane % 16, column = index + lane / 16 * split;
    row += first >> 16;
    column += first & 0xffff;
    if (!found.empty() && found.back().row == row && found.back().column + found.back().columns == column)
      ++found.back().columns;
    else
      found.push_back({row, 1, column, 1});
  }
  return found;
}

// No real multiplication: each word of the accumulator in each block of the group is increased by the sum of the first 16
// bytes of A and of B, of all blocks of the group. A descriptor has the address in units of 16 bytes in its lowest 14 bits,
// and that of the instruction has the eighth part of the number of columns in six bits.
void grid::multiply_async(const instruction& at, thread& who) {
  static std::atomic<bool> has_said{false};
  if (with_.on_finding && !has_said.exchange(true)) {
    finding note;
    note.kind = note.rule = "note";
    note.message =
        "tcgen05.mma is checked, but does not multiply on the machine: what the program makes of its results is "
        "wrong, and so is its own check of them";
    with_.on_finding(note);
  }
  const bool is_pair = at.has("cta_group::2"_w);
  block& home = *who.home;
  const uint32_t first = is_pair ? home.cluster_rank & ~1u : home.cluster_rank;
  if (is_pair && (home.cluster_rank % 2 != 0 || first + 1 >= home.cluster.size()))
    throw fault("an operation for a pair of blocks must be begun by the first one, in " + where_is(at));
  const uint32_t first_column = static_cast<uint32_t>(effective(who, at.operands[0])) & 0xffff;
  const uint32_t columns = (read_word(who, at.operands[3]) >> 17 & 63) * 8;
  const tensor_cells to{0, tensor_memory_rows, first_column, std::max(columns, 1u)};
  const bool adds = read(who, at.operands.back(), {kind::predicate, 1}) != 0;
  std::vector<location> sources;
  std::vector<block*> blocks;
  for (uint32_t rank = first; rank < first + (is_pair ? 2 : 1); ++rank) {
    blocks.push_back(home.cluster[rank]);
    for (size_t matrix = 1; matrix <= 2; ++matrix) {
      const uint64_t offset = (static_cast<uint64_t>(read(who, at.operands[matrix], {kind::bits, 8})) & 0x3fff) << 4;
      sources.push_back(locate(who, address_in(rank, offset), space::shared_cluster, 16, at));
    }
  }
  const uint32_t id = new_copy(who);
  const view before = who.seen;
  view tensor_before;
  tensor_before.all = who.tensor_seen;
  const instruction* by = &at;
  thread* issuer = &who;
  const std::vector<uint32_t> earlier = who.tensor_operations;  // operations of a thread are in order
  for (const uint32_t each : earlier)
    tensor_before.all.set(each, 1);
  who.tensor_operations.push_back(id);
  for (const uint32_t each : operations_)  // what the operation comes after: copies, and other asynchronous operations
    if (before.all.of(each) != 0) who.tensor_known.set(each, 1);
  copies_.push_back({now_ + random(5000) * nanosecond, id, earlier, [=]() {
                       uint32_t sum = 0;
                       for (const location& from : sources) {
                         note_copy(id, *issuer, before, from, 16, false, *by);
                         uint32_t words[4];
                         std::memcpy(words, from.bytes, sizeof words);
                         for (const uint32_t word : words)
                           sum += word;
                       }
                       for (block* const each : blocks) {
                         note_tensor(id, *each, to, tensor_before, true, *by);
                         for (uint32_t row = 0; row < to.rows; ++row) {
                           uint32_t* const words = tensor_row(*each, to, row, *by);
                           for (uint32_t column = 0; column < to.columns; ++column)
                             words[column] = (adds ? words[column] : 0) + sum;
                         }
                       }
                     }});
}

// Arrives, in each block, when all earlier operations of the thread are complete.
void grid::commit_tensor(const instruction& at, thread& who) {
  const bool multicast = at.has("multicast::cluster"_w);
  const uint64_t address = effective(who, at.operands[0]);
  const uint32_t mask = multicast ? static_cast<uint32_t>(read(who, at.operands[1], {kind::bits, 2})) : 1;
  view done;
  done.all = who.tensor_known;
  for (const uint32_t each : who.tensor_operations)
    done.all.set(each, 1);
  for (uint32_t rank = 0; mask >> rank != 0; ++rank) {
    if ((mask >> rank & 1) == 0) continue;
    const uint64_t there = multicast ? address_in(rank, address) : address;
    const location bar = locate(who, there, space::shared_cluster, 8, at);
    copies_.push_back({now_ + random(3000) * nanosecond, new_copy(who), who.tensor_operations, [=]() {
                         const block* const home = owner_of(bar.key);
                         if (home == nullptr || home->alive == 0)
                           throw fault("tcgen05.commit arrives in a block that has ended");
                         const message published{done, place{home->serial, home->cluster_serial}, scope::sys};
                         change_mbarrier(bar, 1, 0, 0, &published);
                       }});
  }
}

view grid::before_tensor_access(const thread& who) {
  view before;
  before.all = who.tensor_seen;
  for (const uint32_t each : who.tensor_operations)
    before.all.set(each, 1);
  return before;
}

// The words are in the registers at once, although no lane may use them before tcgen05.wait::ld: compilers move registers.
void grid::load_tensor(const instruction& at, thread& who) {
  const std::vector<tensor_cells> from = cells_of(at, who, at.operands[1], at.operands[0]);
  who.tensor_loads.push_back({new_copy(who), &at, from, before_tensor_access(who)});
  uint32_t index = 0;
  for (const tensor_cells& each : from) {
    const uint32_t* const words = tensor_row(*who.home, each, each.row, at);
    for (uint32_t column = 0; column < each.columns; ++column)
      write(who, at.operands[0].part(index++), words[column], {kind::bits, 4});
  }
  if (!with_.finds_races) return;
  static_cast<void>(make_no_value(at, who, 0, -1));
  no_values_.back().operation = who.tensor_loads.back().id;
  set_lacking(who, at.operands[0], &no_values_.back());
}

void grid::store_tensor(const instruction& at, thread& who) {
  const operand& registers = at.operands.back();
  const uint32_t id = new_copy(who);
  uint32_t index = 0;
  for (const tensor_cells& each : cells_of(at, who, at.operands[0], registers)) {
    note_tensor(id, *who.home, each, before_tensor_access(who), true, at);
    uint32_t* const words = tensor_row(*who.home, each, each.row, at);
    for (uint32_t column = 0; column < each.columns; ++column)
      words[column] = read_word(who, registers.part(index++));
  }
  who.tensor_stores.push_back(id);
  changed();
}

// The lanes of a warp access tensor memory and wait together, but each of them waits only for its own accesses.
void grid::wait_for_tensor_accesses(const instruction& at, const lanes& warp) {
  for (thread* const who : warp) {
    const auto is_done = [&](uint32_t id) {
      who->tensor_seen.set(id, 1);
      who->tensor_accesses_done.push_back(id);
    };
    std::vector<tensor_load> loads;
    std::vector<uint32_t> stores;
    at.has("wait::st"_w) ? stores.swap(who->tensor_stores) : loads.swap(who->tensor_loads);
    std::for_each(stores.begin(), stores.end(), is_done);
    for (const tensor_load& each : loads) {
      for (const tensor_cells& cells : each.from)
        note_tensor(each.id, *who->home, cells, each.before, false, *each.by);
      auto& all = who->frames.back().without_value;
      for (auto lacking = all.begin(); lacking != all.end();)
        lacking = lacking->second->operation == each.id ? all.erase(lacking) : std::next(lacking);
      is_done(each.id);
    }
    ++who->frames.back().at;
  }
}

// Of a block: one that needs more columns than there are waits for others on a GPU, and for ever if it has them itself.
void grid::manage_tensor_memory(const instruction& at, const lanes& warp) {
  thread& who = *warp[0];
  block& home = *who.home;
  std::map<uint32_t, uint32_t>& taken = home.tensor_columns;
  const opcode what = opcode(at.opcode);
  const auto word_at = [&](size_t index) { return read_word(who, at.operands[index]); };
  if (what == opcode::tensor_relinquish) {
    home.has_relinquished = true;
  } else if (what == opcode::tensor_dealloc) {
    const auto found = taken.find(word_at(0));
    if (found == taken.end() || found->second != word_at(1))
      throw fault("tensor memory is freed that was not allocated with this address and size, in " + where_is(at));
    taken.erase(found);
  } else {
    const uint32_t columns = word_at(1);
    if (home.has_relinquished)
      throw fault("tensor memory is allocated after relinquish_alloc_permit, in " + where_is(at));
    if (columns < 32 || columns > tensor_memory_columns || (columns & (columns - 1)) != 0)
      throw fault("tensor memory is allocated in powers of two from 32 to 512 columns, in " + where_is(at));
    uint32_t first = 0;
    for (const auto& each : taken)
      if (first + columns > each.first) first = each.first + each.second;
    if (first + columns > tensor_memory_columns)
      throw fault("the block has no " + std::to_string(columns) + " free columns of tensor memory, in " + where_is(at));
    const location to = locate(who, effective(who, at.operands[0]), at.where, 4, at);
    note(who, to, 4, true, at, order::weak, scope::cta);
    std::memcpy(to.bytes, &first, 4);
    taken[first] = columns;
  }
  changed();
  for (thread* const each : warp)
    ++each->frames.back().at;
}

void grid::check_tensor_memory(const block& home) {
  if (!home.tensor_columns.empty())
    throw fault(
        "a block ends that has not freed its tensor memory: execute tcgen05.dealloc, by one warp, before the end");
}

void grid::fence_tensor(const instruction& at, thread& who) {
  if (at.has("fence::after_thread_sync"_w)) return who.tensor_seen.join(who.seen.all);
  for (const uint32_t each : who.tensor_accesses_done) {
    who.seen.all.set(each, 1);
    who.seen.change().published.set(each, 1);
  }
  who.tensor_accesses_done.clear();
}

}  // namespace model
