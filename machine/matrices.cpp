// Operations of whole warps on matrices whose elements are spread over the registers of the lanes: ldmatrix, mma, wmma.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrices.h"

#include "conversions.h"
#include "grid.h"

#include <algorithm>
#include <cstring>

namespace model {

namespace {

bool is_number_of(std::string_view word, element& made) {
  static const std::pair<std::string_view, element> all[] = {
      {"f16", {{kind::half, 2}, 16}},           {"bf16", {{kind::brain, 2}, 16}},
      {"f32", {{kind::floating, 4}, 32}},       {"f64", {{kind::floating, 8}, 64}},
      {"tf32", {{kind::tf32, 4}, 32}},          {"e4m3", {{kind::e4m3, 1}, 8}},
      {"e5m2", {{kind::e5m2, 1}, 8}},           {"s8", {{kind::signed_integer, 1}, 8}},
      {"u8", {{kind::unsigned_integer, 1}, 8}}, {"s4", {{kind::signed_integer, 1}, 4}},
      {"u4", {{kind::unsigned_integer, 1}, 4}}, {"b1", {{kind::unsigned_integer, 1}, 1}},
      {"s32", {{kind::signed_integer, 4}, 32}}};
  for (const auto& each : all)
    if (each.first == word) {
      made = each.second;
      return true;
    }
  return false;
}

}  // namespace

std::vector<element> elements_of(const instruction& at) {
  std::vector<element> found;
  element one;
  for (const std::string_view word : at.words)
    if (is_number_of(word, one)) found.push_back(one);
  return found;
}

matrix_shape shape_of(const instruction& at) {
  for (const std::string_view word : at.words) {
    unsigned m, n, k;
    if (std::sscanf(std::string(word).c_str(), "m%un%uk%u", &m, &n, &k) == 3) return {m, n, k};
  }
  throw fault("no shape of matrices in " + std::string(at.text));
}

double number_of(bits raw, element of) {
  const uint32_t width = of.bits;
  if (of.as.what == kind::tf32) raw &= ~bits{0x1fff};
  if (!is_integer(of.as)) return decode(raw & mask_of(of.as.bytes), of.as);
  const int64_t value = static_cast<int64_t>(static_cast<uint64_t>(raw) << (64 - width));
  return of.as.what == kind::signed_integer ? static_cast<double>(value >> (64 - width))
                                            : static_cast<double>(static_cast<uint64_t>(value) >> (64 - width));
}

bits bits_of(double value, element of, bool saturates) {
  if (!is_integer(of.as)) return from_double(value, of.as);
  if (saturates) value = std::min(std::max(value, -2147483648.0), 2147483647.0);
  return static_cast<uint32_t>(static_cast<int64_t>(value));
}

// Registers of 32 bits hold neighbors along the depth; four lanes share a row. Those of 64 bits hold one number.
spot spot_in_a(uint32_t lane, uint32_t index, uint32_t each, uint32_t rows) {
  const uint32_t which = index / each, tall = rows / 8;
  return {lane / 4 + 8 * (which % tall), lane % 4 * each + which / tall * 4 * each + index % each};
}
spot spot_in_b(uint32_t lane, uint32_t index, uint32_t each) {
  return {lane % 4 * each + index / each * 4 * each + index % each, lane / 4};
}
spot spot_in_sum(uint32_t lane, uint32_t index, uint32_t columns) {
  const uint32_t tile = index / 4, part = index % 4;
  return columns == 0 ? spot{lane / 4, lane % 4 * 2 + index}
                      : spot{lane / 4 + 8 * (part / 2), tile * 8 + lane % 4 * 2 + part % 2};
}

namespace {

// Of m8n8k4: four products at once, each by eight lanes, those of two groups of four. The matrices are one below the other, those
// of B side by side.
uint32_t place_in_quads(uint32_t lane) {
  return lane / 4 % 4 * 8 + lane / 16 * 4;
}
spot spot_of_quads(uint32_t lane, uint32_t index, bool is_row) {
  const uint32_t start = place_in_quads(lane);
  return is_row ? spot{start + lane % 4, index} : spot{start + index, lane % 4};
}
spot spot_in_sum_of_quads(uint32_t lane, uint32_t index, element of) {
  if (of.bits == 16) return spot_of_quads(lane, index, true);
  return {place_in_quads(lane) + (lane & 1) + (index & 2), (index & 4) + (lane & 2) + (index & 1)};
}

}  // namespace

void grid::execute_matrices(const instruction& at, const lanes& warp) {
  if (warp.size() != 32) throw fault("all 32 lanes must execute " + where_is(at));
  switch (opcode(at.opcode)) {
  case opcode::ldmatrix:
  case opcode::stmatrix:
    return move_matrix(at, warp, opcode(at.opcode) == opcode::stmatrix);
  case opcode::movmatrix:
    return transpose_matrix(at, warp);
  case opcode::mma:
    return multiply_matrices(at, warp);
  case opcode::wmma_load:
  case opcode::wmma_store:
    return move_fragment(at, warp, opcode(at.opcode) == opcode::wmma_store);
  case opcode::wmma_mma:
    return multiply_fragments(at, warp);
  default:
    return multiply_as_warp(at, warp);
  }
}

// ldmatrix and stmatrix: each lane names the address of a row of 16 bytes of one of the matrices, and has two neighbors of a row
// of each, or of a column.
void grid::move_matrix(const instruction& at, const lanes& warp, bool stores) {
  const uint32_t count = at.has("x4"_w) ? 4 : at.has("x2"_w) ? 2 : 1;
  const bool transposes = at.has("trans"_w);
  const operand &memory = at.operands[stores ? 0 : 1], &registers = at.operands[stores ? 1 : 0];
  std::vector<location> rows;
  for (uint32_t row = 0; row < 8 * count; ++row)
    rows.push_back(locate(*warp[row], effective(*warp[row], memory), at.where, 16, at));
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t matrix = 0; matrix < count; ++matrix) {
      thread& who = *warp[lane];
      const operand& one = registers.part(matrix);
      uint32_t value = stores ? read_word(who, one) : 0;
      for (uint32_t part = 0; part < 2; ++part) {
        const uint32_t along = lane % 4 * 2 + part, across = lane / 4;
        location place = rows[8 * matrix + (transposes ? along : across)];
        const uint32_t offset = 2 * (transposes ? across : along);
        place.key += offset;
        if (transposes || part == 0) note(who, place, transposes ? 2 : 4, stores, at, order::weak, scope::cta);
        uint16_t half = static_cast<uint16_t>(value >> (16 * part));
        if (stores)
          std::memcpy(place.bytes + offset, &half, 2);
        else
          std::memcpy(&half, place.bytes + offset, 2);
        value |= uint32_t{half} << (16 * part);
      }
      if (!stores) write(who, one, value, {kind::bits, 4});
    }
  if (stores) changed();
}

