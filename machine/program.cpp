// The parser of PTX text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.h"

#include "accepted.h"
#include "numbers.h"
#include "opcodes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <unordered_map>

namespace model {
namespace {

struct token {
  std::string_view text;
  int line;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' || c == '%' ||
         c == '.' || c == ':';
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

// If a comment or a string is there, its end; else that place itself.
size_t skip_text(std::string_view text, size_t at) {
  std::string_view last;
  if (text[at] == '"') last = "\"";
  if (text.substr(at, 2) == "//") last = "\n";
  if (text.substr(at, 2) == "/*") last = "*/";
  if (last.empty()) return at;
  const size_t end = text.find(last, at + 1);
  return end == std::string_view::npos ? text.size() : end + last.size();
}

// Behind the brace that closes the one there.
size_t end_of_block(std::string_view text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"' || c == '/') {
      const size_t end = skip_text(text, at);
      at = end == at ? at + 1 : end;
      continue;
    }
    ++at;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) break;
  }
  return at;
}

// A colon belongs to a word only in pairs (shared::cta); a dot only before a name, and a directive has one dot. With folds, what
// is in braces and is no initial value, the body of a function for instance, is one token.
std::vector<token> split(std::string_view text, int line, bool folds) {
  std::vector<token> tokens;
  bool is_value = false;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    size_t end = at + 1;
    bool is_token = true;
    if (is_space(c)) {
      is_token = false;
    } else if (c == '/' && skip_text(text, at) != at) {
      end = skip_text(text, at);
      is_token = false;
    } else if (c == '"') {
      end = skip_text(text, at);
    } else if (c == '{' && folds && !is_value) {
      end = end_of_block(text, at);
    } else if (is_word(c) && c != ':') {
      for (; end < text.size() && is_word(text[end]) && (c != '.' || text[end] != '.'); ++end)
        if (text[end] == ':') {
          if (text.substr(end, 2) != "::") break;
          ++end;
        }
    }
    if (is_token) tokens.push_back({text.substr(at, end - at), line});
    if (c == '=') is_value = true;
    if (c == ';') is_value = false;
    line +=
        static_cast<int>(std::count(text.begin() + static_cast<long>(at), text.begin() + static_cast<long>(end), '\n'));
    at = end;
  }
  return tokens;
}

bool find_type(std::string_view word, type& found) {
  static const std::unordered_map<std::string_view, type> types = {
      {"b8", {kind::bits, 1}},
      {"b16", {kind::bits, 2}},
      {"b32", {kind::bits, 4}},
      {"b64", {kind::bits, 8}},
      {"b128", {kind::bits, 16}},
      {"u8", {kind::unsigned_integer, 1}},
      {"u16", {kind::unsigned_integer, 2}},
      {"u32", {kind::unsigned_integer, 4}},
      {"u64", {kind::unsigned_integer, 8}},
      {"s8", {kind::signed_integer, 1}},
      {"s16", {kind::signed_integer, 2}},
      {"s32", {kind::signed_integer, 4}},
      {"s64", {kind::signed_integer, 8}},
      {"u16x2", {kind::unsigned_integer, 4, true}},
      {"s16x2", {kind::signed_integer, 4, true}},
      {"f16", {kind::half, 2}},
      {"f16x2", {kind::half, 4, true}},
      {"bf16", {kind::brain, 2}},
      {"bf16x2", {kind::brain, 4, true}},
      {"tf32", {kind::tf32, 4}},
      {"e4m3", {kind::e4m3, 1}},
      {"e4m3x2", {kind::e4m3, 2, true}},
      {"e5m2", {kind::e5m2, 1}},
      {"e5m2x2", {kind::e5m2, 2, true}},
      {"f32x2", {kind::floating, 8, true}},
      {"f32", {kind::floating, 4}},
      {"f64", {kind::floating, 8}},
      {"pred", {kind::predicate, 1}},
      {"texref", {kind::bits, 8}},
      {"samplerref", {kind::bits, 8}},
      {"surfref", {kind::bits, 8}},
  };
  const auto at = types.find(word);
  if (at == types.end()) return false;
  found = at->second;
  return true;
}

// One after the other.
uint64_t end_of(const std::vector<std::shared_ptr<variable>>& all, uint64_t start) {
  for (const auto& each : all)
    start = round_up(start, each->alignment) + each->bytes;
  return start;
}
uint64_t place(const std::vector<std::shared_ptr<variable>>& all, uint64_t start) {
  for (const auto& each : all) {
    each->address = round_up(start, each->alignment);
    start = each->address + each->bytes;
  }
  return start;
}

// Names of a block in braces; inner ones hide outer ones.
struct names {
  names* outer = nullptr;
  std::unordered_map<std::string_view, std::pair<uint32_t, type>> registers;
  std::unordered_map<std::string_view, std::pair<uint32_t, type>> ranges;  // %r<10>: the first register of a prefix
  std::unordered_map<std::string_view, std::shared_ptr<variable>> variables;
  std::unordered_map<std::string_view, size_t> labels;
  std::unordered_map<std::string_view, std::vector<operand>> targets;  // of brx
};

class parser {
 public:
  parser(program& all, std::string_view text, int line, bool folds, int unit)
      : tokens_(split(text, line, folds)), result_(all), unit_(unit) {}

