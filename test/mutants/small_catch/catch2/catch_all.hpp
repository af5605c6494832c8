// As much of Catch2 as simple host tests use, so that they compile in a second as tests of mutants.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_MUTANTS_SMALL_CATCH_H
#define CUDASYNC_TEST_MUTANTS_SMALL_CATCH_H

#include <cstdio>
#include <string>
#include <vector>

namespace small_catch {

struct test_case {
  const char* name;
  void (*run)();
};
inline std::vector<test_case> cases;
inline int failures = 0;

struct registration {
  registration(const char* name, void (*run)()) { cases.push_back({name, run}); }
};

inline bool check(bool value, const char* text, int line) {
  if (!value) std::printf("line %d: %s\n", line, text);
  failures += !value;
  return value;
}

}  // namespace small_catch

namespace Catch {

struct Contains {
  explicit Contains(const std::string& text) : text_(text) {}
  bool match(const std::string& value) const { return value.find(text_) != std::string::npos; }

 private:
  std::string text_;
};

}  // namespace Catch

#define SMALL_CATCH_NAME(LINE) small_catch_case_##LINE
#define SMALL_CATCH_CASE(LINE, NAME)                                                        \
  static void SMALL_CATCH_NAME(LINE)();                                                     \
  static const small_catch::registration registration_##LINE(NAME, SMALL_CATCH_NAME(LINE)); \
  static void SMALL_CATCH_NAME(LINE)()
#define SMALL_CATCH_AT(LINE, NAME) SMALL_CATCH_CASE(LINE, NAME)
#define TEST_CASE(NAME) SMALL_CATCH_AT(__LINE__, NAME)
#define CHECK(...) static_cast<void>(small_catch::check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __LINE__))
#define CHECK_FALSE(...) CHECK(!(__VA_ARGS__))
#define REQUIRE(...) CHECK(__VA_ARGS__)
#define CHECK_THAT(VALUE, ...) CHECK((__VA_ARGS__).match(VALUE))
#define CHECK_THROWS_AS(EXPRESSION, ...)     \
  try {                                      \
    EXPRESSION;                              \
    CHECK(!"no exception of " #__VA_ARGS__); \
  } catch (const __VA_ARGS__&) {             \
  }
#define CAPTURE(...) static_cast<void>(0)
#define INFO(...) static_cast<void>(0)

int main() {
  for (const small_catch::test_case& each : small_catch::cases)
    each.run();
  return small_catch::failures == 0 ? 0 : 1;
}

#endif
