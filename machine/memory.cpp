// Operands, addresses, and accesses to memory with their order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>

namespace model {

namespace {

// The modules of a program come before its global variables.
struct allowed_regions {
  std::map<uint64_t, uint64_t> bytes_at;
  std::map<uint64_t, region> known;  // also those that have been freed, unless others are there
  uint64_t allocations = 0;
  std::mutex mutex;
};

std::atomic<uint64_t> launches{0};

}  // namespace

uint64_t begin_launch() {
  return ++launches;
}

void allow(const void* start, uint64_t bytes, const std::string& name, const char* memory) {
  allowed_regions& all = lasting<allowed_regions>();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const uint64_t first = reinterpret_cast<uint64_t>(start);
  all.bytes_at[first] = bytes;
  auto old = all.known.lower_bound(first);
  if (old != all.known.begin() && std::prev(old)->first + std::prev(old)->second.bytes > first) --old;
  while (old != all.known.end() && old->first < first + bytes)
    old = all.known.erase(old);
  all.known[first] = {first, bytes, name, name.empty() ? ++all.allocations : 0, false, memory, launches};
}
void forbid(const void* start) {
  allowed_regions& all = lasting<allowed_regions>();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.bytes_at.erase(reinterpret_cast<uint64_t>(start));
  const auto old = all.known.find(reinterpret_cast<uint64_t>(start));
  if (old != all.known.end()) old->second.is_freed = true;
}
bool is_allowed(uint64_t address, uint64_t bytes) {
  allowed_region in;
  return is_allowed(address, bytes, in);
}
bool is_allowed(uint64_t address, uint64_t bytes, allowed_region& in) {
  allowed_regions& all = lasting<allowed_regions>();
  const std::lock_guard<std::mutex> lock(all.mutex);
  auto at = all.bytes_at.upper_bound(address);
  if (at == all.bytes_at.begin()) return false;
  --at;
  in = {at->first, at->first + at->second};
  return address + bytes <= in.end;
}

region find_region(uint64_t address) {
  allowed_regions& all = lasting<allowed_regions>();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto next = all.known.upper_bound(address);
  const auto distance = [&](const region& one) {
    return address < one.start               ? one.start - address
           : address < one.start + one.bytes ? 0
                                             : address - one.start - one.bytes + 1;
  };
  region found;
  if (next != all.known.end()) found = next->second;
  if (next != all.known.begin()) {
    const region& before = std::prev(next)->second;
    if (found.bytes == 0 || distance(before) <= distance(found)) found = before;
  }
  return found;
}

bits grid::special_value(thread& who, special which) {
  const block& home = *who.home;
  const extent& shape = how_.cluster;
  const extent in_cluster{home.index.x % shape.x, home.index.y % shape.y, home.index.z % shape.z};
  switch (which) {
  case special::tid_x:
    return who.index.x;
  case special::tid_y:
    return who.index.y;
  case special::tid_z:
    return who.index.z;
  case special::ntid_x:
    return how_.block.x;
  case special::ntid_y:
    return how_.block.y;
  case special::ntid_z:
    return how_.block.z;
  case special::ctaid_x:
    return home.index.x;
  case special::ctaid_y:
    return home.index.y;
  case special::ctaid_z:
    return home.index.z;
  case special::nctaid_x:
    return how_.grid.x;
  case special::nctaid_y:
    return how_.grid.y;
  case special::nctaid_z:
    return how_.grid.z;
  case special::laneid:
    return who.lane;
  case special::warpid:
    return who.warp;
  case special::nwarpid:
    return 64;
  case special::smid:
    return home.multiprocessor;
  case special::nsmid:
    return with_.multiprocessors;
  case special::gridid:
    return number_;
  case special::clock:
  case special::clock64:
    note_time(who);
    return now_ * 2 / nanosecond;
  case special::clock_hi:
    note_time(who);
    return now_ * 2 / nanosecond >> 32;
  case special::globaltimer:
  case special::globaltimer_lo:
    note_time(who);
    now_ += 16 * nanosecond;
    return now_ / nanosecond;  // loops that read it need not be long
  case special::globaltimer_hi:
    note_time(who);
    return now_ / nanosecond >> 32;
  case special::lanemask_eq:
    return 1u << who.lane;
  case special::lanemask_lt:
    return (1u << who.lane) - 1;
  case special::lanemask_le:
    return (2u << who.lane) - 1;
  case special::lanemask_gt:
    return ~((2u << who.lane) - 1);
  case special::lanemask_ge:
    return ~((1u << who.lane) - 1);
  case special::cluster_ctarank:
    return home.cluster_rank;
  case special::cluster_nctarank:
    return shape.count();
  case special::cluster_ctaid_x:
    return in_cluster.x;
  case special::cluster_ctaid_y:
    return in_cluster.y;
  case special::cluster_ctaid_z:
    return in_cluster.z;
  case special::cluster_nctaid_x:
    return shape.x;
  case special::cluster_nctaid_y:
    return shape.y;
  case special::cluster_nctaid_z:
    return shape.z;
  case special::clusterid_x:
    return home.index.x / shape.x;
  case special::clusterid_y:
    return home.index.y / shape.y;
  case special::clusterid_z:
    return home.index.z / shape.z;
  case special::nclusterid_x:
    return how_.grid.x / shape.x;
  case special::nclusterid_y:
    return how_.grid.y / shape.y;
  case special::nclusterid_z:
    return how_.grid.z / shape.z;
  case special::is_explicit_cluster:
    return how_.has_clusters;
  case special::dynamic_smem_size:
    return how_.dynamic_shared_bytes;
  case special::total_smem_size:
  case special::aggr_smem_size:
    return shared_bytes_;
  case special::envreg1:
    return reinterpret_cast<uint64_t>(workspace_.data()) >> 32;
  case special::envreg2:
    return reinterpret_cast<uint64_t>(workspace_.data()) & 0xffffffff;
  case special::warp_size:
    return 32;
  case special::zero:
    return 0;
  }
  return 0;
}

uint64_t grid::address_of_symbol(thread& who, const variable& symbol) {
  switch (symbol.where) {
  case space::shared:
    return address_in(who.home->cluster_rank, symbol.address == behind_static_ones ? dynamic_start_ : symbol.address);
  case space::local:
    return who.frames.back().local_start + symbol.address;
  default:
    return symbol.address;
  }
}

bits grid::read_other(thread& who, const operand& from, type as) {
  switch (from.is) {
  case operand::form::special:
    return special_value(who, special(from.value)) & mask_of(as.bytes);
  case operand::form::address_of:
    return (address_of_symbol(who, *from.symbol) + static_cast<uint64_t>(from.value)) & mask_of(as.bytes);
  case operand::form::list: {
    bits value = 0;
    const uint32_t each = as.bytes / static_cast<uint32_t>(from.parts.size());
    for (size_t part = 0; part < from.parts.size(); ++part)
      value |= (read(who, from.parts[part], {kind::bits, static_cast<uint8_t>(each)})) << (8 * each * part);
    return value;
  }
  case operand::form::callee:
    return reinterpret_cast<uint64_t>(from.target);
  default:
    throw fault("an operand cannot be read");
  }
}

void grid::write_parts(thread& who, const operand& to, bits value, type as) {
  if (to.is == operand::form::none) return;
  if (to.is != operand::form::list) throw fault("an operand cannot be written");
  const uint32_t each = as.bytes / static_cast<uint32_t>(to.parts.size());
  for (size_t part = 0; part < to.parts.size(); ++part)
    write(who, to.parts[part], value >> (8 * each * part), {kind::bits, static_cast<uint8_t>(each)});
}

namespace {

// Of global memory that no kernel may access.
std::string describe_outside(const region& near, uint64_t address, uint64_t size) {
  if (near.bytes == 0) return "global memory, and none is allocated";
  const std::string name =
      (near.name.empty() ? "allocation " + std::to_string(near.number) : "`" + demangled(near.name) + "`") + " of " +
      std::to_string(near.bytes) + " bytes";
  const uint64_t end = near.start + near.bytes;
  if (near.is_freed && address >= near.start && address + size <= end)
    return "global memory: in " + name + ", which was freed";
  const uint64_t distance = address < near.start ? near.start - address : address + size - end;
  if (distance > (uint64_t{1} << 32)) return "global memory: no allocation is near it";
  return "global memory: " + std::to_string(distance) + " bytes " +
         (address < near.start ? "before " : "behind the end of ") + name;
}

}  // namespace

grid::location grid::locate(thread& who, uint64_t address, space where, uint64_t size, const instruction& at) {
  const auto bad = [&](const std::string& what, const char* rule) {
    char text[40];
    std::snprintf(text, sizeof text, "illegal address 0x%llx", static_cast<unsigned long long>(address));
    return fault(text + (" (" + what + ") in ") + where_is(at), rule);
  };
  if (size != 0 && size <= 16 && (size & (size - 1)) == 0 && address % size != 0)
    throw bad("misaligned: " + std::to_string(size) + " bytes", "misaligned");
  if (where == space::generic) {
    if (address >= local_window) {
      where = space::local;
      address -= local_window;
    } else if (address >= shared_window) {
      where = space::shared_cluster;
      address -= shared_window;
    } else if (address >= parameter_window) {
      where = space::parameter;
      address -= parameter_window;
    } else {
      where = space::global;
    }
  }
  switch (where) {
  case space::shared:
  case space::shared_cluster: {
    const uint64_t rank = (address & 0xffffffff) >> rank_shift;
    if (rank >= who.home->cluster.size()) throw bad("no such block in the cluster", "out-of-bounds");
    block* const owner = who.home->cluster[rank];
    if (owner != who.home && where == space::shared)
      throw bad("in the shared memory of another block, which needs .shared::cluster", "out-of-bounds");
    if (owner->alive == 0) throw bad("shared memory of a block that has ended", "block-has-ended");
    address = address_in(0, address);
    if (address + size > owner->shared.size())
      throw bad(std::to_string(address + size - owner->shared.size()) +
                    " bytes behind the block's shared memory, which has " + std::to_string(owner->shared.size()),
                "out-of-bounds");
    return {owner->shared.data() + address, shared_window + (uint64_t{owner->serial} << rank_shift) + address, false,
            false};
  }
  case space::local:
    if (address + size > local_bytes) throw bad("behind the thread's local memory", "out-of-bounds");
    if (who.local.size() < address + size) who.local.resize(round_up(address + size, 256));
    return {who.local.data() + address, 0, false, true};
  case space::parameter: {
    std::vector<uint8_t>& all = who.frames.back().parameters;
    if (address + size > all.size()) throw bad("behind the parameters", "out-of-bounds");
    return {all.data() + address, 0, false, true};
  }
  default:
    if ((address & multicast_window) != 0)
      throw bad("a multicast address, which only multimem instructions may access", "multicast-address");
    if (!is_allowed_as_before(address, size)) {
      const region near = find_region(address);
      throw bad(describe_outside(near, address, size), near.is_freed ? "freed-memory" : "out-of-bounds");
    }
    return {reinterpret_cast<uint8_t*>(address), address, true, false};
  }
}

void grid::record(const access& made, uint64_t key, uint64_t size, const view& before, uint32_t memory) {
  if (how_.begins_early && key < shared_window && (dependency_ == 0 || before.all.of(dependency_) == 0))
    note_early(made, key, size);
  if (made.is_write && key >= shared_window && key < local_window)
    if (uint8_t* const bytes = written_bytes(key)) std::fill_n(bytes, size, 1);
  if (key >= shared_window && key < local_window && !mbarriers_.empty()) check_barrier(made, key, size);
  access conflict;
  if (order_.record(key, size, made, before, memory, conflict) != nullptr) report_race(conflict, made);
}

void grid::note(thread& who, const location& at, uint64_t size, bool writes, const instruction& by, order ordering,
                scope reach, bool is_initialization, bool changes) {
  if (at.is_private || size == 0) return;
  if (writes && opcode(by.opcode) != opcode::st && opcode(by.opcode) != opcode::atom &&
      opcode(by.opcode) != opcode::red)
    note_other_write(at.key, size);
  if (!with_.finds_races || is_over_) return;
  access made{who.id, times_[who.id],    place_of(who), 0,  writes, ordering != order::weak,
              false,  is_initialization, reach,         &by};
  made.changes = changes;
  made.is_read_only = by.has("nc"_w) || is_read_of_textures(opcode(by.opcode));
  record(made, at.key, size, who.seen, memory_of(at));
}

void grid::note_map(thread& who, const location& at, uint64_t size, const instruction& by) {
  if (!with_.finds_races || at.is_private) return;
  access made{who.id, times_[who.id], place_of(who), 0, false, false, false, false, scope::cta, &by};
  made.is_map = true;
  record(made, at.key, size, who.seen, memory_of(at));
}

void grid::check_known(uint32_t id, const thread& who, const view& before, const location& bar, const instruction& by,
                       scope reach) {
  if (!with_.finds_races) return;
  completes_on_.insert({id, bar.key});
  const access made{id, 1, place_of(who), 0, true, true, true, false, reach, &by};
  access conflict;
  if (order_.find_unknown_initialization(bar.key, before, memory_of(bar), conflict) != nullptr)
    report_race(conflict, made);
}

void grid::note_copy(uint32_t id, thread& who, const view& before, const location& at, uint64_t size, bool writes,
                     const instruction& by, bool is_generic) {
  if (at.is_private || size == 0) return;
  if (writes) note_other_write(at.key, size);
  if (!with_.finds_races) return;
  access made{id, 1, place_of(who), 0, writes, false, true, false, scope::sys, &by, is_generic};
  record(made, at.key, size, before, memory_of(at));
}

// A strong write: readers of it may acquire what it publishes. extends: it is a read-modify-write, so that what was
// published before stays published.
void grid::publish(thread& who, uint64_t key, order ordering, scope reach, bool extends) {
  if (!with_.finds_races) return;
  std::vector<message_pointer>& list = order_.messages(key);
  if (!extends) list.clear();
  const clocks& flushed = who.seen.special().flushed;
  for (const auto& release : who.fence_releases)
    if (release != nullptr) {
      message made = *release;
      made.reach = std::min(made.reach, reach);
      if (made.reach >= scope::gpu && !flushed.is_empty()) made.seen.change().flushed.join(flushed);
      order_keeper::add(list, made);
    }
  if (reach >= scope::gpu && !flushed.is_empty() && who.fence_releases[static_cast<int>(scope::gpu)] == nullptr &&
      who.fence_releases[static_cast<int>(scope::sys)] == nullptr) {
    message made{view(), place_of(who), reach};
    made.seen.change().flushed = flushed;
    order_keeper::add(list, made);
  }
  if (ordering == order::release || ordering == order::acq_rel || ordering == order::sc) {
    has_released_ = has_released_ || reach >= scope::gpu;
    order_keeper::add(list, message_of(who, reach));
    tick(who);
  }
}

void grid::observe(thread& who, uint64_t key, order ordering, scope reach) {
  if (!with_.finds_races) return;
  const bool acquires = ordering == order::acquire || ordering == order::acq_rel || ordering == order::sc;
  has_acquired_ = has_acquired_ || (acquires && reach >= scope::gpu);
  const std::vector<message_pointer>* list = order_.find_messages(key);
  if (list == nullptr) return;
  for (const message_pointer& each : *list) {
    if (acquires) acquire(who, *each, reach);
    if (!each->maps.is_empty() && are_in_reach(who, *each, reach)) who.maps.join(each->maps);
    bool is_known = false;
    for (const auto& old : who.observed)
      is_known = is_known || (old.first == each && old.second == reach);
    if (is_known) continue;
    if (reach >= scope::gpu && each->reach >= scope::gpu) {
      clocks& noticed = who.seen.change().noticed;
      noticed.join(each->seen.all);
      noticed.join(each->seen.special().flushed);
    }
    if (who.observed.size() >= 64) who.observed.erase(who.observed.begin());
    who.observed.push_back({each, reach});
  }
}

// Of fence.proxy.tensormap: strong writes that come later publish it.
void grid::release_maps(thread& who, scope reach, const clocks& before) {
  std::unique_ptr<message>& made = who.fence_releases[static_cast<int>(reach)];
  if (made == nullptr) made.reset(new message{view(), place_of(who), reach});
  made->maps.join(before);
  tick(who);
}

void grid::fence(const instruction& at, thread& who) {
  finish_stores_everywhere(who);
  if (at.has("proxy"_w)) {
    if (at.has("tensormap::generic"_w)) {
      if (!at.has("acquire"_w)) return release_maps(who, at.reach, who.seen.all);
      who.seen.change().mapped.join(who.seen.all);
      who.seen.change().mapped.join(who.maps);
      return tick(who);
    }
    if (at.has("alias"_w)) {
      who.seen.change().aliased.join(who.seen.all);
      return tick(who);
    }
    const bool is_own = at.has("shared::cta"_w), is_shared = is_own || at.has("shared::cluster"_w);
    const bool is_global = at.has("global"_w);
    if (is_global || !is_shared) who.seen.change().fenced.join(fenced_clocks::global, who.seen.all);
    if (is_shared || !is_global)
      for (const block* each : who.home->cluster)
        if (!is_own || each == who.home) who.seen.change().fenced.join(each->serial, who.seen.all);
    tick(who);
    return;
  }
  const scope reach = at.reach;
  const order ordering = at.words[0] == "membar" ? order::sc : at.ordering;
  if (at.has("mbarrier_init"_w)) {
    who.seen.change().initialized.join(who.seen.all);
    return tick(who);
  }
  if (ordering != order::release) {
    for (const auto& each : who.observed) {
      const message& seen = *each.first;
      if (includes(each.second, place_of(who), seen.from)) acquire(who, seen, reach);
    }
    who.observed.clear();
  }
  if (ordering != order::release) acquire_globally(who, reach);
  has_acquired_ = has_acquired_ || (ordering != order::release && reach >= scope::gpu);
  has_released_ = has_released_ || (ordering != order::acquire && reach >= scope::gpu);
  if (with_.finds_races && reach >= scope::gpu) {
    special_clocks& special = who.seen.change();
    special.flushed.join(special.noticed);
    special.flushed.join(who.seen.all);
  }
  if (ordering != order::acquire) {
    std::unique_ptr<message>& made = who.fence_releases[static_cast<int>(reach)];
    clocks maps = made != nullptr ? std::move(made->maps) : clocks();
    made.reset(new message(message_of(who, reach)));
    made->maps = std::move(maps);
    tick(who);
  }
}

// A load at a scope no wider than the block's may be served by the L1 cache. A third of the seeds keeps all its lines, the
// others forget some of them.
const uint8_t* grid::load_by_cache(thread& who, const location& at, uint64_t size) {
  first_cache& cache = cache_of(who);
  const uint64_t sector = at.key / first_cache::sector_bytes * first_cache::sector_bytes;
  const uint64_t kind = choices_.kept_lines();
  if (kind != 1 && evictions_() % (kind == 2 ? 8 : 2) == 0) cache.drop(at.key, size);
  const uint8_t* const bytes = cache.load(at.key, size, is_allowed_as_before(sector, first_cache::sector_bytes));
  if (watches_ && kind != 1 && std::memcmp(bytes, at.bytes, size) != 0) who.loop = {};  // it soon sees what is there
  return bytes;
}

void grid::load(const instruction& at, thread& who) {
  const type each = at.first;
  const operand& to = at.operands[0];
  const operand& from = at.operands[1];
  const uint64_t size = uint64_t{each.bytes} * at.vector;
  const location place = locate(who, effective(who, from), at.where, size, at);
  const order ordering = at.ordering;
  if (!place.is_private && !is_over_) {
    if (ordering != order::weak) note_signals(who, place, size, at);
    note(who, place, size, false, at, ordering, at.reach);
    if (with_.finds_races && !place.is_global) check_loaded(at, who, place);
    if (ordering != order::weak) observe(who, place.key, ordering, at.reach);
  }
  const bool is_narrow = ordering == order::weak || at.reach == scope::cta;
  const bool is_in_sector = place.key % first_cache::sector_bytes + size <= first_cache::sector_bytes;
  const bool is_cached = place.is_global && is_narrow && is_in_sector;
  const uint8_t* const bytes = is_cached ? load_by_cache(who, place, size) : place.bytes;
  for (uint32_t part = 0; part < at.vector; ++part) {
    bits value = 0;
    std::memcpy(&value, bytes + part * each.bytes, each.bytes);
    if (each.what == kind::signed_integer)
      value = static_cast<bits>(static_cast<__int128>(to_signed(value, each.bytes)));
    const type wide{kind::bits, static_cast<uint8_t>(std::max<int>(each.bytes, 8))};
    write(who, to.part(part), value, each.bytes == 16 ? each : wide);
  }
  if (observes_ && !place.is_private) {
    bits value = 0;
    std::memcpy(&value, bytes, std::min<uint64_t>(size, 16));
    observe_access(who, at, place.key, size, value, nullptr);
  }
  if (ordering == order::acquire) acquire_globally(who, at.reach);
}

void grid::store(const instruction& at, thread& who) {
  const type each = at.first;
  const operand& to = at.operands[0];
  const operand& from = at.operands[1];
  const uint64_t size = uint64_t{each.bytes} * at.vector;
  const location place = locate(who, effective(who, to), at.where, size, at);
  if (at.ordering == order::release) finish_stores_everywhere(who);
  uint8_t made[8 * 16];
  for (uint32_t part = 0; part < at.vector; ++part) {
    const bits value = read(who, from.part(part), each);
    std::memcpy(made + part * each.bytes, &value, each.bytes);
  }
  if (!place.is_private) {
    const bool changes = std::memcmp(place.bytes, made, size) != 0;
    note(who, place, size, true, at, at.ordering, at.reach, false, changes);
    if (!place.is_global && !who.frames.back().without_value.empty()) mark_stored(at, who, place);
    if (at.ordering != order::weak) publish(who, place.key, at.ordering, at.reach, false);
    if (at.ordering != order::weak) who.home->note_signal(&at);
    if (changes) {
      changed();
      uint64_t before = 0, value = 0;
      std::memcpy(&before, place.bytes, std::min<uint64_t>(size, 8));
      std::memcpy(&value, made, std::min<uint64_t>(size, 8));
      if (at.ordering != order::weak)
        note_change(who, place.key, size, at, before, value);
      else
        note_store(who, place.key, size, at, value);
    }
  }
  std::memcpy(place.bytes, made, size);
  if (place.is_global) cache_of(who).store(place.key, size, place.bytes);
}

void grid::atomic(const instruction& at, thread& who, bool has_result) {
  const size_t first = has_result ? 1 : 0;
  const type each = at.first;
  const operation what = operation(at.operation);
  const uint64_t size = uint64_t{each.bytes} * at.vector;
  const location place = locate(who, effective(who, at.operands[first]), at.where, size, at);
  if (place.is_private) throw fault("a read-modify-write in local memory in " + where_is(at));
  const order ordering = at.ordering == order::weak ? order::relaxed : at.ordering;
  const scope reach = at.has_scope ? at.reach : scope::gpu;
  if (ordering != order::relaxed && ordering != order::acquire) finish_stores_everywhere(who);
  const bool lacks = with_.finds_races && !is_over_ && !place.is_global && is_unwritten(place.key, size);
  // In global memory, a sum of f32 takes subnormal numbers for zero; in shared memory, it does not.
  const bool flushes = place.is_global && what == operation::add && each.what == kind::floating && each.bytes == 4;
  for (uint32_t part = 0; part < at.vector; ++part) {
    const auto operand_of = [&](size_t index) { return read(who, at.operands[first + index].part(part), each); };
    bits old = 0;
    std::memcpy(&old, place.bytes + part * each.bytes, each.bytes);
    const bits desired = what == operation::cas ? operand_of(2) : 0;
    const bits given = flushed(operand_of(1), each, flushes), before = flushed(old, each, flushes);
    const bits made = flushed(combine(what, before, given, desired, each), each, flushes);
    const bool writes = what != operation::cas || old == operand_of(1);
    if (part == 0 && !is_over_) {
      note_signals(who, place, size, at);
      note(who, place, size, writes, at, ordering, reach);
      observe(who, place.key, ordering, reach);
      if (writes) publish(who, place.key, ordering, reach, true);
    }
    if (made != old) {  // otherwise, the host may write there meanwhile
      changed();
      note_change(who, place.key + part * each.bytes, each.bytes, at, static_cast<uint64_t>(old),
                  static_cast<uint64_t>(made));
      std::memcpy(place.bytes + part * each.bytes, &made, each.bytes);
    }
    if (made == old &&
        (what == operation::or_ || what == operation::and_ || what == operation::max || what == operation::min))
      changes_of_words_.note_idle(launch_, place.key, size,
                                  {&at, who.id, static_cast<uint64_t>(old), static_cast<uint64_t>(made)});
    if (!writes)
      changes_of_words_.note_failure(launch_, place.key, size,
                                     {&at, who.id, static_cast<uint64_t>(old), static_cast<uint64_t>(operand_of(1))});
    if (observes_) observe_access(who, at, place.key + part * each.bytes, each.bytes, old, &made);
    if (has_result) write(who, at.operands[0].part(part), old, each.bytes == 16 ? each : type{kind::bits, 8});
  }
  who.home->note_signal(&at);
  if (lacks) update_unwritten(at, who, place);
  if (place.is_global) cache_of(who).drop(place.key, size);
  if (ordering == order::acquire || ordering == order::acq_rel || ordering == order::sc) acquire_globally(who, reach);
}

}  // namespace model
