// What the machine finds in a kernel, as data: for people as text, for programs as lines of JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_FINDINGS_H
#define CUDASYNC_MACHINE_FINDINGS_H

#include <cstdint>
#include <string>
#include <vector>

namespace model {

struct extent {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  extent index_of(uint64_t rank) const {
    return {static_cast<uint32_t>(rank % x), static_cast<uint32_t>(rank / x % y), static_cast<uint32_t>(rank / x / y)};
  }
};

// A line of source. An access has several, from the innermost outward, if it is in functions that were inlined.
struct source_place {
  std::string file;
  int line = 0;
};

// An instruction of a thread, or what it made another unit do, that takes part in a finding.
struct participant {
  std::string action;  // "write", "read", "update", "initialization", "invalidation", "allocation", "free"; or empty
  std::string instruction;  // "st.shared.u32"
  std::vector<source_place> at;
  extent block{0, 0, 0}, thread{0, 0, 0};
  bool has_thread = false;
  std::string unit = "thread";    // that accesses memory: "copy engine", "cp.async", "st.async", "tensor cores"
  std::string proxy = "generic";  // or "async", "alias", "tensormap"
  std::string memory;             // "shared", "global", "tensor"
  std::string symbol;             // or empty: then in global memory, the number of the allocation counts
  uint64_t allocation = 0;        // by cudaMalloc and the like, from 1
  uint64_t argument = 0;          // of the kernel, that points into it, from 1; or 0
  uint64_t offset = 0, bytes = 0;
  std::string kernel, stream;  // of a finding about several launches: empty for a copy; "stream 1"
};

// A word that threads read again and again.
struct awaited_word {
  participant memory;                                                            // what it is in
  uint64_t value = 0, threads = 0;                                               // threads: that were seen to read it
  std::vector<std::string> awaited;                                              // "it is 4"; none if it is not known
  bool is_written = true;                                                        // by this launch; or it is not known
  uint64_t changes = 0, at_launch = 0, earlier_changes = 0, earlier_launch = 0;  // 0: not known
  bool has_last = false;
  participant last;  // that changed it
  uint64_t last_before = 0, last_value = 0;
};

struct finding {
  // strict: what the memory model does not allow, although GPUs do what is wanted.
  enum class level { bug, strict };

  // "race", "hang", "fault", "trap", "assertion", "uninitialized", "divergence", "unsupported", "limit", "note"
  std::string kind;
  std::string rule;  // "missing-proxy-fence"; a kind may have one rule of the same name
  level is = level::bug;
  bool is_of_order() const { return kind == "race" || kind == "uninitialized" || kind == "divergence"; }

  std::string message, remedy;   // a sentence each; the remedy may be empty
  std::vector<participant> by;   // the later one last
  std::string text{}, kernel{};  // more of it: where the threads are; demangled
  uint64_t seed = 0;
  std::string likely_cause{};
  std::vector<awaited_word> words{};  // that threads read again and again, in a hang
};

// A line of source that the user is likely to have written: the innermost that is not in the headers of a library.
const source_place* user_place(const participant& who);

// For sentences: "(3,0,0)", "thread (3,0,0) of block (0,0,0)", "`tile` + 16", " at kernel.cu:12".
std::string triple(const extent& index);
std::string name_of(const participant& who);
std::string object_of(const participant& who);
std::string line_of(const participant& who);
std::string verb_of(const participant& who, bool is_now);  // "writes", "wrote"

std::string demangled(const std::string& name);
std::string text_of(const finding& one);
std::string json_of(const finding& one);
// Of a kernel that has ended. why_not: races are not looked for because.
std::string json_of_kernel(const std::string& kernel, uint64_t seed, uint64_t steps, const std::string& end,
                           const std::string& why_not);

// Of a function of the host that the machine does not have, before the program ends.
std::string json_of_unsupported(const std::string& name, const std::string& message);

// A line behind the others of the file that CUDASYNC_MACHINE_REPORT names, if it names one.
void append_to_report(const std::string& line);

}  // namespace model

#endif