  void parse_module() {
    while (at_ < tokens_.size())
      parse_top();
  }

  void parse_body(function& made) {
    made_ = &made;
    names outermost;
    for (auto* list : {&made.parameters, &made.results})
      for (auto& each : *list)
        outermost.variables[each->name] = each;
    drop_unread_zeros();
    expect("{");
    parse_block(outermost);
    for (instruction& one : made.code)
      for (operand& part : one.operands)
        resolve(part);
    made.is_parsed = true;
  }

 private:
  // For each text that is an operand of assembly, the compiler makes a register zero that nothing reads, and ptxas removes
  // it again. Here, such moves would only be further places at which threads can take turns.
  void drop_unread_zeros() {
    std::unordered_map<std::string_view, size_t> uses;
    for (const token& each : tokens_)
      ++uses[each.text];
    std::vector<token> kept;
    for (size_t at = 0; at < tokens_.size(); ++at) {
      const bool is_zero = at + 4 < tokens_.size() && tokens_[at].text.substr(0, 4) == "mov." &&
                           tokens_[at + 2].text == "," && tokens_[at + 3].text == "0" && tokens_[at + 4].text == ";";
      if (is_zero && tokens_[at + 1].text[0] == '%' && uses[tokens_[at + 1].text] == 1)
        at += 4;
      else
        kept.push_back(tokens_[at]);
    }
    tokens_.swap(kept);
  }

