# The kinds of tests that are programs: one function each, which finds everything it needs to know in the sources.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set(cudasync_warnings -Wall -Wextra -Werror)
set(cudasync_cuda_warnings -Xcompiler=-Wall,-Wextra,-Werror -Werror=all-warnings)

# cudasync_add_gpu_tests(barrier.cu ...): barrier.cu becomes gpu.barrier; gpu.barrier.checked with assertions; and for
# each of CUDASYNC_FORCED_TARGETS, sm80 say, gpu.barrier.sm80, which takes the paths of older GPUs on this one, unless a
# line of the file says "// needs: sm90". The programs need nothing installed, and return 77 where they cannot run. Without
# CUDASYNC_RUN_GPU_TESTS they are compiled, several in a translation unit, unless the tests of kind model run them, and
# reported as skipped.
function(cudasync_add_gpu_tests)
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "the GPU tests need nvcc: put it on PATH, or leave gpu out of CUDASYNC_TEST_KINDS")
  endif()
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    file(STRINGS ${source} alone REGEX "^// compiled: alone|^ *# *define ")
    set(is_on_model FALSE)
    if(name IN_LIST CUDASYNC_TESTS_ON_MODEL AND "model" IN_LIST CUDASYNC_TEST_KINDS)
      set(is_on_model TRUE) # which compiles the release build
    endif()
    if(CUDASYNC_RUN_GPU_TESTS OR (alone AND (CUDASYNC_THOROUGH OR is_on_model)))
      _cudasync_add_gpu_test(gpu.${name} ${source})
      _cudasync_add_gpu_test(gpu.${name}.checked ${source} CUDASYNC_CHECKED=1)
    elseif(alone)
      list(APPEND all_alone ${source}) # every other one in each form
      list(LENGTH all_alone number)
      math(EXPR is_odd "${number} % 2")
      if(is_odd)
        _cudasync_skip_gpu_test(gpu.${name} "no GPU")
        _cudasync_add_gpu_test(gpu.${name}.checked ${source} CUDASYNC_CHECKED=1)
      else()
        _cudasync_add_gpu_test(gpu.${name} ${source})
        _cudasync_skip_gpu_test(gpu.${name}.checked "no GPU")
      endif()
    else()
      list(APPEND together ${source})
      _cudasync_skip_gpu_test(gpu.${name} "no GPU")
      _cudasync_skip_gpu_test(gpu.${name}.checked "no GPU")
    endif()
    file(STRINGS ${source} needs REGEX "^// needs: sm90")
    if(NOT needs AND CUDASYNC_RUN_GPU_TESTS)
      foreach(target IN LISTS CUDASYNC_FORCED_TARGETS)
        _cudasync_add_gpu_test(gpu.${name}.${target} ${source} CUDASYNC_FORCE_TARGET=${target})
      endforeach()
    endif()
  endforeach()
  _cudasync_compile_together(${together})
endfunction()

function(_cudasync_add_gpu_test name source)
  cmake_path(GET source STEM stem)
  # Reports of hangs define CUDASYNC_CHECKED themselves: both builds are the same.
  if(NOT CUDASYNC_RUN_GPU_TESTS
     AND stem IN_LIST CUDASYNC_TESTS_ON_MODEL
     AND "model" IN_LIST CUDASYNC_TEST_KINDS
     AND (name STREQUAL gpu.${stem} OR stem MATCHES "^hang_report")
  )
    _cudasync_skip_gpu_test(${name} "no GPU; the model runs it as model.${stem}")
    return()
  endif()
  if(CUDASYNC_RUN_GPU_TESTS)
    if(NOT TARGET gpu_programs)
      add_custom_target(gpu_programs)
    endif()
    add_executable(${name} ${source})
    if(NOT name MATCHES "^gpu\\.hang_report.*\\.checked$")
      add_dependencies(gpu_programs ${name})
    endif()
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS gpu TIMEOUT 60 SKIP_RETURN_CODE 77)
  else()
    _cudasync_only_compile(${name} ${source})
    _cudasync_skip_gpu_test(${name} "no GPU")
  endif()
  _cudasync_set_gpu_options(${name})
  target_compile_definitions(${name} PRIVATE ${ARGN})
endfunction()

function(_cudasync_skip_gpu_test name reason)
  add_test(NAME ${name} COMMAND sh -c "echo 'skipped: ${reason}'; exit 77")
  set_tests_properties(${name} PROPERTIES LABELS gpu SKIP_RETURN_CODE 77)
endfunction()

function(_cudasync_set_gpu_options name)
  target_link_libraries(${name} PRIVATE cudasync::cudasync)
  target_compile_features(${name} PRIVATE cuda_std_17)
  target_compile_options(${name} PRIVATE ${cudasync_cuda_warnings})
endfunction()

