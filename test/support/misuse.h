// Misuse that must end a kernel with a text that explains it: each case runs in a process of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_MISUSE_H
#define CUDASYNC_TEST_SUPPORT_MISUSE_H

#include "checked_build.h"
#include "gpu_test.h"

#include <cudasync/hang_report.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <vector>

// What each of the texts says is part of what is printed; what follows a ! is not; what
// follows "1 x " is there once. <mark> stands for "file.cu:line" of the line of the kernel that ends
// with the comment // <mark>.
struct misuse {
  const char* name;  // the kernel's
  std::vector<const char*> texts;
  void (*run)();
  const char* file;
  void (*kernel)(int) = nullptr;
  unsigned runs = 1;  // on the machine, each with another seed; on a GPU one
};

#define MISUSE_OFTEN(RUNS, SHAPE, KERNEL, ...) \
  {#KERNEL, {__VA_ARGS__}, [] { gpu_test::run(KERNEL, SHAPE, 0); }, __FILE__, KERNEL, RUNS}
#define MISUSE_IN(SHAPE, KERNEL, ...) MISUSE_OFTEN(1, SHAPE, KERNEL, __VA_ARGS__)

namespace gpu_test {

inline std::vector<std::string> lines_of(const char* file) {
  std::vector<std::string> lines;
  FILE* const source = fopen(file, "r");
  if (source == nullptr) return lines;
  char buffer[1024];
  while (fgets(buffer, sizeof buffer, source) != nullptr)
    lines.push_back(buffer);
  fclose(source);
  return lines;
}

// The text with the places in it.
inline std::string with_places(const misuse& what, const std::string& text) {
  const size_t open = text.find('<');
  const size_t close = text.find('>', open);
  if (open == std::string::npos || close == std::string::npos) return text;
  const std::string mark = "// " + text.substr(open, close + 1 - open);
  const std::string head = " " + std::string(what.name) + "(";
  const std::string path = what.file;
  bool is_inside = false;
  unsigned number = 0;
  for (const std::string& line : lines_of(what.file)) {
    ++number;
    if (line.compare(0, 10, "__global__") == 0) is_inside = line.find(head) != std::string::npos;
    if (is_inside && line.find(mark) != std::string::npos)
      return text.substr(0, open) + path.substr(path.rfind('/') + 1) + ":" + std::to_string(number) +
             with_places(what, text.substr(close + 1));
  }
  return text;
}

inline unsigned occurrences(const std::string& text, const char* part) {
  unsigned count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at)
    ++count;
  return count;
}

// Whether a list of threads or warps in the text has no members.
inline bool has_empty_list(const std::string& text) {
  for (const char* const name : {"threads ", "warps "})
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
      at += strlen(name);
      if (at < text.size() && strchr(" ,;:.)", text[at]) != nullptr) return true;
    }
  return false;
}

}  // namespace gpu_test

inline bool is_on_machine() {
  return getenv("CUDASYNC_MACHINE_ARCHITECTURE") != nullptr;
}

// The report as data, in the file CASE.json of the folder CUDASYNC_REPORT_FOLDER, for test/model/reports. Without this
// variable, there is no object for reports, and the kernel must print the same text.
static const char* file_of_report(const char* name) {
  static std::string path;
  const char* const folder = getenv("CUDASYNC_REPORT_FOLDER");
  if (name != nullptr && folder != nullptr) path = std::string(folder) + "/" + name + ".json";
  return path.empty() ? nullptr : path.c_str();
}

static cudasync::hang_report& report_of_misuse() {
  static cudasync::hang_report report;
  return report;
}

static void save_report() {
  if (!report_of_misuse().is_complete()) return;
  FILE* const file = fopen(file_of_report(nullptr), "w");
  if (file == nullptr) return;
  fprintf(file, "%s\n", report_of_misuse().json().c_str());
  fclose(file);
}

// Before each case, in its process.
inline void (*before_case)(const char* name) = nullptr;

static int run_here(const misuse& what) {
  if (!gpu_test::has_gpu()) return 77;
  if (before_case != nullptr) before_case(what.name);
  if (file_of_report(what.name) != nullptr) {
    static_cast<void>(report_of_misuse());
    gpu_test::before_giving_up = save_report;
  }
  what.run();
  return 0;  // nothing stopped it
}

// Runs the case as a process of its own, for which this one must not have used a GPU. 77 if there is none.
static int run_as_process(const misuse& what, unsigned run) {
  const double start = gpu_test::seconds();
  int ends[2];
  fflush(stdout);
  if (pipe(ends) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    if (what.runs != 1) setenv("CUDASYNC_MACHINE_SEED", std::to_string(run).c_str(), 1);
    const int status = run_here(what);
    fflush(stdout);
    _exit(status);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  close(ends[0]);
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child) return 1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return 77;
  const double taken = gpu_test::seconds() - start;
  std::string missing;
  for (const char* each : what.texts) {
    const std::string expected = gpu_test::with_places(what, each);
    const bool is_wrong = expected[0] == '!';
    const bool is_counted = expected.compare(0, 4, "1 x ") == 0;
    if (is_counted && gpu_test::occurrences(text, expected.c_str() + 4) == 1) continue;
    if ((text.find(expected.substr(is_wrong)) == std::string::npos) != is_wrong) missing += "  " + expected + "\n";
  }
  if (status == 0 || text.find("kernel: ") == std::string::npos) missing += "  the kernel fails\n";
  if (taken > 10) missing += "  it takes 10 s at most, of which a few go to starting CUDA\n";
  if (text.find("watchdog") != std::string::npos) missing += "  it ends by itself\n";
  if (gpu_test::has_empty_list(text)) missing += "  no list without members\n";
  if (gpu_test::occurrences(text, "likely cause: ") > 1) missing += "  one report\n";
  if (gpu_test::occurrences(text, "\ncudasync: ") > 20) missing += "  20 lines at most\n";
  printf("%-8s%s", missing.empty() ? "passed" : "FAILED", what.name);
  if (what.runs != 1) printf(" with seed %u", run);
  printf("\n");
  if (!missing.empty()) printf("expected:\n%sgot after %.1f s:\n%s\n", missing.c_str(), taken, text.c_str());
  if (missing.empty() && getenv("MISUSE_PRINT") != nullptr) printf("%s\n", text.c_str());
  return missing.empty() ? 0 : 1;
}

// For main: all cases, or the one that the argument names.
template <size_t Count>
int run_misuses(int argc, char** argv, const misuse (&cases)[Count]) {
  if (argc > 1) {
    for (const misuse& what : cases)
      if (strcmp(argv[1], what.name) == 0) return run_here(what);
    return 2;
  }
  if (is_on_machine()) {
    setenv("CUDASYNC_MACHINE_RACES", "0", 1);
    for (const misuse& what : cases) {  // the machine reads the code of all, once for all processes
      cudaFuncAttributes unused;
      if (what.kernel != nullptr) static_cast<void>(cudaFuncGetAttributes(&unused, what.kernel));
    }
  }
  int failed = 0;
  for (const misuse& what : cases) {
    int status = 0;
    for (unsigned run = 1; status == 0 && run <= (is_on_machine() ? what.runs : 1); ++run)
      status = run_as_process(what, run);
    if (status == 77) return 77;
    failed += status;
  }
  printf("%d passed, %d failed, 0 skipped\n", static_cast<int>(Count) - failed, failed);
  return failed != 0;
}

#endif
