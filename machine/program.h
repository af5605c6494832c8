// PTX text as a program that machine.cpp executes: functions, variables and instructions with resolved names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_PROGRAM_H
#define CUDASYNC_MACHINE_PROGRAM_H

#include "fast_path.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace model {

// What the text or a kernel does wrong, or uses that the machine lacks.
struct fault : std::runtime_error {
  explicit fault(const std::string& text, const char* rule_of_it = "fault", const char* kind_of_it = "fault")
      : std::runtime_error(text), rule(rule_of_it), kind(kind_of_it) {}
  const char *rule, *kind;  // of a finding
};
// One of this type, which the ends of other objects may still use.
template <class Value>
Value& lasting() {
  static Value* const one = new Value;
  return *one;
}

struct unsupported : fault {
  explicit unsupported(const std::string& text) : fault(text, "unsupported", "unsupported") {}
};

enum class kind : uint8_t {
  bits,
  unsigned_integer,
  signed_integer,
  floating,
  half,
  brain,
  tf32,
  e4m3,
  e5m2,
  predicate
};

// The type of an operand: b32 is {bits, 4}, f16x2 {half, 4}.
struct type {
  kind what = kind::bits;
  uint8_t bytes = 0;
  bool is_pair = false;

  uint32_t parts() const { return is_pair ? 2 : 1; }
};

enum class space : uint8_t { generic, global, shared, shared_cluster, local, constant, parameter };
enum class scope : uint8_t { thread, cta, cluster, gpu, sys };
enum class order : uint8_t { weak, relaxed, acquire, release, acq_rel, sc };

struct function;

struct variable {
  std::string name;
  space where = space::global;
  uint64_t bytes = 0, alignment = 1;
  std::vector<uint8_t> initial;
  struct pointer {
    uint64_t offset = 0;
    std::string target;
    int64_t addend = 0;
    uint32_t first_byte = 0, bytes = 8;  // of the address
  };
  std::vector<pointer> pointers;  // in the initial value
  uint64_t address = 0;           // of a global one on the host; else its offset in the space
  bool is_extern = false;         // of another unit
};

// The address of dynamic shared memory.
constexpr uint64_t behind_static_ones = ~uint64_t{0};

struct operand {
  enum class form : uint8_t { none, reg, immediate, address_of, memory, list, special, label, callee };
  form is = form::none;
  bool inverted = false;  // !%p
  uint32_t reg = 0;       // or the base of a memory operand, if has_base
  bool has_base = false;
  bool is_predicate = false;  // a register of type .pred
  int64_t value = 0;          // immediate, offset, special register, label's instruction
  const variable* symbol = nullptr;
  std::shared_ptr<variable> own;  // keeps symbol alive
  function* target = nullptr;
  std::string_view name;  // of a label or a function, until it is resolved
  std::vector<operand> parts;

  // Of "{a, b}"; what is no list is its only part.
  const operand& part(size_t index) const { return is == form::list ? parts.at(index) : *this; }
  uint32_t count() const { return is == form::list ? static_cast<uint32_t>(parts.size()) : 1; }
};

// A number for each word, so that comparing them is cheap.
constexpr uint32_t operator""_w(const char* text, size_t size) {
  uint32_t hash = 2166136261u;
  for (size_t at = 0; at < size; ++at)
    hash = (hash ^ static_cast<uint8_t>(text[at])) * 16777619u;
  return hash;
}

// A place of the source: with its column, and where the function that it is in was inlined.
struct source_line {
  int file = 0, line = 0, column = 0;
  const source_line* inlined_at = nullptr;
};