void grid::transpose_matrix(const instruction& at, const lanes& warp) {
  uint16_t rows[8][8];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t value = read_word(*warp[lane], at.operands[1]);
    for (uint32_t part = 0; part < 2; ++part)
      rows[lane / 4][lane % 4 * 2 + part] = static_cast<uint16_t>(value >> (16 * part));
  }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t first = lane % 4 * 2;
    write(*warp[lane], at.operands[0], uint32_t{rows[first][lane / 4]} | uint32_t{rows[first + 1][lane / 4]} << 16,
          {kind::bits, 4});
  }
}

namespace {

// The registers of a lane as the elements that they hold, and back.
struct packing {
  uint32_t register_bytes, each;  // elements of a register
};
packing packing_of(element of) {
  return {of.bits == 64 ? 8u : 4u, of.bits == 64 ? 1 : 32 / of.bits};
}

bits element_in(bits raw, uint32_t index, element of) {
  return raw >> (of.bits * index) & ((bits{1} << of.bits) - 1);
}

}  // namespace

// D = A * B + C. The sums are those of real numbers, rounded once: PTX does not say how they are rounded.
void grid::multiply_matrices(const instruction& at, const lanes& warp) {
  const std::vector<element> types = elements_of(at);
  const element of_d = types.at(0), of_a = types.at(1), of_b = types.at(2), of_c = types.at(3);
  const matrix_shape shape = shape_of(at);
  const bool of_quads = shape.m == 8 && of_a.bits == 16;
  const uint32_t products = of_quads ? 4 : 1;
  matrix a(products * shape.m, shape.k), b(shape.k, products * shape.n), sum(products * shape.m, shape.n);
  const auto for_registers = [&](size_t place, element of, const auto& use) {
    const packing how = packing_of(of);
    const operand& all = at.operands[place];
    const uint32_t count = all.count();
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t index = 0; index < count; ++index)
        use(*warp[lane], all.part(index), lane, index * how.each, how);
  };
  const auto gather = [&](size_t place, element of, matrix& to, const auto& spot_of) {
    for_registers(place, of, [&](thread& who, const operand& from, uint32_t lane, uint32_t first, packing how) {
      const bits raw = read(who, from, {kind::bits, static_cast<uint8_t>(how.register_bytes)});
      for (uint32_t part = 0; part < how.each; ++part) {
        const spot where = spot_of(lane, first + part, how.each, of);
        to.at(where) = number_of(element_in(raw, part, of), of);
      }
    });
  };
  const auto of_sum = [&](uint32_t lane, uint32_t index, uint32_t, element of) {
    return of_quads ? spot_in_sum_of_quads(lane, index, of) : spot_in_sum(lane, index, shape.m == 8 ? 0 : shape.n);
  };
  const bool is_a_row = at.words[4] == "row", is_b_row = at.words[5] == "row";
  gather(1, of_a, a, [&](uint32_t lane, uint32_t index, uint32_t each, element) {
    return of_quads ? spot_of_quads(lane, index, is_a_row) : spot_in_a(lane, index, each, shape.m);
  });
  gather(2, of_b, b, [&](uint32_t lane, uint32_t index, uint32_t each, element) {
    const spot turned = spot_of_quads(lane, index, !is_b_row);
    return of_quads ? spot{turned.column, turned.row} : spot_in_b(lane, index, each);
  });
  gather(3, of_c, sum, of_sum);
  const bool is_bitwise = of_a.bits == 1, is_xor = at.has("xor"_w);
  for (uint32_t row = 0; row < products * shape.m; ++row)
    for (uint32_t column = 0; column < shape.n; ++column) {
      double& total = sum.at({row, column});
      for (uint32_t depth = 0; depth < shape.k; ++depth) {
        const double left = a.at({row, depth}), right = b.at({depth, row / shape.m * shape.n + column});
        if (of_d.bits == 64)
          total = std::fma(left, right, total);
        else
          total += is_bitwise && is_xor ? (left != right ? 1.0 : 0.0) : left * right;
      }
    }
  for_registers(0, of_d, [&](thread& who, const operand& to, uint32_t lane, uint32_t first, packing how) {
    bits raw = 0;
    for (uint32_t part = 0; part < how.each; ++part)
      raw |= bits_of(sum.at(of_sum(lane, first + part, how.each, of_d)), of_d, at.has("satfinite"_w))
             << (of_d.bits * part);
    write(who, to, raw, {kind::bits, static_cast<uint8_t>(how.register_bytes)});
  });
}

