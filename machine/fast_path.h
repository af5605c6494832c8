// The instructions that most of a kernel consists of, in a form that all lanes of a group execute at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_FAST_PATH_H
#define CUDASYNC_MACHINE_FAST_PATH_H

#include <cstddef>
#include <cstdint>

namespace model {

struct instruction;

struct fast_form {
  enum class kind : uint8_t { none, compute, branch, load, store };  // none: execute() does it
  struct source {
    bool is_register = false;
    uint32_t reg = 0;
    uint64_t value = 0;
  };

  kind is = kind::none;
  void (*compute)(const fast_form& how, uint64_t* const* registers, size_t lanes) = nullptr;
  uint32_t to = 0;
  source from[3];
  uint64_t extra = 0;  // the table of lop3; a comparison; where a branch goes
};

// execute() is the reference: what has a form here does the same.
fast_form decode(const instruction& at);

}  // namespace model

#endif
