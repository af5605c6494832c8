// Findings as text and as JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "findings.h"

#include <cxxabi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace model {
namespace {

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      made += '\\';
      made += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned char>(c));
      made += code;
    } else {
      made += c;
    }
  }
  return made + '"';
}

// {"key":value,…}
class object {
 public:
  object& add(const char* key, const std::string& value) { return raw(key, quoted(value)); }
  object& add(const char* key, uint64_t value) { return raw(key, std::to_string(value)); }
  object& raw(const char* key, const std::string& value) {
    text_ += (text_.empty() ? "{" : ",") + quoted(key) + ":" + value;
    return *this;
  }
  std::string text() const { return text_ + "}"; }

 private:
  std::string text_;
};

template <class All, class Text>
std::string list(const All& all, Text text_of_each) {
  std::string made;
  for (const auto& each : all)
    made += (made.empty() ? "" : ",") + text_of_each(each);
  return "[" + made + "]";
}

std::string numbers(const extent& index) {
  return list(std::array{index.x, index.y, index.z}, [](uint32_t each) { return std::to_string(each); });
}

object& add_place(object& to, const source_place& at) {
  return to.add("file", at.file).raw("line", std::to_string(at.line));
}

std::string json_of(const participant& who) {
  object made;
  if (!who.action.empty()) made.add("action", who.action);
  made.add("instruction", who.instruction);
  if (!who.at.empty()) {
    add_place(made, who.at[0]);
    made.raw("inlined_at", list(std::vector<source_place>(who.at.begin() + 1, who.at.end()), [](const auto& each) {
               object place;
               return add_place(place, each).text();
             }));
    object user;
    made.raw("user", add_place(user, *user_place(who)).text());
  }
  made.raw("block", numbers(who.block));
  if (who.has_thread) made.raw("thread", numbers(who.thread));
  made.add("unit", who.unit).add("proxy", who.proxy);
  if (!who.kernel.empty()) made.add("kernel", who.kernel);
  if (!who.stream.empty()) made.add("stream", who.stream);
  if (who.memory.empty()) return made.text();
  made.add("memory", who.memory);
  if (!who.symbol.empty()) made.add("symbol", who.symbol);
  if (who.allocation != 0) made.add("allocation", who.allocation);
  if (who.argument != 0) made.add("argument", who.argument);
  made.add("offset", who.offset);
  if (who.bytes != 0) made.add("bytes", who.bytes);
  return made.text();
}

std::string json_of(const awaited_word& one) {
  object made;
  made.add("memory", one.memory.memory);
  if (!one.memory.symbol.empty()) made.add("symbol", one.memory.symbol);
  if (one.memory.allocation != 0) made.add("allocation", one.memory.allocation);
  if (one.memory.argument != 0) made.add("argument", one.memory.argument);
  made.add("offset", one.memory.offset).add("bytes", one.memory.bytes).add("value", one.value);
  made.add("threads", one.threads);
  if (!one.awaited.empty())
    made.raw("awaited", list(one.awaited, [](const std::string& each) { return quoted(each); }));
  if (!one.is_written) made.add("changes", uint64_t{0});
  if (one.changes != 0) made.add("changes", one.changes).add("value_at_launch", one.at_launch);
  if (one.earlier_launch != 0)
    made.add("earlier_launch", one.earlier_launch).add("earlier_changes", one.earlier_changes);
  if (!one.has_last) return made.text();
  object last;
  last.add("before", one.last_before).add("value", one.last_value).raw("access", json_of(one.last));
  return made.raw("last_change", last.text()).text();
}

std::string short_name(const source_place& at) {
  return at.file.substr(at.file.rfind('/') + 1) + ":" + std::to_string(at.line);
}

std::string text_of(const participant& who) {
  std::string text = who.action.empty() ? "" : who.action + ": ";
  text += who.instruction;
  if (!who.at.empty()) {
    text += " at " + short_name(who.at[0]);
    for (size_t outer = 1; outer < who.at.size(); ++outer)
      text += " < " + short_name(who.at[outer]);
  }
  if (who.has_thread) text += ", thread " + triple(who.thread) + " of";
  if (who.has_thread || who.stream.empty()) text += " block " + triple(who.block);
  if (!who.kernel.empty()) text += " of " + who.kernel;
  return text + (who.stream.empty() ? "" : " in " + who.stream);
}