  [[noreturn]] void fail(const std::string& what) {
    if (tokens_.empty()) throw fault("PTX: " + what);
    const token& near = tokens_[std::min(at_, tokens_.size() - 1)];
    throw fault("PTX line " + std::to_string(near.line) + ": " + what + " near '" +
                std::string(near.text.substr(0, 80)) + "'");
  }
  std::string_view peek(size_t ahead = 0) {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].text : std::string_view();
  }
  std::string_view take() {
    if (at_ >= tokens_.size()) fail("unexpected end");
    return tokens_[at_++].text;
  }
  bool next_begins(char c) { return !peek().empty() && peek()[0] == c; }
  bool accept(std::string_view text) {
    if (peek() != text) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text)) fail("expected '" + std::string(text) + "'");
  }
  void skip_to(std::string_view text) {
    while (take() != text) {
    }
  }

  static bool is_number(std::string_view text) { return !text.empty() && is_digit(text[0]); }
  // 12, 0x1f, 017, 5U; the bits of a floating-point value: 0f3f800000, 0d3ff0000000000000; 1.0, which only createpolicy has.
  int64_t number(std::string_view text) {
    std::string_view digits = text;
    int base = 10;
    if (digits.size() > 2 && digits[0] == '0' && std::strchr("xXfFdD", digits[1]) != nullptr) {
      base = 16;
      digits.remove_prefix(2);
    } else if (digits.size() > 1 && digits[0] == '0') {
      base = 8;
    }
    if (!digits.empty() && digits.back() == 'U') digits.remove_suffix(1);
    if (text == "1.0") digits = "1";
    uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value, base);
    if (read.ec != std::errc() || read.ptr != end) fail("not a number: " + std::string(text));
    return static_cast<int64_t>(value);
  }

  // ".align 8 .b8 name[24] = {...}" after the space's word, up to the comma, parenthesis or semicolon behind it.
  std::shared_ptr<variable> parse_variable(space where) {
    auto made = std::make_shared<variable>();
    made->where = where;
    type element;
    uint64_t vector = 1;
    for (;;) {
      const std::string_view word = peek();
      if (word == ".align") {
        take();
        made->alignment = static_cast<uint64_t>(number(take()));
      } else if (word == ".ptr" || word == ".global" || word == ".shared" || word == ".attribute") {
        take();
        if (word == ".attribute") skip_to(")");
      } else if (word == ".v2" || word == ".v4") {
        take();
        vector = word == ".v2" ? 2 : 4;
      } else if (word.size() > 1 && word[0] == '.' && find_type(word.substr(1), element)) {
        take();
      } else {
        break;
      }
    }
    if (element.bytes == 0) fail("a variable needs a type");
    made->name = take();
    made->bytes = element.bytes * vector;
    if (made->alignment < made->bytes) made->alignment = made->bytes;
    bool is_array = false;
    uint64_t count = 1;
    while (accept("[")) {
      is_array = true;
      count *= peek() == "]" ? 0 : static_cast<uint64_t>(number(take()));
      expect("]");
    }
    if (is_array) made->bytes *= count;
    if (accept("=")) parse_initial(*made, element);
    return made;
  }

  variable::pointer parse_pointer(std::string_view word, uint64_t offset, uint32_t bytes) {
    variable::pointer to;
    to.offset = offset;
    to.target = word;
    to.bytes = bytes;
    if (word == "generic") {
      expect("(");
      to.target = take();
      if (accept("+")) to.addend = number(take());
      expect(")");
    }
    if (accept("+")) to.addend = number(take());
    return to;
  }

  void parse_initial(variable& made, type element) {
    uint64_t offset = 0;
    made.initial.resize(made.bytes);
    int depth = 0;
    do {
      if (accept("{")) {
        ++depth;
      } else if (accept("}")) {
        --depth;
      } else if (accept(",")) {
      } else {
        const bool is_negative = accept("-");
        const std::string_view word = take();
        uint64_t bits = 0;
        if (is_number(word)) {
          bits = static_cast<uint64_t>(number(word));
          if (is_negative) bits = ~bits + 1;
          if (accept("(")) {  // 0xff00(name): the second byte of an address
            variable::pointer to = parse_pointer(take(), offset, element.bytes);
            while (bits != 0 && (bits & 0xff) == 0) {
              bits >>= 8;
              ++to.first_byte;
            }
            made.pointers.push_back(to);
            bits = 0;
            expect(")");
          }
        } else {
          made.pointers.push_back(parse_pointer(word, offset, element.bytes));
        }
        if (offset + element.bytes > made.initial.size()) fail("too many initial values");
        std::memcpy(made.initial.data() + offset, &bits, element.bytes);
        offset += element.bytes;
      }
    } while (depth > 0);
  }

  void parse_top() {
    const std::string_view word = take();
    if (word == ".version" || word == ".target") {
      if (word == ".target") result_.architecture = static_cast<uint32_t>(std::strtoul(peek().data() + 3, nullptr, 10));
      while (at_ < tokens_.size() && tokens_[at_].line == tokens_[at_ - 1].line)
        ++at_;
    } else if (word == ".address_size") {
      take();
    } else if (word == ".file") {
      const int index = static_cast<int>(number(take()));
      std::string_view name = take();
      if (name.size() > 1 && name[0] == '"') name = name.substr(1, name.size() - 2);
      result_.files[unit_ * files_of_unit + index] = name;
      while (accept(","))
        take();
    } else if (word == ".section") {
      while (take()[0] != '{') {
      }
    } else if (word == ".visible" || word == ".extern" || word == ".weak" || word == ".common") {
      is_extern_ = word == ".extern";
    } else if (word == ".entry" || word == ".func") {
      parse_function(word == ".entry");
      is_extern_ = false;
    } else if (word == ".global" || word == ".const" || word == ".shared") {
      const space where = word == ".shared" ? space::shared : word == ".const" ? space::constant : space::global;
      do {
        const auto made = parse_variable(where);
        add_variable(made, nullptr);
      } while (accept(","));
      expect(";");
      is_extern_ = false;
    } else if (word == ".alias") {
      const std::string_view name = take();
      expect(",");
      result_.aliases[std::string(name)] = take();
    } else if (word == ".pragma") {
      skip_to(";");
    } else if (word == ";") {
    } else {
      --at_;
      fail("unknown directive");
    }
  }

  void add_variable(const std::shared_ptr<variable>& made, names* scope) {
    if (scope == nullptr) {
      made->is_extern = is_extern_;
      const auto known = result_.variables.find(made->name);
      if (known != result_.variables.end() && (is_extern_ || !known->second->is_extern)) return;
    }
    if (made->where == space::shared) {
      if (is_extern_ || made->bytes == 0)
        made->address = behind_static_ones;
      else
        (scope == nullptr ? result_.shared : made_->shared).push_back(made);
    }
    if (scope == nullptr)
      result_.variables[made->name] = made;
    else
      scope->variables[made->name] = made;
  }

  function& function_of(std::string_view name) {
    std::unique_ptr<function>& found = result_.functions[std::string(name)];
    if (!found) {
      found.reset(new function);
      found->name = name;
    }
    return *found;
  }

  std::vector<std::shared_ptr<variable>> parse_parameters() {
    std::vector<std::shared_ptr<variable>> all;
    while (!accept(")")) {
      if (accept(",")) continue;
      const std::string_view word = take();
      if (word != ".param" && word != ".reg") fail("expected a parameter");
      all.push_back(parse_variable(space::parameter));
    }
    return all;
  }

  void parse_function(bool is_kernel) {
    std::vector<std::shared_ptr<variable>> results;
    while (next_begins('.'))
      take();  // .attribute and the like
    if (accept("(")) results = parse_parameters();
    function& known = function_of(take());
    function another;  // of another unit, which is not needed
    function& made = known.is_defined ? another : known;
    made.is_kernel = is_kernel;
    made.unit = unit_;
    made.results = results;
    made.parameters.clear();
    if (accept("(")) made.parameters = parse_parameters();
    made.parameter_bytes = place(made.parameters, 0);
    made.result_bytes = place(made.results, round_up(made.parameter_bytes, 16));
    made.frame_parameter_bytes = round_up(made.result_bytes, 16);
    while (!next_begins('{') && peek() != ";") {
      if (accept(".reqnctapercluster")) {
        for (uint32_t& each : made.cluster) {
          each = static_cast<uint32_t>(number(take()));
          if (!accept(",")) break;
        }
        continue;
      }
      if (accept(".maxntid") || accept(".reqntid")) {
        made.most_threads = 1;
        do
          made.most_threads *= static_cast<uint32_t>(number(take()));
        while (accept(","));
        continue;
      }
      if (accept(".maxnreg")) {
        made.most_registers = static_cast<uint32_t>(number(take()));
        continue;
      }
      if (peek() == ".minnctapersm" || peek() == ".maxclusterrank" || peek() == ".explicitcluster" ||
          peek() == ".noreturn" || peek() == ".blocksareclusters" || peek() == "," || peek() == ".pragma" ||
          is_number(peek()) || next_begins('"'))
        take();
      else
        fail("unknown directive of a function");
    }
    if (accept(";")) return;
    made.is_defined = true;
    made.body_line = tokens_[at_].line;
    made.body = take();
  }

  void parse_block(names& scope) {
    const size_t first = made_->code.size();
    while (!accept("}"))
      parse_statement(scope);
    for (size_t index = first; index < made_->code.size(); ++index)
      for (operand& each : made_->code[index].operands) {
        const auto targets = scope.targets.find(each.name);
        if (each.is == operand::form::label && targets != scope.targets.end()) {
          each = operand();
          each.is = operand::form::list;
          each.parts = targets->second;
        }
        resolve_label(scope, each);
        for (operand& part : each.parts)
          resolve_label(scope, part);
      }
  }

  static void resolve_label(const names& scope, operand& made) {
    if (made.is != operand::form::label) return;
    const auto found = scope.labels.find(made.name);
    if (found == scope.labels.end()) return;
    made.value = static_cast<int64_t>(found->second);
    made.is = operand::form::immediate;
  }

  void parse_statement(names& scope) {
    if (accept(";")) return;
    if (accept("{")) {
      names inner;
      inner.outer = &scope;
      parse_block(inner);
      return;
    }
    const std::string_view word = peek();
    if (word == ".reg") {
      take();
      parse_registers(scope);
    } else if (word == ".local" || word == ".shared" || word == ".param") {
      take();
      const space where = word == ".local" ? space::local : word == ".shared" ? space::shared : space::parameter;
      do {
        const auto made = parse_variable(where);
        if (where == space::local) {
          made_->local_bytes = round_up(made_->local_bytes, made->alignment > 16 ? made->alignment : 16);
          made->address = made_->local_bytes;
          made_->local_bytes += made->bytes;
        } else if (where == space::parameter) {
          made_->frame_parameter_bytes = round_up(made_->frame_parameter_bytes, 16);
          made->address = made_->frame_parameter_bytes;
          made_->frame_parameter_bytes += made->bytes;
        }
        add_variable(made, &scope);
      } while (accept(","));
      expect(";");
    } else if (word == ".loc") {
      take();
      parse_line();
    } else if (word == ".pragma" || word == ".callprototype" || word == ".calltargets") {
      skip_to(";");
    } else if (peek(1) == ":") {
      const std::string_view name = take();
      take();
      scope.labels[name] = made_->code.size();
      if (accept(".branchtargets")) {
        do
          scope.targets[name].push_back(parse_operand(scope));
        while (accept(","));
        expect(";");
      }
    } else {
      parse_instruction(scope);
    }
  }

  // 1 5 72, function_name $L__info_string0, inlined_at 1 8 3. The place where a function was inlined has a line of its own
  // before, which says whether that is in a function that was inlined, too.
  void parse_line() {
    const auto place = [&] {
      std::array<int, 3> made;
      for (int& each : made)
        each = static_cast<int>(number(take()));
      return made;
    };
    const auto make = [&](const std::array<int, 3>& at, const source_line* inlined_at) {
      result_.lines.push_back({unit_ * files_of_unit + at[0], at[1], at[2], inlined_at});
      return &result_.lines.back();
    };
    const std::array<int, 3> here = place();
    const source_line* outer = nullptr;
    while (accept(",")) {
      if (take() == "inlined_at") {
        const std::array<int, 3> there = place();
        const auto found = lines_.find(there);
        outer = found != lines_.end() ? found->second : make(there, nullptr);
      } else {
        take();  // a function's name
        if (accept("+")) take();
      }
    }
    const source_line*& last = lines_[here];
    if (last == nullptr || last->inlined_at != outer) last = make(here, outer);
    from_ = last;
  }

  void parse_registers(names& scope) {
    type what;
    const std::string_view word = take();
    if (!find_type(word.substr(1), what)) fail("unknown type");
    do {
      const std::string_view name = take();
      if (accept("<")) {
        const uint32_t count = static_cast<uint32_t>(number(take()));
        expect(">");
        scope.ranges[name] = {made_->registers, what};
        made_->registers += 2 * count;
      } else {
        scope.registers[name] = {made_->registers, what};
        made_->registers += 2;  // room for 16 bytes
      }
    } while (accept(","));
    expect(";");
  }

  bool find_register(names* scope, std::string_view name, uint32_t& found, type& what) {
    size_t digits = name.size();
    while (digits > 0 && is_digit(name[digits - 1]))
      --digits;
    for (; scope != nullptr; scope = scope->outer) {
      const auto one = scope->registers.find(name);
      if (one != scope->registers.end()) {
        found = one->second.first;
        what = one->second.second;
        return true;
      }
      if (digits == name.size()) continue;
      const auto range = scope->ranges.find(name.substr(0, digits));
      if (range != scope->ranges.end()) {
        uint32_t index = 0;
        std::from_chars(name.data() + digits, name.data() + name.size(), index);
        found = range->second.first + 2 * index;
        what = range->second.second;
        return true;
      }
    }
    return false;
  }

  static std::shared_ptr<variable> find_local(names* scope, std::string_view name) {
    for (; scope != nullptr; scope = scope->outer) {
      const auto one = scope->variables.find(name);
      if (one != scope->variables.end()) return one->second;
    }
    return nullptr;
  }

  operand parse_operand(names& scope) {
    operand made;
    if (accept("!")) made.inverted = true;
    if (accept("[")) {
      made = parse_operand(scope);
      if (made.is == operand::form::reg) made.has_base = true;
      made.is = operand::form::memory;
      if (accept("+")) {
        const bool is_negative = accept("-");
        const int64_t offset = number(take());
        made.value += is_negative ? -offset : offset;
      }
      if (accept(",")) made.parts.push_back(parse_operand(scope));  // coordinates
      expect("]");
      return made;
    }
    const std::string_view end = peek() == "{" ? "}" : ")";
    if (accept("{") || accept("(")) {
      made.is = operand::form::list;
      while (!accept(end))
        if (!accept(",")) made.parts.push_back(parse_operand(scope));
      return made;
    }
    if (accept("-")) {
      made.is = operand::form::immediate;
      made.value = -number(take());
      return made;
    }
    const std::string_view word = take();
    const auto with_next = [&] {  // of "a|b"
      if (!accept("|")) return made;
      operand both;
      both.is = operand::form::list;
      both.parts.push_back(made);
      both.parts.push_back(parse_operand(scope));
      return both;
    };
    if (word == "_") return with_next();
    if (is_number(word)) {
      made.is = operand::form::immediate;
      made.value = number(word);
      return made;
    }
    type what;
    if (find_register(&scope, word, made.reg, what)) {
      made.is = operand::form::reg;
      made.is_predicate = what.what == kind::predicate;
      return with_next();
    }
    if (word[0] == '%' || word == "WARP_SZ") {
      made.is = operand::form::special;
      made.value = special_of(word);
      if (made.value < 0) fail("unknown special register " + std::string(word));
      return made;
    }
    if (const auto local = find_local(&scope, word)) {
      made.is = operand::form::address_of;
      made.symbol = local.get();
      made.own = local;
      return made;
    }
    made.is = operand::form::label;
    made.name = word;
    return made;
  }

  // What is no label is a variable of the module or a function.
  void resolve(operand& made) {
    for (operand& part : made.parts)
      resolve(part);
    if (made.name.empty() || made.symbol != nullptr || made.target != nullptr) return;
    if (made.is == operand::form::immediate) return;  // a label
    const auto global = result_.variables.find(made.name);
    if (global != result_.variables.end()) {
      made.symbol = global->second.get();
      std::vector<const variable*>& named = made_->named_shared;
      if (made.symbol->where == space::shared && (named.empty() || named.back() != made.symbol))
        named.push_back(made.symbol);
      if (made.is == operand::form::label) made.is = operand::form::address_of;
      return;
    }
    const auto alias = result_.aliases.find(made.name);
    const auto called = result_.functions.find(alias != result_.aliases.end() ? alias->second : made.name);
    if (called != result_.functions.end()) {
      made.target = called->second.get();
      made.is = operand::form::callee;
      made_->named.push_back(made.target);
      return;
    }
    throw fault("unknown name " + std::string(made.name));
  }

  void parse_instruction(names& scope) {
    instruction made;
    made.from = from_;
    if (accept("@")) {
      made.guard_inverted = accept("!");
      uint32_t reg;
      type what;
      if (!find_register(&scope, take(), reg, what)) fail("unknown predicate");
      made.guard = static_cast<int32_t>(reg);
    }
    made.ptx_line = tokens_[std::min(at_, tokens_.size() - 1)].line;
    made.text = take();
    made.words = split_at_dots(made.text);
    for (const std::string_view word : made.words)
      made.numbers.push_back(operator""_w(word.data(), word.size()));
    made.opcode = opcode_of(made.words);
    const auto known = unknown_words_.find(made.text);
    made.unknown_word =
        known != unknown_words_.end() ? known->second : unknown_words_[made.text] = find_unknown_word(made.words);
    if (made.opcode == 0) made.unknown_word = made.words[0];
    if (!made.unknown_word.empty()) {
      skip_operands();
      made_->code.push_back(std::move(made));
      return;
    }
    describe(made);
    while (!accept(";")) {
      if (!accept(",")) made.operands.push_back(parse_operand(scope));
      if (peek() == "}") break;  // the last one in an inline assembly may lack its semicolon
    }
    made_->code.push_back(std::move(made));
  }

  // Of an instruction that is not implemented, which only must not be reached.
  void skip_operands() {
    int depth = 0;
    while (depth > 0 || (peek() != ";" && peek() != "}")) {
      const std::string_view word = take();
      if (word == "{") ++depth;
      if (word == "}") --depth;
    }
    accept(";");
  }

  void describe(instruction& made) {
    static const std::unordered_map<std::string_view, scope> scopes = {
        {"cta", scope::cta}, {"cluster", scope::cluster}, {"gpu", scope::gpu}, {"sys", scope::sys}, {"gl", scope::gpu}};
    static const std::unordered_map<std::string_view, order> orders = {
        {"relaxed", order::relaxed}, {"acquire", order::acquire}, {"release", order::release},
        {"acq_rel", order::acq_rel}, {"sc", order::sc},           {"volatile", order::relaxed},
        {"mmio", order::relaxed}};
    static const std::unordered_map<std::string_view, space> spaces = {
        {"global", space::global},        {"shared", space::shared},
        {"shared::cta", space::shared},   {"shared::cluster", space::shared_cluster},
        {"local", space::local},          {"const", space::constant},
        {"param", space::parameter},      {"param::entry", space::parameter},
        {"param::func", space::parameter}};
    static const std::unordered_map<std::string_view, comparison> comparisons = {
        {"eq", comparison::eq},   {"ne", comparison::ne},   {"lt", comparison::lt},   {"le", comparison::le},
        {"gt", comparison::gt},   {"ge", comparison::ge},   {"lo", comparison::lo},   {"ls", comparison::ls},
        {"hi", comparison::hi},   {"hs", comparison::hs},   {"equ", comparison::equ}, {"neu", comparison::neu},
        {"ltu", comparison::ltu}, {"leu", comparison::leu}, {"gtu", comparison::gtu}, {"geu", comparison::geu},
        {"num", comparison::num}, {"nan", comparison::nan}};
    static const std::unordered_map<std::string_view, operation> operations = {
        {"add", operation::add},   {"inc", operation::inc},  {"dec", operation::dec},  {"min", operation::min},
        {"max", operation::max},   {"and", operation::and_}, {"or", operation::or_},   {"xor", operation::xor_},
        {"exch", operation::exch}, {"cas", operation::cas},  {"popc", operation::popc}};
    bool has_space = false;
    for (size_t index = 1; index < made.words.size(); ++index) {
      const std::string_view word = made.words[index];
      type found;
      if (find_type(word, found)) {
        made.second = made.first;
        made.first = found;
        ++made.types;
      }
      const auto reach = scopes.find(word);
      if (reach != scopes.end()) {
        made.reach = reach->second;
        made.has_scope = true;
      }
      const auto ordering = orders.find(word);
      if (ordering != orders.end()) made.ordering = ordering->second;
      const auto where = spaces.find(word);
      if (where != spaces.end()) {
        if (has_space)
          made.where_second = where->second;
        else
          made.where = where->second;
        has_space = true;
      }
      if (word == "v2") made.vector = 2;
      if (word == "v4") made.vector = 4;
      if (word == "v8") made.vector = 8;
      const auto compared = comparisons.find(word);
      if (compared != comparisons.end()) made.compare = static_cast<uint8_t>(compared->second);
      const auto what = operations.find(word);
      if (what != operations.end()) made.operation = static_cast<uint8_t>(what->second);
    }
  }

  std::vector<token> tokens_;
  size_t at_ = 0;
  program& result_;
  static constexpr int files_of_unit = 1 << 16;
  const int unit_;
  function* made_ = nullptr;
  bool is_extern_ = false;
  std::unordered_map<std::string_view, std::string_view> unknown_words_;  // by the texts of instructions
  const source_line* from_ = nullptr;
  std::map<std::array<int, 3>, const source_line*> lines_;  // of the function
};

}  // namespace

