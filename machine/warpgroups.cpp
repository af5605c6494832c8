// wgmma.mma_async: products of matrices in shared memory, of which each of four warps computes 16 rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"
#include "matrices.h"
#include "swizzle.h"

#include <algorithm>

namespace model {
namespace {

// A descriptor of a matrix in shared memory. In the tables of the PTX manual, the dimension that is not the depth is M or N.
class shared_matrix {
 public:
  shared_matrix(uint64_t raw, bool is_depth_contiguous, uint32_t element_bytes)
      : start_((raw & 0x3fff) << 4), leading_((raw >> 16 & 0x3fff) << 4), stride_((raw >> 32 & 0x3fff) << 4),
        base_offset_(static_cast<uint32_t>(raw >> 49 & 7)), is_depth_contiguous_(is_depth_contiguous),
        element_bytes_(element_bytes) {
    constexpr uint32_t widths[] = {0, 128, 64, 32};
    width_ = widths[raw >> 62];
  }

  bool has_base_offset() const { return base_offset_ != 0; }

  // Of an element. Neighbors in the dimension that is contiguous are in the same 16 bytes, up to a multiple of 16 bytes.
  uint64_t address_of(uint32_t row, uint32_t depth) const {
    const uint64_t along = uint64_t{is_depth_contiguous_ ? depth : row} * element_bytes_;
    const uint64_t across = is_depth_contiguous_ ? row : depth;
    uint64_t offset;
    if (width_ == 0) {  // groups of eight times 16 bytes
      const uint64_t next_along = is_depth_contiguous_ ? leading_ : stride_;
      const uint64_t next_across = is_depth_contiguous_ ? stride_ : leading_;
      offset = along % 16 + along / 16 * next_along + across % 8 * 16 + across / 8 * next_across;
    } else {
      offset = along % width_ + along / width_ * leading_ + across % 8 * width_ + across / 8 * stride_;
    }
    return swizzled(start_ + offset, width_);
  }

