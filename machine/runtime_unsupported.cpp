// What the machine does not support ends the program with one line that names it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime_unsupported.h"
#include "findings.h"

#include <cstdio>
#include <cstdlib>

namespace model {

void report_unsupported(const std::string& name, const std::string& sentence) {
  std::fflush(stdout);
  const std::string message = name + " is not supported by the machine" + (sentence.empty() ? "" : ": ") + sentence;
  std::fprintf(stderr, "model: %s\n", message.c_str());
  append_to_report(json_of_unsupported(name, message));
  std::_Exit(status_of_unsupported);
}

}  // namespace model