namespace {

// In the order of the opcodes, from the first on.
constexpr std::string_view arithmetic[] = {
    "abs",      "add",   "addc", "and",  "bfe",   "bfi",  "bfind", "bmsk",      "brev",      "clz", "cnot",
    "copysign", "cos",   "cvt",  "div",  "dp2a",  "dp4a", "ex2",   "fma",       "fns",       "lg2", "lop3",
    "mad",      "mad24", "madc", "max",  "min",   "mov",  "mul",   "mul24",     "neg",       "not", "or",
    "popc",     "prmt",  "rcp",  "rem",  "rsqrt", "sad",  "selp",  "shf",       "shl",       "shr", "sin",
    "slct",     "sqrt",  "sub",  "subc", "szext", "tanh", "testp", "vabsdiff2", "vabsdiff4", "xor"};
static_assert(std::size(arithmetic) == static_cast<size_t>(opcode::last_arithmetic));

constexpr std::pair<std::string_view, opcode> others[] = {{"cvta", opcode::cvta},
                                                          {"set", opcode::set},
                                                          {"setp", opcode::setp},
                                                          {"ldmatrix", opcode::ldmatrix},
                                                          {"stmatrix", opcode::stmatrix},
                                                          {"movmatrix", opcode::movmatrix},
                                                          {"mma", opcode::mma},
                                                          {"alloca", opcode::stack_alloca},
                                                          {"stacksave", opcode::stack_save},
                                                          {"stackrestore", opcode::stack_restore},
                                                          {"bra", opcode::bra},
                                                          {"brx", opcode::brx},
                                                          {"call", opcode::call},
                                                          {"exit", opcode::exit},
                                                          {"ret", opcode::ret},
                                                          {"trap", opcode::trap},
                                                          {"nanosleep", opcode::nanosleep},
                                                          {"setmaxnreg", opcode::setmaxnreg},
                                                          {"griddepcontrol", opcode::griddepcontrol},
                                                          {"ld", opcode::ld},
                                                          {"ldu", opcode::ld},
                                                          {"st", opcode::st},
                                                          {"atom", opcode::atom},
                                                          {"red", opcode::red},
                                                          {"tex", opcode::texture},
                                                          {"suld", opcode::surface_ld},
                                                          {"sust", opcode::surface_st},
                                                          {"fence", opcode::fence},
                                                          {"membar", opcode::fence},
                                                          {"isspacep", opcode::isspacep},
                                                          {"mapa", opcode::mapa},
                                                          {"getctarank", opcode::getctarank},
                                                          {"activemask", opcode::activemask},
                                                          {"elect", opcode::elect},
                                                          {"match", opcode::match},
                                                          {"redux", opcode::redux},
                                                          {"shfl", opcode::shfl},
                                                          {"vote", opcode::vote}};
constexpr std::string_view without_effect[] = {"applypriority", "brkpt",    "createpolicy", "discard",
                                               "pmevent",       "prefetch", "prefetchu"};

const std::unordered_map<std::string_view, opcode>& simple_opcodes() {
  static const auto all = [] {
    std::unordered_map<std::string_view, opcode> made(std::begin(others), std::end(others));
    for (const std::string_view each : without_effect)
      made[each] = opcode::nop;
    for (size_t index = 0; index < std::size(arithmetic); ++index)
      made[arithmetic[index]] = opcode(index + 1);
    return made;
  }();
  return all;
}

}  // namespace