bool is_in_library(const std::string& file) {
  static const char* const folders[] = {
      "cooperative_groups", "crt", "cub", "cuda", "cudasync", "cute", "cutlass", "nv", "thrust"};
  for (const char* const folder : folders)
    if (file.find(std::string("/include/") + folder + "/") != std::string::npos) return true;
  const std::string name = file.substr(file.rfind('/') + 1);
  const bool is_toolkit = file.find("/cuda") != std::string::npos || file.find("/nvidia/cu") != std::string::npos;
  return file.compare(0, 5, "/usr/") == 0 || (is_toolkit && file.find("/include/") != std::string::npos);
}

}  // namespace

std::string triple(const extent& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) + ")";
}

const source_place* user_place(const participant& who) {
  for (const source_place& each : who.at)
    if (!is_in_library(each.file)) return &each;
  return who.at.empty() ? nullptr : &who.at.back();
}

std::string name_of(const participant& who) {
  if (who.unit == "thread") return "thread " + triple(who.thread) + " of block " + triple(who.block);
  if (who.unit == "cp.async" || who.unit == "st.async")
    return who.unit + (who.has_thread ? " of thread " + triple(who.thread) + " of block " + triple(who.block) : "");
  return "the " + who.unit;
}

std::string object_of(const participant& who) {
  const std::string offset = who.offset != 0 ? " + " + std::to_string(who.offset) : "";
  if (!who.symbol.empty()) return "`" + who.symbol + "`" + offset;
  const std::string argument = who.argument != 0 ? " (argument " + std::to_string(who.argument) + ")" : "";
  if (who.allocation != 0) return "allocation " + std::to_string(who.allocation) + argument + offset;
  return who.memory + " memory" + offset;
}

std::string line_of(const participant& who) {
  const source_place* const at = user_place(who);
  if (at == nullptr) return " in " + who.instruction;
  if (at->line == 0)
    return " in " + at->file.substr(at->file.rfind('/') + 1) + ", in statements that the compiler has merged";
  return " at " + at->file.substr(at->file.rfind('/') + 1) + ":" + std::to_string(at->line);
}

std::string verb_of(const participant& who, bool is_now) {
  const std::string& what = who.action;
  if (what == "initialization") return is_now ? "initializes" : "initialized";
  if (what == "invalidation") return is_now ? "invalidates" : "invalidated";
  if (is_now) return who.unit == "tensor cores" ? what : what + "s";
  return what == "read" ? "read" : what == "write" ? "wrote" : what == "free" ? "freed" : what + "d";
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::string whole = name.substr(0, name.find("_$_"));  // what the compiler appends for a part of a struct
  char* const text = abi::__cxa_demangle(whole.c_str(), nullptr, nullptr, &status);
  const std::string found = text != nullptr ? text : name;
  std::free(text);
  return found;
}

std::string text_of(const finding& one) {
  std::string text = one.kind + ": " + one.message;
  if (!one.likely_cause.empty()) text += "\n  likely cause: " + one.likely_cause;
  if (!one.remedy.empty()) text += "\n  remedy: " + one.remedy;
  for (const participant& each : one.by)
    text += "\n  " + text_of(each);
  if (!one.text.empty()) text += "\n" + one.text;
  return text;
}

std::string json_of(const finding& one) {
  object made;
  made.add("kind", one.kind).add("rule", one.rule);
  made.add("level", one.is == finding::level::bug ? "bug" : "strict").add("kernel", one.kernel).add("seed", one.seed);
  made.add("message", one.message).add("remedy", one.remedy);
  made.raw("accesses", list(one.by, [](const participant& each) { return json_of(each); }));
  if (!one.likely_cause.empty()) made.add("likely_cause", one.likely_cause);
  if (!one.words.empty()) made.raw("words", list(one.words, [](const awaited_word& each) { return json_of(each); }));
  return made.add("text", one.text).text();
}

std::string json_of_kernel(const std::string& kernel, uint64_t seed, uint64_t steps, const std::string& end,
                           const std::string& why_not) {
  object made;
  made.add("kind", "kernel").add("kernel", kernel).add("seed", seed).add("steps", steps).add("end", end);
  made.raw("races_checked", why_not.empty() ? "true" : "false");
  return made.add("why_not", why_not).text();
}

std::string json_of_unsupported(const std::string& name, const std::string& message) {
  object made;
  made.add("kind", "unsupported").raw("names", "[" + quoted(name) + "]");
  return made.add("message", message).text();
}

void append_to_report(const std::string& line) {
  const char* const path = std::getenv("CUDASYNC_MACHINE_REPORT");
  if (path == nullptr || *path == '\0') return;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (std::FILE* const file = std::fopen(path, "a")) {
    std::fputs((line + "\n").c_str(), file);
    std::fclose(file);
  }
}

}  // namespace model