# Appends to the first variable what a file includes, and to the second the file in a namespace of its own.
function(_cudasync_append_file to_includes to_text source)
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(GET source STEM stem)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(STRINGS ${source} of_file REGEX "^#include ")
  list(TRANSFORM of_file REPLACE "\"(.*)\"" "\"${folder}/\\1\"")
  set(${to_includes} ${${to_includes}} ${of_file} PARENT_SCOPE)
  set(${to_text} "${${to_text}}namespace test_${stem} {\n#include \"${source}\"\n}\n" PARENT_SCOPE)
endfunction()

# A few translation units of all these files, since nvcc spends most of the time on the headers: first what the files include,
# then each in a namespace of its own. A file that defines macros, or says "// compiled: alone", is not among them. With
# CUDASYNC_THOROUGH each unit is compiled in release and in checked form, otherwise every other one in each form.
function(_cudasync_compile_together)
  set(units 2)
  if(CUDASYNC_THOROUGH OR CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13.0)
    set(units 8) # what nvcc also optimizes takes much memory
  endif()
  set(number 0)
  foreach(source IN LISTS ARGN)
    _cudasync_append_file(includes_${number} text_${number} ${source})
    math(EXPR number "(${number} + 1) % ${units}")
  endforeach()
  foreach(number RANGE 7)
    if(text_${number})
      list(REMOVE_DUPLICATES includes_${number})
      list(JOIN includes_${number} "\n" includes)
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/together_${number}.cu)
      file(CONFIGURE OUTPUT ${unit} CONTENT "@includes@\n@text_${number}@" @ONLY)
      math(EXPR is_odd "${number} % 2")
      if(CUDASYNC_THOROUGH OR NOT is_odd)
        _cudasync_only_compile(gpu.together_${number} ${unit})
        _cudasync_set_gpu_options(gpu.together_${number})
      endif()
      if(CUDASYNC_THOROUGH OR is_odd)
        _cudasync_only_compile(gpu.together_${number}.checked ${unit})
        _cudasync_set_gpu_options(gpu.together_${number}.checked)
        target_compile_definitions(gpu.together_${number}.checked PRIVATE CUDASYNC_CHECKED=1)
      endif()
    endif()
  endforeach()
endfunction()

# What nobody will run must compile without a warning, and no more. By default nvcc reads the device's part, in which stand the
# host's functions too, and generates no code; the tests of code generation have ptxas assemble the same paths. With
# CUDASYNC_THOROUGH: to PTX, and of the release build also the host's part, with g++'s warnings.
function(_cudasync_only_compile name source)
  add_library(${name} OBJECT ${source})
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES 90-virtual)
  if(name MATCHES "checked$" OR NOT CUDASYNC_THOROUGH)
    set_target_properties(${name} PROPERTIES CUDA_PTX_COMPILATION ON)
  endif()
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0 AND CUDASYNC_THOROUGH)
    target_compile_options(${name} PRIVATE -Ofc=max)
  elseif(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0)
    target_compile_options(${name} PRIVATE -fdevice-syntax-only)
  endif()
endfunction()

# Catch2 as CMake finds it, or as test/run.py gets it: in build/tools, downloaded if it is not there.
macro(_cudasync_find_catch2)
  find_package(Catch2 QUIET)
  if(NOT Catch2_FOUND)
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -B -c "from cudasync_tools import toolbox; print(toolbox.catch2() or '', end='')"
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tools
      OUTPUT_VARIABLE Catch2_DIR
    )
    string(REGEX REPLACE "^.*\n" "" Catch2_DIR "${Catch2_DIR}") # before it stands what toolbox does
    find_package(Catch2 QUIET)
  endif()
  if(NOT Catch2_FOUND)
    message(FATAL_ERROR "the host tests need Catch2: install it (Debian: apt install catch2), set Catch2_DIR, or leave host out of CUDASYNC_TEST_KINDS")
  endif()
endmacro()

