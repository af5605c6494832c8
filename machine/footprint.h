// What a kernel or a copy did to global memory, as a whole: compared with that of other work, with which it may run at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_FOOTPRINT_H
#define CUDASYNC_MACHINE_FOOTPRINT_H

#include "findings.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace model {

struct footprint {
  // Accesses of one instruction.
  struct kind {
    participant who;
    bool is_write, is_strong;  // strong: at device scope or wider
    bool changes;              // a write of other values than what was there
  };
  // Each piece of it by one thread of the grid, and the next piece by a thread that is `step` further.
  struct range {
    uint64_t start, end, thread;
    uint32_t kind, piece, step;
  };

  std::vector<kind> kinds;
  std::vector<range> ranges;
  extent grid, block;
  bool releases = false, acquires = false;  // with fences or orders, at device scope or wider

  // In the order of addresses, for each kind.
  void add(uint64_t start, uint64_t end, uint32_t kind, uint64_t thread = 0);
  void sort();
  participant at(const range& which, uint64_t address) const;

 private:
  std::vector<size_t> last_;  // ranges, by kind
};

// Two accesses of which one is a write, and not both are strong. They may write the same value: such ones are only found if
// there are no others.
struct footprint_conflict {
  bool is_found = false, is_same_value = false;
  participant one, other;
};
footprint_conflict find_conflict(const footprint& one, const footprint& later);

// Whether something that one has written strongly was read strongly by the other; and with a release and an acquire.
bool shares_flag(const footprint& one, const footprint& other);
bool may_signal(const footprint& one, const footprint& other);

// What the address is in.
void name_global(participant& who, uint64_t address);

}  // namespace model

#endif
