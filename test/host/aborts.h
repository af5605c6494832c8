// Broken rules that must end the program in the checked build.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_HOST_ABORTS_H
#define CUDASYNC_TEST_HOST_ABORTS_H

#include "catch.h"

#include <csignal>
#include <cstddef>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

// What a function says on stderr before it aborts, in a process of its own; nothing if it ends otherwise, or takes 10 s.
template <class Function>
std::string last_words(Function function) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // Catch2 would report it as a failure
    dup2(ends[1], STDERR_FILENO);
    alarm(10);
    function();
    _exit(0);
  }
  close(ends[1]);
  std::string words;
  char chunk[256];
  for (ssize_t size; (size = read(ends[0], chunk, sizeof chunk)) > 0;)
    words.append(chunk, static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? words : "";
}

template <class Function>
void check_aborts(const char* text, Function function) {
  CHECK_THAT(last_words(function), Catch::Contains(std::string("cudasync: ") + text));
}

#endif