# cudasync_add_host_tests(barrier.cpp ...): barrier.cpp, written with Catch2, becomes host.barrier, compiled without
# CUDA; and host.barrier.sanitized, under ThreadSanitizer and UndefinedBehaviorSanitizer. A file that starts no threads
# or that says "// without ThreadSanitizer: " and why, becomes one program, under UndefinedBehaviorSanitizer. The target
# quick_tests builds all host.* but the sanitized ones. Without CUDASYNC_THOROUGH nothing is optimized, and the files that
# start threads become host.barrier.sanitized alone.
# Cross-compiled programs have no sanitized variant: ThreadSanitizer does not run on qemu. Test cases with the tag
# [not_on_qemu] are then reported as one skipped test, host.barrier.not_on_qemu.
function(cudasync_add_host_tests)
  _cudasync_find_catch2()
  find_package(Threads REQUIRED)
  add_custom_target(quick_tests)
  set(cudasync_host_seconds 60) # a program takes 20 at most, where two threads run at a time
  # Not optimized: else these take three times as long to compile. Checks of vptr race with each other.
  set(sanitized -O0 -g1 -fsanitize=thread,undefined -fno-sanitize=vptr -fno-sanitize-recover=all)
  if(NOT CUDASYNC_THOROUGH)
    list(APPEND sanitized -fno-sanitize=null,alignment,object-size,pointer-overflow) # they double the time, too
  endif()
  _cudasync_precompile_catch(catch)
  if(NOT CMAKE_CROSSCOMPILING)
    _cudasync_precompile_catch(catch.sanitized ${sanitized})
  endif()
  # The checks of pointers double the time to compile, and so does optimization.
  set(defined -fsanitize=undefined -fno-sanitize=vptr,null,object-size,pointer-overflow -fno-sanitize-recover=all)
  if(NOT CUDASYNC_THOROUGH)
    # A trap instead of a message, which takes a quarter of the time: Catch2 then shows the test case, and SIGILL.
    list(APPEND defined -O0 -fsanitize-undefined-trap-on-error)
  endif()
  _cudasync_precompile_catch(catch.defined ${defined})
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    file(STRINGS ${source} has_threads REGEX "^#include (<thread>|<future>|\"threads.h\")")
    file(STRINGS ${source} without_thread_sanitizer REGEX "^// without ThreadSanitizer: ")
    if(without_thread_sanitizer)
      set(has_threads OFF)
    endif()
    if(NOT has_threads)
      _cudasync_add_host_test(host.${name} ${source} catch.defined ${defined})
    elseif(CUDASYNC_THOROUGH OR CMAKE_CROSSCOMPILING)
      _cudasync_add_host_test(host.${name} ${source} catch)
    endif()
    if(has_threads AND NOT CMAKE_CROSSCOMPILING)
      _cudasync_add_host_test(host.${name}.sanitized ${source} catch.sanitized ${sanitized})
    endif()
    if(TARGET host.${name})
      add_dependencies(quick_tests host.${name})
    endif()
  endforeach()
endfunction()

# A target that precompiles catch.h for g++, in a folder of its name. If it does not fit, the text of catch.h is included.
# (CMake's own precompiled headers come behind the header that the target cudasync includes, and g++ accepts only the first.)
function(_cudasync_precompile_catch name)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/${name}/catch.h)
  file(CONFIGURE OUTPUT ${header} CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/catch.h\"\n")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  get_target_property(folders Catch2::Catch2 INTERFACE_INCLUDE_DIRECTORIES)
  # With -isystem/usr/include, g++ searches that folder before its own, and <cstdlib> finds no <stdlib.h> after it.
  list(REMOVE_ITEM folders ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  list(TRANSFORM folders PREPEND -isystem)
  add_custom_command(
    OUTPUT ${header}.gch
    COMMAND
      ${CMAKE_CXX_COMPILER} ${flags} ${cudasync_warnings} ${ARGN} ${folders} -x c++-header -o
      ${header}.gch ${header}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/catch.h
    COMMAND_EXPAND_LISTS VERBATIM
  )
  add_custom_target(${name} DEPENDS ${header}.gch)
endfunction()

function(_cudasync_add_host_test name source catch)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE cudasync::cudasync Catch2::Catch2WithMain Threads::Threads)
  target_compile_features(${name} PRIVATE cxx_std_17)
  target_compile_options(${name} PRIVATE ${cudasync_warnings} ${ARGN})
  target_compile_definitions(${name} PRIVATE CUDASYNC_THOROUGH=$<BOOL:${CUDASYNC_THOROUGH}>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE "SHELL:-include ${CMAKE_CURRENT_BINARY_DIR}/${catch}/catch.h")
    add_dependencies(${name} ${catch})
  endif()
  target_link_options(${name} PRIVATE ${ARGN})
  if(NOT CMAKE_CROSSCOMPILING)
    # Catch2 answers SIGTERM with the name of the test case, for which it allocates memory. CTest itself would send SIGKILL.
    add_test(NAME ${name} COMMAND timeout --kill-after=10 ${cudasync_host_seconds} $<TARGET_FILE:${name}>)
    set_tests_properties(
      ${name} PROPERTIES LABELS host TIMEOUT 300 ENVIRONMENT TSAN_OPTIONS=report_signal_unsafe=0
    )
    return()
  endif()
  add_test(NAME ${name} COMMAND ${name} "~[not_on_qemu]")
  set_tests_properties(${name} PROPERTIES LABELS host TIMEOUT 600)
  file(STRINGS ${source} reason REGEX "^// not_on_qemu: ")
  if(reason)
    add_test(NAME ${name}.not_on_qemu COMMAND ${CMAKE_COMMAND} -E echo "${reason}")
    set_tests_properties(${name}.not_on_qemu PROPERTIES LABELS host SKIP_REGULAR_EXPRESSION "not_on_qemu: ")
  endif()
endfunction()
