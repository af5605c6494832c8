// Copies by tensor maps, and the instructions that change maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"
#include "tensor_map.h"

#include <algorithm>
#include <cstring>

namespace model {

// tensormap.replace: a weak store of the whole map.
void grid::replace_in_map(const instruction& at, thread& who) {
  const location place = locate(who, effective(who, at.operands[0]), at.where, sizeof(tensor_map), at);
  if (place.key % sizeof(tensor_map) != 0) throw fault("a tensor map must be aligned to 128 bytes, in " + where_is(at));
  const bool is_list = at.operands.size() == 3;
  const uint64_t dimension = is_list ? static_cast<uint64_t>(read(who, at.operands[1], {kind::bits, 4})) : 0;
  const operand& last = at.operands.back();
  const auto word = [&] { return static_cast<uint32_t>(read(who, last, {kind::bits, 4})); };
  const auto wide = [&] { return static_cast<uint64_t>(read(who, last, {kind::bits, 8})); };
  const auto require = [&](bool is_valid, const char* what) {
    if (!is_valid) throw fault(std::string("tensormap.replace: ") + what + ", in " + where_is(at));
  };
  tensor_map map;
  std::memcpy(&map, place.bytes, sizeof map);
  require(dimension < (at.has("global_stride"_w) ? 4 : 5), "no such dimension");
  if (at.has("global_address"_w)) {
    map.address = wide();
    require(map.address % 16 == 0, "the address must be a multiple of 16");
  } else if (at.has("rank"_w)) {
    map.rank = word();
    require(map.rank < 5, "the rank, less one, must be 0 to 4");
  } else if (at.has("global_dim"_w)) {
    map.extents[dimension] = word();
    require(map.extents[dimension] != 0, "an extent must be 1 or more");
  } else if (at.has("global_stride"_w)) {
    map.strides[dimension] = wide();
    require(map.strides[dimension] % 16 == 0 && map.strides[dimension] >> 40 == 0,
            "a stride must be a multiple of 16 bytes, and less than 2^40");
  } else if (at.has("box_dim"_w)) {
    map.box[dimension] = word();
    require(map.box[dimension] - 1 < 256, "a box has 1 to 256 elements in a dimension");
  } else if (at.has("element_stride"_w)) {
    map.steps[dimension] = word();
    require(map.steps[dimension] - 1 < 8, "an element stride must be 1 to 8");
  } else if (at.has("interleave_layout"_w)) {
    map.interleave = word();
  } else if (at.has("swizzle_mode"_w)) {
    map.swizzle = word();
  } else if (at.has("fill_mode"_w)) {
    map.fill = word();
  } else {
    throw fault("the machine does not know " + std::string(at.text));
  }
  note(who, place, sizeof map, true, at, order::weak, scope::cta);
  std::memcpy(place.bytes, &map, sizeof map);
  changed();
}

// tensormap.cp_fenceproxy: each lane copies a word, which is not the one that it is likely to have written. Its release is not
// asked for, only the acquire of fence.proxy.tensormap.
void grid::copy_map(const instruction& at, thread& who) {
  const uint64_t offset = uint64_t{31 - who.lane} * 4;
  const location to = locate(who, effective(who, at.operands[0]) + offset, space::global, 4, at);
  const location from = locate(who, effective(who, at.operands[1]) + offset, space::shared, 4, at);
  note(who, from, 4, false, at, order::weak, scope::cta);
  note(who, to, 4, true, at, order::weak, scope::cta);
  std::memcpy(to.bytes, from.bytes, 4);
  cache_of(who).drop(to.key, 4);
  changed();
}

// The rows of a box that lie in the tensor, at least in part: the innermost dimension of each is contiguous in both places.
std::vector<grid::box_row> grid::rows_of(const tensor_map& map, const std::vector<int64_t>& corner, uint64_t& bytes) {
  const size_t rank = map.rank + 1;
  uint64_t rows = 1;
  for (size_t dimension = 1; dimension < rank; ++dimension)
    rows *= map.box[dimension];
  const int64_t extent = map.extents[0], first = std::max<int64_t>(corner[0], 0),
                end = std::min<int64_t>(corner[0] + map.box[0], extent);
  const uint64_t row_bytes = uint64_t{map.box[0]} * map.element_bytes;
  bytes = rows * row_bytes;
  std::vector<box_row> found;
  for (uint64_t row = 0; row < rows && first < end; ++row) {
    uint64_t index = row, source = map.address + static_cast<uint64_t>(first) * map.element_bytes;
    bool is_inside = true;
    for (size_t dimension = 1; dimension < rank; ++dimension) {
      const int64_t place = corner[dimension] + static_cast<int64_t>(index % map.box[dimension]);
      index /= map.box[dimension];
      is_inside = is_inside && place >= 0 && place < int64_t{map.extents[dimension]};
      source += static_cast<uint64_t>(place) * map.strides[dimension - 1];
    }
    if (is_inside)
      found.push_back({row * row_bytes + static_cast<uint64_t>(first - corner[0]) * map.element_bytes, source,
                       static_cast<uint64_t>(end - first) * map.element_bytes});
  }
  return found;
}

// cp.async.bulk.tensor, from global to shared memory: tiles without a swizzle. Elements outside the tensor are zeros.
void grid::copy_box(const instruction& at, thread& who) {
  const operand& source = at.operands[1];
  const location place = locate(who, effective(who, source), space::generic, sizeof(tensor_map), at);
  note_map(who, place, sizeof(tensor_map), at);
  tensor_map map;
  std::memcpy(&map, place.bytes, sizeof map);
  const bool is_list = source.parts[0].is == operand::form::list;
  const std::vector<operand> coordinates = is_list ? source.parts[0].parts : std::vector<operand>{source.parts[0]};
  if (map.rank >= 5 || coordinates.size() != map.rank + 1 || map.interleave != 0 || map.swizzle != 0 || map.fill != 0)
    throw fault("the machine does not know this tensor map, or its rank is another, in " + where_is(at));
  std::vector<int64_t> corner;
  for (const operand& each : coordinates)
    corner.push_back(static_cast<int32_t>(read(who, each, {kind::bits, 4})));
  uint64_t size = 0;
  const std::vector<box_row> rows = rows_of(map, corner, size);
  std::vector<location> sources;
  for (const box_row& row : rows) {
    sources.push_back(locate(who, row.source, space::global, 0, at));
    static_cast<void>(locate(who, row.source, space::global, row.bytes, at));
  }
  const uint64_t to_address = effective(who, at.operands[0]);
  const location to = locate(who, to_address, space::shared_cluster, 0, at);
  static_cast<void>(locate(who, to_address, space::shared_cluster, size, at));
  const location bar = locate(who, effective(who, at.operands[2]), space::shared_cluster, 8, at);
  const block *const there = owner_of(to.key), *const counts = owner_of(bar.key);
  if (there != counts && !(at.has("cta_group::2"_w) && there->cluster_rank / 2 == counts->cluster_rank / 2))
    throw fault("the barrier must be in the block of the box, or in its pair with .cta_group::2, in " + where_is(at));
  const uint32_t id = new_copy(who);
  const view before = who.seen;
  const instruction* by = &at;
  thread* issuer = &who;
  copies_.push_back({now_ + random(5000) * nanosecond, id, {}, [=]() {
                       note_copy(id, *issuer, before, to, size, true, *by);
                       std::memset(to.bytes, 0, size);
                       for (size_t row = 0; row < rows.size(); ++row) {
                         note_copy(id, *issuer, before, sources[row], rows[row].bytes, false, *by);
                         std::memcpy(to.bytes + rows[row].destination, sources[row].bytes, rows[row].bytes);
                       }
                       const block* const home = owner_of(bar.key);
                       if (home == nullptr || home->alive == 0)
                         throw fault("a copy completes in a block that has ended");
                       message done{view(), model::place{home->serial, home->cluster_serial}, scope::sys};
                       done.seen.all.set(id, 1);
                       change_mbarrier(bar, 0, 0, -static_cast<int64_t>(size), &done);
                     }});
}

}  // namespace model