uint16_t opcode_of(const std::vector<std::string_view>& words) {
  const std::string_view first = words[0];
  const auto has = [&](const char* word) {
    for (const std::string_view each : words)
      if (each == word) return true;
    return false;
  };
  opcode found = opcode::unknown;
  if (first == "bar" || first == "barrier") {
    if (has("warp"))
      found = opcode::bar_warp_sync;
    else if (has("cluster"))
      found = has("arrive") ? opcode::cluster_arrive : opcode::cluster_wait;
    else
      found = has("arrive") ? opcode::bar_arrive : has("red") ? opcode::bar_red : opcode::bar_sync;
  } else if (first == "mbarrier" && words.size() > 1) {
    static const std::unordered_map<std::string_view, opcode> kinds = {
        {"arrive", opcode::mbarrier_arrive},
        {"arrive_drop", opcode::mbarrier_arrive_drop},
        {"complete_tx", opcode::mbarrier_complete_tx},
        {"expect_tx", opcode::mbarrier_expect_tx},
        {"init", opcode::mbarrier_init},
        {"inval", opcode::mbarrier_inval},
        {"pending_count", opcode::mbarrier_pending_count},
        {"test_wait", opcode::mbarrier_test_wait},
        {"try_wait", opcode::mbarrier_try_wait}};
    const auto at = kinds.find(words[1]);
    if (at != kinds.end()) found = at->second;
  } else if (first == "clusterlaunchcontrol") {
    found = has("try_cancel") ? opcode::launch_try_cancel : opcode::launch_query_cancel;
  } else if (first == "tcgen05") {
    found = has("commit")                          ? opcode::tensor_commit
            : has("alloc")                         ? opcode::tensor_alloc
            : has("dealloc")                       ? opcode::tensor_dealloc
            : has("relinquish_alloc_permit")       ? opcode::tensor_relinquish
            : has("mma")                           ? opcode::tensor_mma
            : has("ld")                            ? opcode::tensor_ld
            : has("st")                            ? opcode::tensor_st
            : words[1].compare(0, 4, "wait") == 0  ? opcode::tensor_wait
            : words[1].compare(0, 5, "fence") == 0 ? opcode::tensor_fence
                                                   : opcode::unknown;
  } else if (first == "tensormap") {
    found = has("replace") ? opcode::tensormap_replace : opcode::tensormap_copy;
  } else if (first == "wgmma") {
    found = has("mma_async")      ? opcode::wgmma_mma
            : has("commit_group") ? opcode::wgmma_commit
            : has("wait_group")   ? opcode::wgmma_wait
            : has("fence")        ? opcode::wgmma_fence
                                  : opcode::unknown;
  } else if (first == "wmma") {
    found = has("load") ? opcode::wmma_load : has("store") ? opcode::wmma_store : opcode::wmma_mma;
  } else if ((first == "st" || first == "red") && has("async")) {
    found = first == "st" ? opcode::async_st : opcode::async_red;
  } else if (first == "multimem") {
    if (words[1] == "st") found = opcode::multimem_st;
  } else if (first == "cp") {
    const bool is_bulk = has("bulk");
    if (has("reduce"))
      found = has("tensor") ? opcode::cp_reduce_tensor : opcode::cp_reduce_bulk;
    else if (has("commit_group"))
      found = is_bulk ? opcode::cp_bulk_commit : opcode::cp_async_commit;
    else if (has("wait_group") || has("wait_all"))
      found = is_bulk ? opcode::cp_bulk_wait : opcode::cp_async_wait;
    else if (has("prefetch"))
      found = opcode::nop;
    else if (has("mbarrier"))
      found = opcode::cp_async_mbarrier_arrive;
    else if (has("tensor"))
      found = opcode::cp_bulk_tensor;
    else
      found = is_bulk ? opcode::cp_bulk : opcode::cp_async;
  } else {
    const auto at = simple_opcodes().find(first);
    if (at != simple_opcodes().end()) found = at->second;
  }
  return static_cast<uint16_t>(found);
}

