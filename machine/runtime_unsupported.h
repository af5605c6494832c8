// What the machine does not support ends the program with one line that names it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_RUNTIME_UNSUPPORTED_H
#define CUDASYNC_MACHINE_RUNTIME_UNSUPPORTED_H

#include <string>

namespace model {

// The exit status of the program, which is that of the command, too.
inline constexpr int status_of_unsupported = 2;

// name: of a function or an instruction. sentence: what it belongs to, or what to do instead; may be empty.
[[noreturn]] void report_unsupported(const std::string& name, const std::string& sentence);

}  // namespace model

#endif
