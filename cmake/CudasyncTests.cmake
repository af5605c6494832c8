# The kinds of tests that are programs: one function each, which finds everything it needs to know in the sources.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set(cudasync_warnings -Wall -Wextra -Werror)
set(cudasync_cuda_warnings -Xcompiler=-Wall,-Wextra,-Werror -Werror=all-warnings)

# cudasync_add_gpu_tests(barrier.cu ...): barrier.cu becomes gpu.barrier; gpu.barrier.checked with assertions; and for
# each of CUDASYNC_FORCED_TARGETS, sm80 say, gpu.barrier.sm80, which takes the paths of older GPUs on this one, unless a
# line of the file says "// needs: sm90". The programs need nothing installed, and return 77 where they cannot run.
function(cudasync_add_gpu_tests)
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "the GPU tests need nvcc: put it on PATH, or leave gpu out of CUDASYNC_TEST_KINDS")
  endif()
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    _cudasync_add_gpu_test(gpu.${name} ${source})
    _cudasync_add_gpu_test(gpu.${name}.checked ${source} CUDASYNC_CHECKED=1)
    file(STRINGS ${source} needs REGEX "^// needs: sm90")
    if(NOT needs)
      foreach(target IN LISTS CUDASYNC_FORCED_TARGETS)
        _cudasync_add_gpu_test(gpu.${name}.${target} ${source} CUDASYNC_FORCE_TARGET=${target})
      endforeach()
    endif()
  endforeach()
endfunction()

function(_cudasync_add_gpu_test name source)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE cudasync::cudasync)
  target_compile_features(${name} PRIVATE cuda_std_17)
  target_compile_options(${name} PRIVATE ${cudasync_cuda_warnings})
  target_compile_definitions(${name} PRIVATE ${ARGN})
  if(CUDASYNC_GPU_ARCHITECTURES) # other than the project's
    set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${CUDASYNC_GPU_ARCHITECTURES}")
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS gpu TIMEOUT 60 SKIP_RETURN_CODE 77)
endfunction()

# cudasync_add_host_tests(barrier.cpp ...): barrier.cpp, written with Catch2, becomes host.barrier, compiled without
# CUDA; and host.barrier.tsan and host.barrier.ubsan, under ThreadSanitizer and UndefinedBehaviorSanitizer.
function(cudasync_add_host_tests)
  find_package(Catch2 REQUIRED)
  find_package(Threads REQUIRED)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    _cudasync_add_host_test(host.${name} ${source})
    # -O1 and -O0: with the optimization of the release these take five times as long to compile.
    _cudasync_add_host_test(host.${name}.tsan ${source} -O1 -g -fsanitize=thread)
    _cudasync_add_host_test(host.${name}.ubsan ${source} -O0 -g -fsanitize=undefined -fno-sanitize-recover=all)
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