int special_of(std::string_view name) {
  static constexpr std::string_view all[] = {"%tid.x",
                                             "%tid.y",
                                             "%tid.z",
                                             "%ntid.x",
                                             "%ntid.y",
                                             "%ntid.z",
                                             "%ctaid.x",
                                             "%ctaid.y",
                                             "%ctaid.z",
                                             "%nctaid.x",
                                             "%nctaid.y",
                                             "%nctaid.z",
                                             "%laneid",
                                             "%warpid",
                                             "%nwarpid",
                                             "%smid",
                                             "%nsmid",
                                             "%gridid",
                                             "%clock",
                                             "%clock_hi",
                                             "%clock64",
                                             "%globaltimer",
                                             "%globaltimer_lo",
                                             "%globaltimer_hi",
                                             "%lanemask_eq",
                                             "%lanemask_le",
                                             "%lanemask_lt",
                                             "%lanemask_ge",
                                             "%lanemask_gt",
                                             "%cluster_ctarank",
                                             "%cluster_nctarank",
                                             "%cluster_ctaid.x",
                                             "%cluster_ctaid.y",
                                             "%cluster_ctaid.z",
                                             "%cluster_nctaid.x",
                                             "%cluster_nctaid.y",
                                             "%cluster_nctaid.z",
                                             "%clusterid.x",
                                             "%clusterid.y",
                                             "%clusterid.z",
                                             "%nclusterid.x",
                                             "%nclusterid.y",
                                             "%nclusterid.z",
                                             "%is_explicit_cluster",
                                             "%dynamic_smem_size",
                                             "%total_smem_size",
                                             "%aggr_smem_size",
                                             "%envreg1",
                                             "%envreg2",
                                             "WARP_SZ"};
  static_assert(std::size(all) == static_cast<size_t>(special::zero), "in the order of the numbers");
  const auto at = std::find(std::begin(all), std::end(all), name);
  if (at != std::end(all)) return static_cast<int>(at - all);
  const bool is_known = name == "%current_graph_exec" || name.substr(0, 7) == "%envreg" || name.substr(0, 3) == "%pm";
  return is_known ? static_cast<int>(special::zero) : -1;
}

