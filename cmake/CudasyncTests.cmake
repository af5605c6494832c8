# The kinds of tests that are programs: one function each, which finds everything it needs to know in the sources.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set(cudasync_warnings -Wall -Wextra -Werror)
set(cudasync_cuda_warnings -Xcompiler=-Wall,-Wextra,-Werror -Werror=all-warnings)

# cudasync_add_gpu_tests(barrier.cu ...): barrier.cu becomes gpu.barrier; gpu.barrier.checked with assertions; and for
# each of CUDASYNC_FORCED_TARGETS, sm80 say, gpu.barrier.sm80, which takes the paths of older GPUs on this one, unless a
# line of the file says "// needs: sm90". The programs need nothing installed, and return 77 where they cannot run. Without
# CUDASYNC_RUN_GPU_TESTS they are compiled, unless the tests of kind model run them, and reported as skipped.
function(cudasync_add_gpu_tests)
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "the GPU tests need nvcc: put it on PATH, or leave gpu out of CUDASYNC_TEST_KINDS")
  endif()
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    _cudasync_add_gpu_test(gpu.${name} ${source})
    _cudasync_add_gpu_test(gpu.${name}.checked ${source} CUDASYNC_CHECKED=1)
    file(STRINGS ${source} needs REGEX "^// needs: sm90")
    if(NOT needs AND CUDASYNC_RUN_GPU_TESTS)
      foreach(target IN LISTS CUDASYNC_FORCED_TARGETS)
        _cudasync_add_gpu_test(gpu.${name}.${target} ${source} CUDASYNC_FORCE_TARGET=${target})
      endforeach()
    endif()
  endforeach()
endfunction()

function(_cudasync_add_gpu_test name source)
  cmake_path(GET source STEM stem)
  # Reports of hangs define CUDASYNC_CHECKED themselves: both builds are the same.
  if(NOT CUDASYNC_RUN_GPU_TESTS
     AND stem IN_LIST CUDASYNC_TESTS_ON_MODEL
     AND "model" IN_LIST CUDASYNC_TEST_KINDS
     AND (name STREQUAL gpu.${stem} OR stem MATCHES "^hang_report")
  )
    add_test(NAME ${name} COMMAND sh -c "echo 'skipped: no GPU; the model runs it as model.${stem}'; exit 77")
    set_tests_properties(${name} PROPERTIES LABELS gpu SKIP_RETURN_CODE 77)
    return()
  endif()
  if(CUDASYNC_RUN_GPU_TESTS)
    add_executable(${name} ${source})
    add_test(NAME ${name} COMMAND ${name})
  else()
    _cudasync_only_compile(${name} ${source})
    add_test(NAME ${name} COMMAND sh -c "echo 'skipped: no GPU'; exit 77")
  endif()
  target_link_libraries(${name} PRIVATE cudasync::cudasync)
  target_compile_features(${name} PRIVATE cuda_std_17)
  target_compile_options(${name} PRIVATE ${cudasync_cuda_warnings})
  target_compile_definitions(${name} PRIVATE ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS gpu TIMEOUT 60 SKIP_RETURN_CODE 77)
endfunction()

# What nobody will run must compile without a warning, and no more: to PTX, and of the checked build the device's part alone.
# The tests of code generation have ptxas assemble the same paths.
function(_cudasync_only_compile name source)
  add_library(${name} OBJECT ${source})
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES 90-virtual)
  if(name MATCHES "checked$")
    set_target_properties(${name} PROPERTIES CUDA_PTX_COMPILATION ON)
  endif()
  include(CheckCompilerFlag)
  check_compiler_flag(CUDA -Ofc=max CUDASYNC_NVCC_COMPILES_FAST) # since CUDA 12.9
  if(CUDASYNC_NVCC_COMPILES_FAST)
    target_compile_options(${name} PRIVATE -Ofc=max)
  endif()
endfunction()

# Catch2 as CMake finds it, or as test/run.py gets it: in build/tools, downloaded if it is not there.
macro(_cudasync_find_catch2)
  find_package(Catch2 QUIET)
  if(NOT Catch2_FOUND)
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -B -c "import toolbox; print(toolbox.catch2() or '', end='')"
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/cmake
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
# CUDA; and host.barrier.sanitized, under ThreadSanitizer and UndefinedBehaviorSanitizer. The target quick_tests is the former.
function(cudasync_add_host_tests)
  _cudasync_find_catch2()
  find_package(Threads REQUIRED)
  add_custom_target(quick_tests)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    _cudasync_add_host_test(host.${name} ${source})
    add_dependencies(quick_tests host.${name})
    # Not optimized: else these take three times as long to compile. Checks of vptr race with each other.
    _cudasync_add_host_test(host.${name}.sanitized ${source} -O0 -g1 -fsanitize=thread,undefined -fno-sanitize=vptr -fno-sanitize-recover=all)
  endforeach()
endfunction()

function(_cudasync_add_host_test name source)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE cudasync::cudasync Catch2::Catch2WithMain Threads::Threads)
  target_compile_features(${name} PRIVATE cxx_std_17)
  target_compile_options(${name} PRIVATE ${cudasync_warnings} ${ARGN})
  target_link_options(${name} PRIVATE ${ARGN})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS host TIMEOUT 120)
endfunction()