// --- wmma: PTX does not say which lane has which element of a fragment. Here, the elements in the order of the rows are dealt
// out one register after the other, and from the beginning again when registers are left. ---

namespace {

struct fragment {
  element of;
  uint32_t rows, columns;
};

fragment fragment_of(const instruction& at, char which) {
  const matrix_shape shape = shape_of(at);
  const std::vector<element> types = elements_of(at);
  element of = types.at(0);
  if (opcode(at.opcode) == opcode::wmma_mma) {
    const bool is_short = types.size() == 2;  // of d and c: a and b are f16
    const element half{{kind::half, 2}, 16};
    of = which == 'd' ? types[0] : which == 'c' ? types.back() : is_short ? half : types[which == 'a' ? 1 : 2];
  }
  return {of, which == 'b' ? shape.k : shape.m, which == 'a' ? shape.k : shape.n};
}

}  // namespace

// The element of this number, in memory. place: of the operand that is the address.
grid::location grid::element_of_fragment(const instruction& at, thread& who, size_t place, uint32_t rows,
                                         uint32_t columns, uint32_t number, uint32_t bytes) {
  const bool is_row = at.has("row"_w);
  const uint64_t row = number / columns, column = number % columns;
  const uint64_t stride = at.operands.size() > 2 ? read_word(who, at.operands[2]) : is_row ? columns : rows;
  const uint64_t index = is_row ? row * stride + column : column * stride + row;
  return locate(who, effective(who, at.operands[place]) + index * bytes, at.where, bytes, at);
}