std::unique_ptr<program> parse(const std::vector<std::string>& units) {
  std::unique_ptr<program> made(new program);
  for (const std::string& text : units) {
    made->texts.push_back(text);
    parser(*made, made->texts.back(), 1, true, static_cast<int>(made->texts.size()) - 1).parse_module();
  }
  return made;
}

namespace {

// Weak loads of what a compare-exchange of the same place expects first, as in the guide's atomicAdd for double.
void find_guesses(function& of) {
  for (const instruction& exchange : of.code) {
    if (opcode(exchange.opcode) != opcode::atom || operation(exchange.operation) != operation::cas) continue;
    const operand &place = exchange.operands[1], &expected = exchange.operands[2];
    if (!place.has_base || expected.is != operand::form::reg) continue;
    std::vector<uint32_t> registers = {expected.reg};  // and those whose values it may have
    for (size_t known = 0; known < registers.size(); ++known)
      for (instruction& each : of.code) {
        if (each.operands.size() != 2 || each.operands[0].is != operand::form::reg ||
            each.operands[0].reg != registers[known])
          continue;
        const operand& from = each.operands[1];
        const bool is_copy = opcode(each.opcode) == opcode::mov && from.is == operand::form::reg;
        if (is_copy && std::find(registers.begin(), registers.end(), from.reg) == registers.end())
          registers.push_back(from.reg);
        each.is_guess = each.is_guess || (opcode(each.opcode) == opcode::ld && from.has_base && from.reg == place.reg &&
                                          from.value == place.value && from.symbol == place.symbol);
      }
  }
}

}  // namespace