struct instruction {
  std::string_view text;                // "ld.acquire.cta.shared.u32"
  std::vector<std::string_view> words;  // its parts
  std::vector<uint32_t> numbers;        // of the words
  uint16_t opcode = 0;                  // of machine.cpp
  int32_t guard = -1;                   // a predicate register
  bool guard_inverted = false;
  type first, second;  // the last type named, and the one before
  int types = 0;
  space where = space::generic;
  space where_second = space::generic;
  scope reach = scope::sys;
  bool has_scope = false;
  order ordering = order::weak;
  uint8_t vector = 1;
  uint8_t compare = 0;    // of setp
  uint8_t operation = 0;  // of atom, red and the like
  std::vector<operand> operands;
  std::string_view unknown_word;  // one that the machine does not implement
  bool is_guess = false;          // a load of what a compare-exchange of the same place then expects
  const source_line* from = nullptr;
  int ptx_line = 0;

  bool has(uint32_t word) const {
    for (const uint32_t each : numbers)
      if (each == word) return true;
    return false;
  }
};

// What a loop depends on: registers, and counters of attempts, which it only increases or decreases, and compares with limits.
struct loop_state {
  struct limit {
    uint32_t reg = 0;
    bool rises = false;
    const instruction* compared = nullptr;
  };
  std::vector<uint32_t> registers;
  std::vector<limit> limits;
};

// Of each instruction: those that may come right before it, and the last one before it through which all ways lead.
struct control_flow {
  std::vector<std::vector<size_t>> before;
  std::vector<size_t> dominators;
};

struct function {
  std::string name;
  bool is_kernel = false, is_defined = false;
  uint32_t cluster[3] = {1, 1, 1};                // that it requires
  uint32_t most_threads = 0, most_registers = 0;  // 0: not said
  uint32_t registers = 0;
  std::vector<std::shared_ptr<variable>> parameters, results;
  uint64_t parameter_bytes = 0, result_bytes = 0, local_bytes = 0, frame_parameter_bytes = 0;
  std::string_view body;  // in braces
  int body_line = 0, unit = 0;

  // What prepare() finds in the body.
  bool is_parsed = false;
  std::vector<instruction> code;
  std::vector<fast_form> fast;                    // of each instruction
  std::vector<std::shared_ptr<variable>> shared;  // static ones
  std::vector<const variable*> named_shared;      // of the module
  std::vector<function*> named;
  std::vector<function*> reached;  // of a kernel: itself, and what it may call

  // What threads that waited have needed.
  mutable control_flow flow;
  mutable std::map<size_t, loop_state> loops;  // by the place of a branch
};

struct program {
  std::deque<std::string> texts;                                            // of its units
  uint32_t architecture = 0;                                                // of sm_90a: 90
  std::map<std::string, std::shared_ptr<variable>, std::less<>> variables;  // of the module
  std::vector<std::shared_ptr<variable>> shared;                            // static ones of the module
  std::map<std::string, std::unique_ptr<function>, std::less<>> functions;
  std::map<std::string, std::string, std::less<>> aliases;  // of functions
  std::map<int, std::string> files;                         // of all units: files_of_unit for each
  std::deque<source_line> lines;
  uint64_t static_shared_bytes = 0;  // of the kernel that was prepared last

  // The text of an instruction and its line in the source.
  std::string place_of(const instruction& at) const;
  // Of an instruction that is not implemented.
  std::string what_is_missing(const instruction& at) const;
};

// Both throw faults. parse() reads no bodies, which are most of the text: a kernel must be prepared before it runs, and that
// reads the bodies of all functions it may call. Each kernel has its own layout of shared memory. Units that were compiled on
// their own (-rdc=true) become one program: of what several have, such as templates, the first remains.
std::unique_ptr<program> parse(const std::vector<std::string>& units);
void prepare(program& all, function& kernel);
// The first half of it, which may happen while another kernel runs.
void parse_bodies(program& all, function& kernel);
uint64_t static_shared_bytes_of(const program& all, const function& kernel);

// The opcode of a mnemonic's first word, 0 for an unknown one.
uint16_t opcode_of(const std::vector<std::string_view>& words);
// A special register's number: negative for an unknown one.
int special_of(std::string_view name);

}  // namespace model

#endif
