// The instructions that most of a kernel consists of, for all lanes of a group at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fast_path.h"

#include "grid.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <limits>

namespace model {
namespace {

// --- What is computed, on the bits of registers ---

template <class Number>
Number as(uint64_t raw) {
  Number value;
  std::memcpy(&value, &raw, sizeof value);
  return value;
}
template <class Number>
uint64_t bits_of(Number value) {
  uint64_t raw = 0;
  std::memcpy(&raw, &value, sizeof value);
  return raw;
}
uint64_t bits_of(float value) {
  return value != value ? 0x7fffffff : bits_of<float>(value);
}

template <class Number>
uint64_t move(uint64_t a) {
  return as<Number>(a);
}
template <class Number>
uint64_t extend(uint64_t a) {
  return static_cast<uint64_t>(int64_t{as<Number>(a)});
}
template <class Number>
uint64_t add(uint64_t a, uint64_t b) {
  return bits_of(static_cast<Number>(as<Number>(a) + as<Number>(b)));
}
template <class Number>
uint64_t subtract(uint64_t a, uint64_t b) {
  return bits_of(static_cast<Number>(as<Number>(a) - as<Number>(b)));
}
template <class Number>
uint64_t multiply(uint64_t a, uint64_t b) {
  return bits_of(static_cast<Number>(as<Number>(a) * as<Number>(b)));
}
template <class Number>
uint64_t multiply_add(uint64_t a, uint64_t b, uint64_t c) {
  return bits_of(static_cast<Number>(as<Number>(a) * as<Number>(b) + as<Number>(c)));
}
template <class Number>
uint64_t fused(uint64_t a, uint64_t b, uint64_t c) {
  return bits_of(std::fma(as<Number>(a), as<Number>(b), as<Number>(c)));
}
template <class Number, class Wide>
uint64_t multiply_wide(uint64_t a, uint64_t b) {
  return bits_of(static_cast<Wide>(Wide{as<Number>(a)} * Wide{as<Number>(b)}));
}
template <class Number, class Wide>
uint64_t multiply_wide_add(uint64_t a, uint64_t b, uint64_t c) {
  return multiply_wide<Number, Wide>(a, b) + c;
}
template <class Number, class Wide>
uint64_t multiply_high(uint64_t a, uint64_t b) {
  return static_cast<uint32_t>(Wide{as<Number>(a)} * Wide{as<Number>(b)} >> 32);
}
template <class Number>
uint64_t smaller(uint64_t a, uint64_t b) {
  return bits_of(std::min(as<Number>(a), as<Number>(b)));
}
template <class Number>
uint64_t larger(uint64_t a, uint64_t b) {
  return bits_of(std::max(as<Number>(a), as<Number>(b)));
}
template <class Number>
uint64_t negate(uint64_t a) {
  return bits_of(static_cast<Number>(0 - as<Number>(a)));
}
template <class Number>
uint64_t conjunction(uint64_t a, uint64_t b) {
  return as<Number>(a & b);
}
template <class Number>
uint64_t disjunction(uint64_t a, uint64_t b) {
  return as<Number>(a | b);
}
template <class Number>
uint64_t difference(uint64_t a, uint64_t b) {
  return as<Number>(a ^ b);
}
template <class Number>
uint64_t complement(uint64_t a) {
  return as<Number>(~a);
}
uint64_t complement_predicate(uint64_t a) {
  return as<uint8_t>(a) == 0;
}
template <class Number>
uint64_t shift_left(uint64_t a, uint64_t b) {
  const uint32_t by = as<uint32_t>(b);
  return by >= 8 * sizeof(Number) ? 0 : as<Number>(a << by);
}
template <class Number>
uint64_t shift_right(uint64_t a, uint64_t b) {
  constexpr uint32_t width = 8 * sizeof(Number);
  const uint32_t by = as<uint32_t>(b), most = std::numeric_limits<Number>::is_signed ? width - 1 : 0;
  return by >= width && most == 0 ? 0 : bits_of(static_cast<Number>(as<Number>(a) >> (by >= width ? most : by)));
}
uint64_t funnel_left(uint64_t a, uint64_t b, uint64_t c) {
  return as<uint32_t>((uint64_t{as<uint32_t>(a)} | b << 32) << (c & 31) >> 32);
}
uint64_t funnel_right(uint64_t a, uint64_t b, uint64_t c) {
  return as<uint32_t>((uint64_t{as<uint32_t>(a)} | b << 32) >> (c & 31));
}
uint64_t logic(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
  uint64_t value = 0;
  for (uint32_t row = 0; row < 8; ++row)
    if ((table >> row & 1) != 0)
      value |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
  return as<uint32_t>(value);
}
template <class Number>
uint64_t select(uint64_t a, uint64_t b, uint64_t c) {
  return as<Number>(as<uint8_t>(c) != 0 ? a : b);
}
template <class Number, class Relation>
uint64_t relate(uint64_t a, uint64_t b) {
  return Relation()(as<Number>(a), as<Number>(b));
}
template <class Number>
uint64_t compare_floats(uint64_t a, uint64_t b, uint64_t, uint64_t how) {
  const Number left = as<Number>(a), right = as<Number>(b);
  if (left != left || right != right) return comparison(how) >= comparison::equ && comparison(how) != comparison::num;
  return compare_numbers(comparison(how), left, right);
}
template <class Number>
uint64_t float_of(uint64_t a) {
  return bits_of(static_cast<float>(as<Number>(a)));
}

// --- For all lanes ---

using runner = decltype(fast_form::compute);

inline uint64_t value_of(const fast_form::source& from, const uint64_t* registers) {
  return from.is_register ? registers[from.reg] : from.value;
}

template <uint64_t (*Compute)(uint64_t)>
void run1(const fast_form& how, uint64_t* const* registers, size_t lanes) {
  const fast_form::source a = how.from[0];
  const uint32_t to = how.to;
  for (size_t lane = 0; lane < lanes; ++lane)
    registers[lane][to] = Compute(value_of(a, registers[lane]));
}
template <uint64_t (*Compute)(uint64_t, uint64_t)>
void run2(const fast_form& how, uint64_t* const* registers, size_t lanes) {
  const fast_form::source a = how.from[0], b = how.from[1];
  const uint32_t to = how.to;
  for (size_t lane = 0; lane < lanes; ++lane)
    registers[lane][to] = Compute(value_of(a, registers[lane]), value_of(b, registers[lane]));
}
template <uint64_t (*Compute)(uint64_t, uint64_t, uint64_t)>
void run3(const fast_form& how, uint64_t* const* registers, size_t lanes) {
  const fast_form::source a = how.from[0], b = how.from[1], c = how.from[2];
  const uint32_t to = how.to;
  for (size_t lane = 0; lane < lanes; ++lane)
    registers[lane][to] =
        Compute(value_of(a, registers[lane]), value_of(b, registers[lane]), value_of(c, registers[lane]));
}
template <uint64_t (*Compute)(uint64_t, uint64_t, uint64_t, uint64_t)>
void run_with_extra(const fast_form& how, uint64_t* const* registers, size_t lanes) {
  const fast_form::source a = how.from[0], b = how.from[1], c = how.from[2];
  const uint32_t to = how.to;
  const uint64_t extra = how.extra;
  for (size_t lane = 0; lane < lanes; ++lane)
    registers[lane][to] =
        Compute(value_of(a, registers[lane]), value_of(b, registers[lane]), value_of(c, registers[lane]), extra);
}

// --- Which of them an instruction is ---

runner by_size(uint32_t bytes, runner of_2, runner of_4, runner of_8) {
  return bytes == 2 ? of_2 : bytes == 4 ? of_4 : bytes == 8 ? of_8 : nullptr;
}

template <class Number>
runner comparison_of(comparison how) {
  switch (how) {
  case comparison::eq:
    return run2<relate<Number, std::equal_to<Number>>>;
  case comparison::ne:
    return run2<relate<Number, std::not_equal_to<Number>>>;
  case comparison::lt:
  case comparison::lo:
    return run2<relate<Number, std::less<Number>>>;
  case comparison::le:
  case comparison::ls:
    return run2<relate<Number, std::less_equal<Number>>>;
  case comparison::gt:
  case comparison::hi:
    return run2<relate<Number, std::greater<Number>>>;
  case comparison::ge:
  case comparison::hs:
    return run2<relate<Number, std::greater_equal<Number>>>;
  default:
    return nullptr;
  }
}

runner comparison_of(const instruction& at) {
  const comparison how = comparison(at.compare);
  const type of = at.first;
  if (of.what == kind::floating)
    return of.bytes == 4 ? run_with_extra<compare_floats<float>> : run_with_extra<compare_floats<double>>;
  if (of.what == kind::signed_integer)
    return of.bytes == 2   ? comparison_of<int16_t>(how)
           : of.bytes == 4 ? comparison_of<int32_t>(how)
                           : comparison_of<int64_t>(how);
  return of.bytes == 2   ? comparison_of<uint16_t>(how)
         : of.bytes == 4 ? comparison_of<uint32_t>(how)
                         : comparison_of<uint64_t>(how);
}

// Of integers to integers.
runner conversion_of(type to, type from) {
  const bool to_signed_type = to.what == kind::signed_integer, from_signed = from.what == kind::signed_integer;
  if (to.bytes <= from.bytes) {  // the lower bits
    if (to_signed_type)
      return to.bytes == 1   ? run1<extend<int8_t>>
             : to.bytes == 2 ? run1<extend<int16_t>>
             : to.bytes == 4 ? run1<extend<int32_t>>
                             : run1<move<uint64_t>>;
    return to.bytes == 1 ? run1<move<uint8_t>>
                         : by_size(to.bytes, run1<move<uint16_t>>, run1<move<uint32_t>>, run1<move<uint64_t>>);
  }
  if (!from_signed)
    return from.bytes == 1 ? run1<move<uint8_t>>
                           : by_size(from.bytes, run1<move<uint16_t>>, run1<move<uint32_t>>, nullptr);
  if (!to_signed_type && to.bytes != 8) return nullptr;
  return from.bytes == 1 ? run1<extend<int8_t>>
                         : by_size(from.bytes, run1<extend<int16_t>>, run1<extend<int32_t>>, nullptr);
}

runner floating_of(const instruction& at) {
  const bool is_single = at.first.bytes == 4;
  switch (opcode(at.opcode)) {
  case opcode::mov:
    return is_single ? run1<move<uint32_t>> : run1<move<uint64_t>>;
  case opcode::add:
    return is_single ? run2<add<float>> : run2<add<double>>;
  case opcode::sub:
    return is_single ? run2<subtract<float>> : run2<subtract<double>>;
  case opcode::mul:
    return is_single ? run2<multiply<float>> : run2<multiply<double>>;
  case opcode::fma:
    return is_single ? run3<fused<float>> : run3<fused<double>>;
  case opcode::selp:
    return is_single ? run3<select<uint32_t>> : run3<select<uint64_t>>;
  case opcode::setp:
    return comparison_of(at);
  default:
    return nullptr;
  }
}

// Of bits, integers and predicates.
runner integer_of(const instruction& at) {
  const bool is_signed = at.first.what == kind::signed_integer;
  const uint32_t bytes = at.first.bytes;
  const bool is_word = bytes == 4, is_wide = at.has("wide"_w), is_high = at.has("hi"_w);
  switch (opcode(at.opcode)) {
  case opcode::mov:
    return bytes == 1 ? run1<move<uint8_t>>
                      : by_size(bytes, run1<move<uint16_t>>, run1<move<uint32_t>>, run1<move<uint64_t>>);
  case opcode::add:
    return by_size(bytes, run2<add<uint16_t>>, run2<add<uint32_t>>, run2<add<uint64_t>>);
  case opcode::sub:
    return by_size(bytes, run2<subtract<uint16_t>>, run2<subtract<uint32_t>>, run2<subtract<uint64_t>>);
  case opcode::mul:
    if (is_wide && bytes == 2)
      return is_signed ? run2<multiply_wide<int16_t, int32_t>> : run2<multiply_wide<uint16_t, uint32_t>>;
    if (is_wide) return is_signed ? run2<multiply_wide<int32_t, int64_t>> : run2<multiply_wide<uint32_t, uint64_t>>;
    if (is_high && !is_word) return nullptr;
    if (is_high) return is_signed ? run2<multiply_high<int32_t, int64_t>> : run2<multiply_high<uint32_t, uint64_t>>;
    return by_size(bytes, nullptr, run2<multiply<uint32_t>>, run2<multiply<uint64_t>>);
  case opcode::mad:
    if (is_high || (is_wide && !is_word)) return nullptr;
    if (is_wide)
      return is_signed ? run3<multiply_wide_add<int32_t, int64_t>> : run3<multiply_wide_add<uint32_t, uint64_t>>;
    return by_size(bytes, nullptr, run3<multiply_add<uint32_t>>, run3<multiply_add<uint64_t>>);
  case opcode::min:
    return !is_word ? nullptr : is_signed ? run2<smaller<int32_t>> : run2<smaller<uint32_t>>;
  case opcode::max:
    return !is_word ? nullptr : is_signed ? run2<larger<int32_t>> : run2<larger<uint32_t>>;
  case opcode::neg:
    return by_size(bytes, nullptr, run1<negate<uint32_t>>, run1<negate<uint64_t>>);
  case opcode::and_:
    return bytes == 1
               ? run2<conjunction<uint8_t>>
               : by_size(bytes, run2<conjunction<uint16_t>>, run2<conjunction<uint32_t>>, run2<conjunction<uint64_t>>);
  case opcode::or_:
    return bytes == 1
               ? run2<disjunction<uint8_t>>
               : by_size(bytes, run2<disjunction<uint16_t>>, run2<disjunction<uint32_t>>, run2<disjunction<uint64_t>>);
  case opcode::xor_:
    return bytes == 1
               ? run2<difference<uint8_t>>
               : by_size(bytes, run2<difference<uint16_t>>, run2<difference<uint32_t>>, run2<difference<uint64_t>>);
  case opcode::not_:
    return bytes == 1
               ? run1<complement_predicate>
               : by_size(bytes, run1<complement<uint16_t>>, run1<complement<uint32_t>>, run1<complement<uint64_t>>);
  case opcode::shl:
    return by_size(bytes, run2<shift_left<uint16_t>>, run2<shift_left<uint32_t>>, run2<shift_left<uint64_t>>);
  case opcode::shr:
    return is_signed
               ? by_size(bytes, run2<shift_right<int16_t>>, run2<shift_right<int32_t>>, run2<shift_right<int64_t>>)
               : by_size(bytes, run2<shift_right<uint16_t>>, run2<shift_right<uint32_t>>, run2<shift_right<uint64_t>>);
  case opcode::shf:
    return !at.has("wrap"_w) ? nullptr : at.has("l"_w) ? run3<funnel_left> : run3<funnel_right>;
  case opcode::lop3:
    return run_with_extra<logic>;
  case opcode::selp:
    return by_size(bytes, run3<select<uint16_t>>, run3<select<uint32_t>>, run3<select<uint64_t>>);
  case opcode::setp:
    return comparison_of(at);
  default:
    return nullptr;
  }
}

runner runner_of(const instruction& at) {
  const auto has_only = [&](std::initializer_list<uint32_t> known) {
    return std::all_of(at.numbers.begin() + 1, at.numbers.end() - at.types,
                       [&](uint32_t word) { return std::find(known.begin(), known.end(), word) != known.end(); });
  };
  const auto is_integer = [](type of) { return of.what == kind::unsigned_integer || of.what == kind::signed_integer; };
  if (opcode(at.opcode) == opcode::setp) {
    if (at.operands.size() != 3 || at.has("ftz"_w)) return nullptr;
  } else if (!has_only({"rn"_w, "lo"_w, "hi"_w, "wide"_w, "l"_w, "r"_w, "wrap"_w})) {
    return nullptr;
  }
  if (opcode(at.opcode) == opcode::cvt) {
    if (is_integer(at.first) && is_integer(at.second)) return conversion_of(at.second, at.first);
    const bool to_single = at.second.what == kind::floating && at.second.bytes == 4;
    if (!to_single || !is_integer(at.first) || at.first.bytes != 4) return nullptr;
    return at.first.what == kind::signed_integer ? run1<float_of<int32_t>> : run1<float_of<uint32_t>>;
  }
  if (at.first.what == kind::floating) return floating_of(at);
  if (at.first.parts() != 1 || is_float(at.first)) return nullptr;
  return integer_of(at);
}

// With sizes that are known, the compiler needs no call, and the processor does not wait for a narrow store.
uint64_t load_bits(const uint8_t* bytes, uint32_t size) {
  const auto load = [&](auto value) {
    std::memcpy(&value, bytes, sizeof value);
    return uint64_t{value};
  };
  return size == 4 ? load(uint32_t{}) : size == 8 ? load(uint64_t{}) : size == 2 ? load(uint16_t{}) : load(uint8_t{});
}
void store_bits(uint8_t* bytes, uint64_t raw, uint32_t size) {
  if (size == 4)
    std::memcpy(bytes, &raw, 4);
  else if (size == 8)
    std::memcpy(bytes, &raw, 8);
  else if (size == 2)
    std::memcpy(bytes, &raw, 2);
  else
    *bytes = static_cast<uint8_t>(raw);
}

}  // namespace

fast_form decode(const instruction& at) {
  fast_form made;
  const std::vector<operand>& all = at.operands;
  const auto is_plain = [](const operand& one, bool may_be_number) {
    return !one.inverted && (one.is == operand::form::reg || (may_be_number && one.is == operand::form::immediate));
  };
  if (!at.unknown_word.empty()) return made;
  const opcode what = opcode(at.opcode);
  if (what == opcode::bra && all[0].is == operand::form::immediate) {
    made.is = fast_form::kind::branch;
    made.extra = static_cast<uint64_t>(all[0].value);
    return made;
  }
  if (what == opcode::ld || what == opcode::st) {
    const operand &memory = all[what == opcode::ld ? 1 : 0], &value = all[what == opcode::ld ? 0 : 1];
    if (at.ordering != order::weak || at.first.bytes > 8 || !memory.parts.empty()) return made;
    if (at.vector > 1 && value.is != operand::form::list) return made;
    for (uint32_t part = 0; part < at.vector; ++part)
      if (!is_plain(at.vector > 1 ? value.parts[part] : value, what == opcode::st)) return made;
    made.is = what == opcode::ld ? fast_form::kind::load : fast_form::kind::store;
    return made;
  }
  if (what != opcode::setp && (what == opcode::unknown || what > opcode::last_arithmetic)) return made;
  if (at.first.is_pair || at.second.is_pair) return made;
  if (all.size() < 2 || all.size() > (what == opcode::lop3 ? 5u : 4u) || !is_plain(all[0], false)) return made;
  for (size_t index = 1; index < all.size(); ++index) {
    if (!is_plain(all[index], true)) return made;
    if (index <= 3)
      made.from[index - 1] = {all[index].is == operand::form::reg, all[index].reg,
                              static_cast<uint64_t>(all[index].value)};
  }
  if (what == opcode::lop3) {
    if (all.size() != 5 || all[4].is != operand::form::immediate) return made;
    made.extra = static_cast<uint64_t>(all[4].value);
  }
  if (what == opcode::setp) made.extra = at.compare;
  made.to = all[0].reg;
  made.compute = runner_of(at);
  if (made.compute != nullptr) made.is = fast_form::kind::compute;
  return made;
}

// Where each of these lanes accesses memory. False if execute() has to do it, which also says what is wrong.
bool grid::locate_fast(const lanes& active, const operand& from, space where, uint64_t size, location* places) {
  if ((size & (size - 1)) != 0) return false;
  const bool is_generic = where == space::generic;
  const bool is_own = from.symbol != nullptr && from.symbol->where == space::local;  // at another place in each lane
  uint64_t offset = static_cast<uint64_t>(from.value);
  if (from.symbol != nullptr && !is_own) offset += address_of_symbol(*active[0], *from.symbol);
  block& home = *active[0]->home;
  const uint64_t shared_key = shared_window + (uint64_t{home.serial} << rank_shift);
  for (thread* one : active) {
    location& found = places[one->lane];
    frame& top = one->frames.back();
    uint64_t address = offset + (is_own ? address_of_symbol(*one, *from.symbol) : 0);
    if (from.has_base) address += top.registers[from.reg];
    if ((address & (size - 1)) != 0) return false;
    const auto is_in = [&](const std::vector<uint8_t>& all) { return address + size <= all.size(); };
    if (where == space::shared || where == space::shared_cluster ||
        (is_generic && address >= shared_window && address < local_window)) {
      if ((address & 0xffffffff) >> rank_shift != home.cluster_rank) return false;
      address = address_in(0, address);
      if (!is_in(home.shared)) return false;
      found = {home.shared.data() + address, shared_key + address, false, false};
    } else if (where == space::local || (is_generic && address >= local_window)) {
      if (is_generic) address -= local_window;
      if (!is_in(one->local)) return false;
      found = {one->local.data() + address, 0, false, true};
    } else if (where == space::parameter) {
      if (!is_in(top.parameters)) return false;
      found = {top.parameters.data() + address, 0, false, true};
    } else {
      if (address >= multicast_window || !is_allowed_as_before(address, size)) return false;
      found = {reinterpret_cast<uint8_t*>(address), address, true, false};
    }
  }
  return true;
}

// Weak reads. Lanes that read the same bytes have one record.
void grid::note_reads(const lanes& active, const location* places, uint64_t size, const instruction& by) {
  const thread& any = *active[0];
  access made{any.id - any.lane, 0, place_of(any), 0, false, false, false, false, by.reach, &by};
  made.is_read_only = by.has("nc"_w);
  const uint32_t* const times = &times_[made.who];
  const view* before[32];
  uint32_t left = 0;
  bool are_apart = true;
  for (const thread* one : active) {
    before[one->lane] = &one->seen;
    if (places[one->lane].is_private) continue;
    are_apart = are_apart && (left == 0 || places[one->lane].key > places[31 - __builtin_clz(left)].key);
    left |= 1u << one->lane;
  }
  while (left != 0) {
    const uint32_t lane = static_cast<uint32_t>(__builtin_ctz(left));
    const location& place = places[lane];
    made.when = times[lane];
    made.lanes = 1u << lane;
    for (uint32_t others = are_apart ? 0 : left & (left - 1); others != 0; others &= others - 1) {
      const uint32_t other = static_cast<uint32_t>(__builtin_ctz(others));
      if (places[other].key == place.key && times[other] == made.when) made.lanes |= others & -others;
    }
    left &= ~made.lanes;
    for (uint64_t key = place.key, end = key + size; key < end; key += 8)
      if (how_.begins_early || !order_.record_reads(key, std::min(size, uint64_t{8}), made, before))
        for (thread* one : active)
          if ((made.lanes >> one->lane & 1) != 0)
            note(*one, {nullptr, key, place.is_global, false}, std::min(size, uint64_t{8}), false, by, order::weak,
                 by.reach);
  }
}

// False, and nothing has happened, if execute() has to do it.
bool grid::access_fast(const instruction& at, lanes& active) {
  const bool is_load = opcode(at.opcode) == opcode::ld;
  const operand &memory = at.operands[is_load ? 1 : 0], &value = at.operands[is_load ? 0 : 1];
  const type each = at.first;
  const uint64_t size = uint64_t{each.bytes} * at.vector;
  location places[32];
  if (!locate_fast(active, memory, at.where, size, places)) return false;
  if (is_load && with_.finds_races) {
    const block& home = *active[0]->home;
    for (const thread* one : active) {
      const location& place = places[one->lane];
      if (place.is_global || place.is_private) continue;
      const uint8_t* written = home.written.data() + (place.bytes - home.shared.data());
      for (uint32_t part = 0; part < at.vector; ++part, written += each.bytes)
        if (load_bits(written, each.bytes) == 0) return false;
    }
    note_reads(active, places, size, at);
  }
  if (!is_load) std::shuffle(active.begin(), active.end(), random_);
  for (thread* one : active) {
    const location& place = places[one->lane];
    uint64_t* const registers = one->frames.back().registers.data();
    if (is_load) {
      const bool is_in_sector = place.key % first_cache::sector_bytes + size <= first_cache::sector_bytes;
      const uint8_t* bytes = place.is_global && is_in_sector ? load_by_cache(*one, place, size) : place.bytes;
      for (uint32_t part = 0; part < at.vector; ++part, bytes += each.bytes) {
        uint64_t raw = load_bits(bytes, each.bytes);
        if (each.what == kind::signed_integer) raw = static_cast<uint64_t>(to_signed(raw, each.bytes));
        registers[at.vector > 1 ? value.parts[part].reg : value.reg] = raw;
      }
      continue;
    }
    const auto stored = [&](uint32_t part) {
      const operand& from = at.vector > 1 ? value.parts[part] : value;
      return from.is == operand::form::reg ? registers[from.reg] : static_cast<uint64_t>(from.value);
    };
    bool changes = false;
    for (uint32_t part = 0; !place.is_private && part < at.vector; ++part)
      changes = changes || load_bits(place.bytes + part * each.bytes, each.bytes) !=
                               (stored(part) & static_cast<uint64_t>(mask_of(each.bytes)));
    note(*one, place, size, true, at, order::weak, at.reach, false, changes);
    uint8_t* bytes = place.bytes;
    for (uint32_t part = 0; part < at.vector; ++part, bytes += each.bytes)
      store_bits(bytes, stored(part), each.bytes);
    if (changes) {
      changed();
      note_store(*one, place.key, size, at, stored(0));
    }
    if (place.is_global) cache_of(*one).store(place.key, size, place.bytes);
    if (result_.how != outcome::end::finished) return true;
  }
  return true;
}

// Lanes at one place do the instructions from there on while they have fast forms and the lanes stay together, at most as
// many as in left. False if the turn of these lanes ends with that. Registers without a value, and accesses at which the
// schedule chooses, are left to execute().
bool grid::run_fast(const lanes& group, uint64_t& left) {
  for (const thread* each : group)
    if (!each->frames.back().without_value.empty()) return true;
  const function& code = *group[0]->frames.back().of;
  size_t at = group[0]->frames.back().at;
  uint64_t* registers[32];
  uint64_t* enabled[32];
  for (size_t lane = 0; lane < group.size(); ++lane)
    registers[lane] = group[lane]->frames.back().registers.data();
  const auto stop = [&](bool goes_on) {
    for (thread* each : group)
      each->frames.back().at = at;
    return goes_on;
  };
  for (; left > 0 && at < code.fast.size() && code.fast[at].is != fast_form::kind::none; --left) {
    const fast_form& how = code.fast[at];
    const instruction& by = code.code[at];
    uint64_t* const* those = registers;
    size_t count = group.size();
    lanes& active = active_;
    active.clear();
    if (by.guard >= 0) {
      those = enabled;
      count = 0;
      for (size_t lane = 0; lane < group.size(); ++lane)
        if ((registers[lane][by.guard] != 0) != by.guard_inverted) {
          enabled[count++] = registers[lane];
          active.push_back(group[lane]);
        }
    }
    switch (how.is) {
    case fast_form::kind::branch:
      if (watches_ && how.extra <= at) return stop(true);
      if (count != 0 && count != group.size() && how.extra != at + 1) {
        ++at;
        stop(false);
        for (thread* each : active)
          each->frames.back().at = how.extra;
        return false;
      }
      at = count != 0 ? how.extra : at + 1;
      break;
    case fast_form::kind::load:
    case fast_form::kind::store:
      if (!choices_.are_random()) return stop(true);
      if (by.guard < 0) active = group;
      if (!active.empty() && !access_fast(by, active)) return stop(true);
      ++at;
      if (result_.how != outcome::end::finished) return stop(false);
      break;
    default:
      how.compute(how, those, count);
      ++at;
    }
    now_ += time_step_;
    ++result_.steps;
    result_.instructions += group.size();
  }
  return stop(true);
}

}  // namespace model