void parse_bodies(program& all, function& kernel) {
  if (!kernel.reached.empty()) return;
  std::vector<function*> reached;
  const auto add = [&](function* one) {
    if (std::find(reached.begin(), reached.end(), one) == reached.end()) reached.push_back(one);
  };
  add(&kernel);
  for (const auto& each : all.variables)
    for (const variable::pointer& to : each.second->pointers) {
      const auto found = all.functions.find(to.target);
      if (found != all.functions.end()) add(found->second.get());
    }
  for (size_t index = 0; index < reached.size(); ++index) {
    function& one = *reached[index];
    if (one.is_defined && !one.is_parsed) {
      parser(all, one.body, one.body_line, false, one.unit).parse_body(one);
      find_guesses(one);
    }
    while (one.fast.size() < one.code.size())
      one.fast.push_back(decode(one.code[one.fast.size()]));
    for (function* callee : one.named)
      add(callee);
  }
  kernel.reached = reached;
}

// Of the variables of the module, only those that the kernel names.
uint64_t static_shared_bytes_of(const program& all, const function& kernel) {
  const auto is_named = [&](const variable* which) {
    return std::any_of(kernel.reached.begin(), kernel.reached.end(), [=](const function* each) {
      return std::find(each->named_shared.begin(), each->named_shared.end(), which) != each->named_shared.end();
    });
  };
  std::vector<std::shared_ptr<variable>> named;
  std::copy_if(all.shared.begin(), all.shared.end(), std::back_inserter(named),
               [&](const auto& each) { return is_named(each.get()); });
  uint64_t end = end_of(named, 0);
  for (const function* each : kernel.reached)
    end = end_of(each->shared, end);
  return end;
}

void prepare(program& all, function& kernel) {
  parse_bodies(all, kernel);
  all.static_shared_bytes = place(all.shared, 0);
  for (const function* each : kernel.reached)
    all.static_shared_bytes = place(each->shared, all.static_shared_bytes);
}

}  // namespace model
