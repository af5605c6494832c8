// Misuse that must end a kernel with a text that explains it: each case runs in a process of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_MISUSE_H
#define CUDASYNC_TEST_SUPPORT_MISUSE_H

#include "gpu_test.h"

#include <stdio.h>
#include <string.h>

#include <string>

struct misuse {
  const char* name;
  const char* message;
  const char* also;  // what the text must contain besides
  void (*run)();
};

// Runs the case as a process of its own.
inline bool is_explained(const char* program, const misuse& what) {
  const double start = gpu_test::seconds();
  FILE* const output = popen(("'" + std::string(program) + "' " + what.name + " 2>&1").c_str(), "r");
  if (output == nullptr) return false;
  std::string text;
  char buffer[256];
  while (fgets(buffer, sizeof buffer, output) != nullptr)
    text += buffer;
  const bool failed = pclose(output) != 0;
  const bool in_time = gpu_test::seconds() - start < 10;  // of which a few go to starting CUDA
  const bool is_named = text.find(what.message) != std::string::npos && text.find(what.also) != std::string::npos;
  const bool stopped = text.find("watchdog") == std::string::npos && text.find("kernel: ") != std::string::npos;
  const bool passed = failed && in_time && is_named && stopped;
  printf("%-8s%s\n", passed ? "passed" : "FAILED", what.name);
  if (!passed)
    printf("expected within 10 s: %s ... %s\ngot after %.1f s: %s\n", what.message, what.also,
           gpu_test::seconds() - start, text.c_str());
  return passed;
}

// For main: all cases, or the one that the argument names.
template <size_t Count>
int run_misuses(int argc, char** argv, const misuse (&cases)[Count]) {
  if (!gpu_test::has_gpu()) return 77;
  if (argc > 1) {
    for (const misuse& what : cases)
      if (strcmp(argv[1], what.name) == 0) {
        what.run();
        return 0;  // nothing stopped it
      }
    return 2;
  }
  int failed = 0;
  for (const misuse& what : cases)
    failed += !is_explained(argv[0], what);
  printf("%d passed, %d failed, 0 skipped\n", static_cast<int>(Count) - failed, failed);
  return failed != 0;
}

#endif