void grid::move_fragment(const instruction& at, const lanes& warp, bool stores) {
  const fragment made = fragment_of(at, stores ? 'd' : at.words[2][0]);
  const packing how = packing_of(made.of);
  const uint32_t bytes = made.of.bits / 8;
  const operand& all = at.operands[stores ? 1 : 0];
  const uint32_t count = all.count();
  const type each{kind::bits, static_cast<uint8_t>(how.register_bytes)};
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t index = 0; index < count; ++index) {
      thread& who = *warp[lane];
      bits raw = stores ? read(who, all.part(index), each) : 0;
      for (uint32_t part = 0; part < how.each; ++part) {
        const uint32_t number = ((lane * count + index) * how.each + part) % (made.rows * made.columns);
        const location place = element_of_fragment(at, who, stores ? 0 : 1, made.rows, made.columns, number, bytes);
        note(who, place, bytes, stores, at, order::weak, scope::cta);
        bits value = stores ? element_in(raw, part, made.of) : 0;
        if (stores) {
          std::memcpy(place.bytes, &value, bytes);
          if (place.is_global) cache_of(who).store(place.key, bytes, place.bytes);
        } else {
          std::memcpy(&value, place.bytes, bytes);
          raw |= value << (made.of.bits * part);
        }
      }
      if (!stores) write(who, all.part(index), raw, each);
    }
  if (stores) changed();
}

void grid::multiply_fragments(const instruction& at, const lanes& warp) {
  const auto gather = [&](size_t place, char which) {
    const fragment from = fragment_of(at, which);
    const packing how = packing_of(from.of);
    const operand& all = at.operands[place];
    const uint32_t count = all.count();
    matrix made(from.rows, from.columns);
    for (uint32_t number = 0; number < from.rows * from.columns; ++number) {
      const uint32_t part = number % how.each, index = number / how.each % count, lane = number / how.each / count;
      const bits raw = read(*warp[lane], all.part(index), {kind::bits, static_cast<uint8_t>(how.register_bytes)});
      made.at({number / from.columns, number % from.columns}) = number_of(element_in(raw, part, from.of), from.of);
    }
    return made;
  };
  const matrix_shape shape = shape_of(at);
  matrix a = gather(1, 'a'), b = gather(2, 'b'), sum = gather(3, 'c');
  const fragment to = fragment_of(at, 'd');
  for (uint32_t row = 0; row < shape.m; ++row)
    for (uint32_t column = 0; column < shape.n; ++column)
      for (uint32_t depth = 0; depth < shape.k; ++depth) {
        double& total = sum.at({row, column});
        total = std::fma(a.at({row, depth}), b.at({depth, column}), total);
      }
  const packing how = packing_of(to.of);
  const operand& all = at.operands[0];
  const uint32_t count = all.count();
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t index = 0; index < count; ++index) {
      bits raw = 0;
      for (uint32_t part = 0; part < how.each; ++part) {
        const uint32_t number = (lane * count + index) * how.each + part;
        const double value = sum.at({number / to.columns, number % to.columns});
        raw |= bits_of(value, to.of, at.has("satfinite"_w)) << (to.of.bits * part);
      }
      write(*warp[lane], all.part(index), raw, {kind::bits, static_cast<uint8_t>(how.register_bytes)});
    }
}

}  // namespace model
