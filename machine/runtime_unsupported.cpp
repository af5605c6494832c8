// What the machine does not support ends the program with one line that names it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime_unsupported.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace model {
namespace {

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return made + '"';
}

}  // namespace

void report_unsupported(const std::string& name, const std::string& sentence) {
  std::fflush(stdout);
  const std::string message = name + " is not supported by the machine" + (sentence.empty() ? "" : ": ") + sentence;
  std::fprintf(stderr, "model: %s\n", message.c_str());
  const char* const report = std::getenv("CUDASYNC_MACHINE_REPORT");
  if (report != nullptr)
    std::ofstream(report, std::ios::app) << R"({"kind":"unsupported","names":[)" << quoted(name) << R"(],"message":)"
                                         << quoted(message) << "}\n";
  std::_Exit(static_cast<int>(exit_status::unsupported));
}

}  // namespace model
