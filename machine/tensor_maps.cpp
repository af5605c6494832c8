// Copies by tensor maps, and the instructions that change maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"
#include "swizzle.h"
#include "tensor_map.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace model {
namespace {

// As tensormap.replace numbers them.
const type element_types[] = {{kind::unsigned_integer, 1},
                              {kind::unsigned_integer, 2},
                              {kind::unsigned_integer, 4},
                              {kind::signed_integer, 4},
                              {kind::unsigned_integer, 8},
                              {kind::signed_integer, 8},
                              {kind::half, 2},
                              {kind::floating, 4},
                              {kind::floating, 4},
                              {kind::floating, 8},
                              {kind::brain, 2},
                              {kind::floating, 4},
                              {kind::floating, 4}};

uint32_t swizzle_width(const tensor_map& map) {
  return map.swizzle == 0 ? 0 : 16u << map.swizzle;
}

}  // namespace

// tensormap.replace: a weak store of the whole map.
void grid::replace_in_map(const instruction& at, thread& who) {
  const location place = locate(who, effective(who, at.operands[0]), at.where, sizeof(tensor_map), at);
  if (place.key % sizeof(tensor_map) != 0) throw fault("a tensor map must be aligned to 128 bytes, in " + where_is(at));
  const bool is_list = at.operands.size() == 3;
  const uint64_t dimension = is_list ? read_word(who, at.operands[1]) : 0;
  const operand& last = at.operands.back();
  const auto word = [&] { return read_word(who, last); };
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
  } else if (at.has("elemtype"_w)) {
    map.element = word();
    require(map.element < std::size(element_types), "no such type of elements");
    map.element_bytes = element_types[map.element].bytes;
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

// tensormap.cp_fenceproxy: the lanes copy a map together, each a word that is not the one that it is likely to have written.
// Each then has copied and released all of it, though nothing else that the others did is ordered.
void grid::copy_map(const instruction& at, const lanes& warp) {
  clocks copied;
  sequences executed;
  for (thread* who : warp) {
    const uint64_t offset = uint64_t{31 - who->lane} * 4;
    const location to = locate(*who, effective(*who, at.operands[0]) + offset, space::global, 4, at);
    const location from = locate(*who, effective(*who, at.operands[1]) + offset, space::shared, 4, at);
    note(*who, from, 4, false, at, order::weak, scope::cta);
    note(*who, to, 4, true, at, order::weak, scope::cta);
    std::memcpy(to.bytes, from.bytes, 4);
    cache_of(*who).drop(to.key, 4);
    copied.join(who->seen.all);
    executed.set(who->id, order_.sequence());
    ++who->frames.back().at;
  }
  changed();
  if (!with_.finds_races) return;
  for (thread* who : warp) {
    who->maps.join(copied);
    who->seen.executed.join(executed);
    release_maps(*who, at.reach, copied);
  }
}

// Steps through a box, from pixel to pixel: the coordinates of all dimensions but the innermost.
class grid::box_walk {
 public:
  box_walk(const tensor_map& map, const std::vector<int64_t>& corner) : map_(map), corner_(corner), at_(corner) {
    for (size_t dimension = 1; dimension <= map.rank; ++dimension)
      left_ *= map.is_im2col != 0 ? 1 : count(dimension);
    if (map.is_im2col != 0) left_ = map.box[1];
  }

  uint64_t left() const { return left_; }
  int64_t at(size_t dimension) const { return at_[dimension]; }

  void next() {
    --left_;
    for (size_t dimension = 1; dimension <= map_.rank; ++dimension) {
      at_[dimension] += map_.steps[dimension];
      if (dimension == map_.rank || at_[dimension] < end(dimension)) return;
      at_[dimension] = map_.is_im2col != 0 ? lower(dimension) : corner_[dimension];
    }
  }

 private:
  uint64_t count(size_t dimension) const {
    return (uint64_t{map_.box[dimension]} + map_.steps[dimension] - 1) / map_.steps[dimension];
  }
  int64_t lower(size_t dimension) const { return static_cast<int16_t>(map_.box[dimension + 1]); }
  int64_t end(size_t dimension) const {
    if (map_.is_im2col == 0) return corner_[dimension] + map_.box[dimension];
    return int64_t{map_.extents[dimension]} + static_cast<int16_t>(map_.box[dimension + 1] >> 16);
  }

  const tensor_map& map_;
  const std::vector<int64_t> corner_;
  std::vector<int64_t> at_;
  uint64_t left_ = 1;
};

// The rows of a box that lie in the tensor, at least in part: the innermost dimension of each is contiguous in both places.
std::vector<grid::box_row> grid::rows_of(const tensor_map& map, const std::vector<int64_t>& corner,
                                         const std::vector<int64_t>& offsets, uint64_t& bytes) {
  const int64_t extent = map.extents[0], first = std::max<int64_t>(corner[0], 0),
                end = std::min<int64_t>(corner[0] + map.box[0], extent);
  const uint64_t row_bytes = uint64_t{map.box[0]} * map.element_bytes;
  std::vector<box_row> found;
  bytes = 0;
  for (box_walk walk(map, corner); walk.left() != 0; walk.next(), bytes += row_bytes) {
    uint64_t source = map.address + static_cast<uint64_t>(first) * map.element_bytes;
    bool is_inside = first < end;
    for (size_t dimension = 1; dimension <= map.rank; ++dimension) {
      const int64_t place = walk.at(dimension) + (dimension <= offsets.size() ? offsets[dimension - 1] : 0);
      is_inside = is_inside && place >= 0 && place < int64_t{map.extents[dimension]};
      source += static_cast<uint64_t>(place) * map.strides[dimension - 1];
    }
    if (is_inside)
      found.push_back({bytes + static_cast<uint64_t>(first - corner[0]) * map.element_bytes, source,
                       static_cast<uint64_t>(end - first) * map.element_bytes});
  }
  return found;
}

// A row as pieces that stay together in shared memory when the box begins at this address.
template <class Use>
void grid::for_pieces(uint64_t start, uint32_t width, const box_row& row, const Use& use) {
  for (uint64_t done = 0; done < row.bytes;) {
    const uint64_t to = start + row.destination + done;
    const uint64_t size = width == 0 ? row.bytes : std::min(16 - to % 16, row.bytes - done);
    use(swizzled(to, width) - start, done, size);
    done += size;
  }
}

tensor_map grid::read_map(thread& who, const operand& from, const instruction& at, std::vector<int64_t>& corner) {
  const location place = locate(who, effective(who, from), space::generic, sizeof(tensor_map), at);
  note_map(who, place, sizeof(tensor_map), at);
  tensor_map map;
  std::memcpy(&map, place.bytes, sizeof map);
  const bool is_list = from.parts[0].is == operand::form::list;
  const std::vector<operand> coordinates = is_list ? from.parts[0].parts : std::vector<operand>{from.parts[0]};
  for (const operand& each : coordinates)
    corner.push_back(static_cast<int32_t>(read(who, each, {kind::bits, 4})));
  const bool is_column = at.has("im2col"_w) || at.has("im2col_no_offs"_w);
  if (map.rank >= 5 || corner.size() != map.rank + 1 || map.element >= std::size(element_types) ||
      map.element_bytes == 0)
    throw fault("this is no tensor map of the machine, or its rank is another, in " + where_is(at));
  if (is_column != (map.is_im2col != 0))
    throw fault("the map is for the other of tiles and im2col, in " + where_is(at));
  const uint32_t width = swizzle_width(map);
  if (map.interleave != 0 || map.swizzle > 3)
    throw fault("the machine does not implement this interleave layout or swizzle, in " + where_is(at));
  if (width != 0 && map.box[0] * map.element_bytes != width)
    throw fault("the machine implements a swizzle only of rows as long as it, in " + where_is(at));
  return map;
}

void grid::copy_box(const instruction& at, thread& who) {
  if (at.where == space::global) return store_box(at, who);
  std::vector<int64_t> corner, offsets;
  const tensor_map map = read_map(who, at.operands[1], at, corner);
  size_t next = 3;
  if (at.has("im2col"_w)) {
    for (const operand& each : at.operands[next].parts)
      offsets.push_back(static_cast<int64_t>(read(who, each, {kind::bits, 2})));
    ++next;
  }
  const bool multicast = at.has("multicast::cluster"_w);
  const bool is_of_pairs = at.has("cta_group::2"_w);
  const uint32_t mask = multicast ? static_cast<uint32_t>(read(who, at.operands[next], {kind::bits, 2})) : 1;
  uint64_t size = 0;
  const std::vector<box_row> rows = rows_of(map, corner, offsets, size);
  std::vector<location> sources;
  for (const box_row& row : rows)
    sources.push_back(locate(who, row.source, space::global, row.bytes, at));
  const uint64_t to_address = effective(who, at.operands[0]), bar_address = effective(who, at.operands[2]);
  if (to_address % 128 != 0) throw fault("a box must be aligned to 128 bytes in shared memory, in " + where_is(at));
  const uint64_t start = address_in(0, to_address);
  const view before = who.seen;
  const instruction* by = &at;
  thread* issuer = &who;
  const uint32_t width = swizzle_width(map);
  const type element = element_types[map.element];
  const bool fills_with_nan = map.fill != 0 && is_float(element);
  for (uint32_t rank = 0; mask >> rank != 0; ++rank) {
    if ((mask >> rank & 1) == 0) continue;
    const uint32_t id = new_copy(who);  // as in copy_bulk
    const auto there = [&](uint64_t given) { return multicast ? address_in(rank, given) : given; };
    const location to = locate(who, there(to_address), space::shared_cluster, size, at);
    // Of a pair, the barrier of the first or the second block counts, as the given one is of a first or a second one.
    const uint32_t of_pair = (rank & ~1u) + static_cast<uint32_t>(bar_address >> rank_shift & 1);
    const uint64_t bar_there = multicast ? address_in(is_of_pairs ? of_pair : rank, bar_address) : bar_address;
    const location bar = locate(who, bar_there, space::shared_cluster, 8, at);
    const block *const target = owner_of(to.key), *const counts = owner_of(bar.key);
    if (target != counts && !(is_of_pairs && target->cluster_rank / 2 == counts->cluster_rank / 2))
      throw fault("the barrier must be in the block of the box, or in its pair with .cta_group::2, in " + where_is(at));
    check_known(id, who, before, bar, at);
    keep_copy(id, who, to, size, true, at);
    copies_.push_back({now_ + random(5000) * nanosecond, id, {}, [=]() {
                         note_copy(id, *issuer, before, to, size, true, *by);
                         check_known(id, *issuer, before, bar, *by);
                         std::memset(to.bytes, 0, size);
                         const bits nan = mask_of(element.bytes) >> 1;
                         for (uint64_t offset = 0; fills_with_nan && offset < size; offset += element.bytes)
                           std::memcpy(to.bytes + offset, &nan, element.bytes);
                         for (size_t row = 0; row < rows.size(); ++row) {
                           note_copy(id, *issuer, before, sources[row], rows[row].bytes, false, *by);
                           for_pieces(start, width, rows[row], [&](uint64_t offset, uint64_t from, uint64_t bytes) {
                             std::memcpy(to.bytes + offset, sources[row].bytes + from, bytes);
                           });
                         }
                         complete_copy(id, bar, size, *by);
                       }});
  }
}

// To global memory, or a reduction there. As copy_bulk: it has read its source before it has written its destination.
void grid::store_box(const instruction& at, thread& who) {
  std::vector<int64_t> corner;
  const tensor_map map = read_map(who, at.operands[0], at, corner);
  uint64_t size = 0;
  const std::vector<box_row> rows = rows_of(map, corner, {}, size);
  std::vector<location> targets;
  for (const box_row& row : rows)
    targets.push_back(locate(who, row.source, space::global, row.bytes, at));
  const uint64_t from_address = effective(who, at.operands[1]);
  if (from_address % 128 != 0) throw fault("a box must be aligned to 128 bytes in shared memory, in " + where_is(at));
  const location from = locate(who, from_address, space::shared, size, at);
  const bool reduces = opcode(at.opcode) == opcode::cp_reduce_tensor;
  const operation what = operation(at.operation);
  const type each = element_types[map.element];
  const uint32_t id = new_copy(who), written = new_copy(who), width = swizzle_width(map);
  who.open_bulk.push_back(id);
  who.open_bulk.push_back(written);
  keep_copy(id, who, from, size, false, at);
  const view before = who.seen;
  const instruction* by = &at;
  thread* issuer = &who;
  const auto content = std::make_shared<std::vector<uint8_t>>(size);
  copies_.push_back({now_ + random(3000) * nanosecond, id, {}, [=]() {
                       note_copy(id, *issuer, before, from, size, false, *by);
                       std::memcpy(content->data(), from.bytes, size);
                     }});
  copies_.push_back(
      {now_ + random(9000) * nanosecond, written, {id}, [=]() {
         for (size_t row = 0; row < rows.size(); ++row) {
           const location& to = targets[row];
           const access made{written, 1, place_of(*issuer), 0, true, reduces, true, false, scope::gpu, by};
           note_other_write(to.key, rows[row].bytes);
           if (with_.finds_races) record(made, to.key, rows[row].bytes, before, fenced_clocks::global);
           for_pieces(from_address, width, rows[row], [&](uint64_t offset, uint64_t place, uint64_t bytes) {
             const uint8_t* const values = content->data() + offset;
             if (reduces)
               combine_all(what, each, to.bytes + place, values, bytes);
             else
               std::memcpy(to.bytes + place, values, bytes);
           });
           cache_of(*issuer).drop(to.key, rows[row].bytes);
         }
         changed();
       }});
}

}  // namespace model
