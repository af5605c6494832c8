// What the machine does not support ends the program with one line that names it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_RUNTIME_UNSUPPORTED_H
#define CUDASYNC_MACHINE_RUNTIME_UNSUPPORTED_H

#include <string>

namespace model {

// Of a program that the machine ends.
enum class exit_status { clean = 0, bug = 1, unsupported = 2, limit = 3 };

// name: of a function or an instruction. sentence: what it belongs to, or what to do instead; may be empty.
[[noreturn]] void report_unsupported(const std::string& name, const std::string& sentence);

}  // namespace model

#endif