 private:
  uint64_t start_, leading_, stride_;
  uint32_t base_offset_, width_;
  bool is_depth_contiguous_;
  uint32_t element_bytes_;
};

}  // namespace

void grid::check_multiply_fence(const lanes& warp) {
  for (const thread* each : warp) {
    if (each->has_multiply_fence) continue;
    const participant here = participant_of(*each);
    return report_bug(
        {"race",
         "missing-wgmma-fence",
         finding::level::bug,
         name_of(here) + " begins its first wgmma.mma_async" + line_of(here) +
             " without wgmma.fence, which orders its accesses to registers and shared memory before",
         "execute wgmma.fence.sync.aligned before the first wgmma.mma_async, and again after each other access to its "
         "registers",
         {here}});
  }
}

// At the end of a block: setmaxnreg must have been executed by all warps of a warpgroup.
void grid::check_register_counts(const block& home) {
  for (size_t rank = 0; rank < home.threads.size(); rank += 32) {
    const warp_of_threads& one = *home.threads[rank / 128 * 128]->group;
    const warp_of_threads& other = *home.threads[rank]->group;
    if (one.sets_registers.size() / one.lanes.size() == other.sets_registers.size() / other.lanes.size()) continue;
    const bool is_first = one.sets_registers.size() > other.sets_registers.size();
    const warp_of_threads &does = is_first ? one : other, &does_not = is_first ? other : one;
    participant here = participant_of(*does.lanes[0]);
    here.instruction = does.sets_registers.back()->text;
    here.at = places_of(*does.sets_registers.back());
    return report_bug({"divergence",
                       "partial-warpgroup",
                       finding::level::bug,
                       name_of(here) + " executes setmaxnreg" + line_of(here) + ", and " +
                           name_of(participant_of(*does_not.lanes[0])) + ", in another warp of the warpgroup, does not",
                       "let all four warps of the warpgroup execute it, before they take different branches",
                       {here}});
  }
}

// The four warps of a warpgroup multiply together: one that waits for an operation knows that all of it is done. False if the
// part of another warp is not done or has not begun.
bool grid::know_warpgroup(thread& who, uint32_t operation) {
  const std::vector<uint32_t>& own = who.group->multiplies;
  const size_t index = static_cast<size_t>(std::lower_bound(own.begin(), own.end(), operation) - own.begin());
  const size_t first = who.warp / 4 * 128;
  for (size_t rank = first; rank < std::min(first + 128, who.home->threads.size()); rank += 32) {
    const warp_of_threads& warp = *who.home->threads[rank]->group;
    const bool has_begun = index < warp.multiplies.size();
    if (!has_begun && lanes_alive(warp) == 0) continue;
    if (!has_begun || copies_done_.count(warp.multiplies[index]) == 0) return false;
    who.seen.all.set(warp.multiplies[index], 1);
    who.seen.change().published.set(warp.multiplies[index], 1);
  }
  return true;
}

// The result is in the registers at once, although no lane may use it before it has waited: compilers move registers that
// they share. What the operation reads in shared memory it reads at a random time, as far as races are concerned.
void grid::multiply_as_warp(const instruction& at, const lanes& warp) {
  thread& first = *warp[0];
  if (with_.finds_races) check_multiply_fence(warp);
  const std::vector<element> types = elements_of(at);
  const element of_d = types.at(0), of_a = types.at(1), of_b = types.at(2);
  const matrix_shape shape = shape_of(at);
  const operand& registers_of_a = at.operands[1];
  const bool is_a_shared = registers_of_a.is != operand::form::list;
  const auto number = [&](size_t index) {
    return static_cast<int32_t>(read(first, at.operands.at(index), {kind::bits, 4}));
  };
  const bool adds = read(first, at.operands[3], {kind::predicate, 1}) != 0;
  const bool has_scales = !is_integer(of_a.as);
  const double scale = has_scales ? number(4) * number(5) : 1;
  const bool has_transposes = of_a.bits == 16;
  const bool is_a_transposed = has_transposes && is_a_shared && number(6) != 0;
  const bool is_b_transposed = has_transposes && number(is_a_shared ? 7 : 6) != 0;

  std::vector<location> chunks;
  const auto gather = [&](size_t place, bool is_transposed, element of, uint32_t start, uint32_t rows) {
    const uint32_t bytes = of.bits / 8;
    const shared_matrix from(static_cast<uint64_t>(read(first, at.operands[place], {kind::bits, 8})), !is_transposed,
                             bytes);
    if (from.has_base_offset()) throw fault("the machine does not implement a base offset in " + where_is(at));
    matrix made(rows, shape.k);
    const uint32_t each = 16 / bytes;
    for (uint32_t row = 0; row < rows; row += is_transposed ? each : 1)
      for (uint32_t depth = 0; depth < shape.k; depth += is_transposed ? 1 : each) {
        chunks.push_back(locate(first, address_in(first.home->cluster_rank, from.address_of(start + row, depth)),
                                space::shared, 16, at));
        for (uint32_t part = 0; part < each; ++part) {
          bits raw = 0;
          std::memcpy(&raw, chunks.back().bytes + part * bytes, bytes);
          made.at({row + (is_transposed ? part : 0), depth + (is_transposed ? 0 : part)}) = number_of(raw, of);
        }
      }
    return made;
  };
  matrix b = gather(2, is_b_transposed, of_b, 0, shape.n);
  matrix a(16, shape.k);
  if (is_a_shared) {
    a = gather(1, is_a_transposed, of_a, first.warp % 4 * 16, 16);
  } else {
    const uint32_t each = 32 / of_a.bits;
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t index = 0; index < registers_of_a.parts.size() * each; ++index) {
        const bits raw = read(*warp[lane], registers_of_a.parts[index / each], {kind::bits, 4});
        a.at(spot_in_a(lane, index, each, 16)) = number_of(raw >> (of_a.bits * (index % each)), of_a);
      }
  }
  const operand& result = at.operands[0];
  const uint32_t each = 32 / of_d.bits;
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (size_t index = 0; index < result.parts.size(); ++index) {
      const bits before = read(*warp[lane], result.parts[index], {kind::bits, 4});
      bits raw = 0;
      for (uint32_t part = 0; part < each; ++part) {
        const spot where = spot_in_sum(lane, static_cast<uint32_t>(index) * each + part, shape.n);
        double sum = 0;
        for (uint32_t depth = 0; depth < shape.k; ++depth)
          sum += a.at({where.row, depth}) * b.at({where.column, depth});
        sum *= scale;
        if (adds) sum += number_of(before >> (of_d.bits * part), of_d);
        raw |= (bits_of(sum, of_d, at.has("satfinite"_w)) & mask_of(of_d.as.bytes)) << (of_d.bits * part);
      }
      write(*warp[lane], result.parts[index], raw, {kind::bits, 4});
    }

  const uint32_t id = new_copy(first);
  first.group->multiplies.push_back(id);
  view before;
  for (thread* each_lane : warp) {
    if (with_.finds_races) {
      no_values_.push_back({&at, each_lane, 0, -1, id});
      set_lacking(*each_lane, at.operands[0], &no_values_.back());
    }
    each_lane->open_multiplies.push_back(id);
    if (with_.finds_races) before.join(each_lane->seen);
    go_on_after(*each_lane);
  }
  for (const uint32_t operation : operations_)
    if (before.all.of(operation) != 0) first.group->known_by_multiplies.set(operation, 1);
  const instruction* by = &at;
  thread* issuer = &first;
  copies_.push_back({now_ + random(5000) * nanosecond, id, {}, [=]() {
                       for (const location& from : chunks)
                         note_copy(id, *issuer, before, from, 16, false, *by);
                     }});
}

}  // namespace model
