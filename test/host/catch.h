// Catch2, whose main header is called otherwise in version 2 and in version 3.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_HOST_CATCH_H
#define CUDASYNC_TEST_HOST_CATCH_H

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

// With sanitizers, which take most of the time to compile: failed assertions do not show the values that they compare.
#if defined(__SANITIZE_THREAD__)
inline void assert_plainly(const char* macro, const char* file, int line, const char* text, bool value,
                           Catch::ResultDisposition::Flags disposition) {
  Catch::AssertionHandler handler(macro, Catch::SourceLineInfo(file, static_cast<std::size_t>(line)), text,
                                  disposition);
  handler.handleExpr(Catch::Decomposer() <= value);
  handler.complete();
}
#undef CHECK
#undef CHECK_FALSE
#undef REQUIRE
#undef REQUIRE_FALSE
#define ASSERT_PLAINLY(MACRO, VALUE, TEXT, DISPOSITION) \
  assert_plainly(MACRO, __FILE__, __LINE__, TEXT, VALUE, Catch::ResultDisposition::DISPOSITION)
#define CHECK(...) ASSERT_PLAINLY("CHECK", static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, ContinueOnFailure)
#define CHECK_FALSE(...) \
  ASSERT_PLAINLY("CHECK_FALSE", !static_cast<bool>(__VA_ARGS__), "!(" #__VA_ARGS__ ")", ContinueOnFailure)
#define REQUIRE(...) ASSERT_PLAINLY("REQUIRE", static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, Normal)
#define REQUIRE_FALSE(...) \
  ASSERT_PLAINLY("REQUIRE_FALSE", !static_cast<bool>(__VA_ARGS__), "!(" #__VA_ARGS__ ")", Normal)
#endif

#endif
