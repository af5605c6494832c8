# cudasync_explore(target [SEEDS n] [TIME seconds] [ARCHITECTURE 90a] [OPTIONS option...] [ARGS argument...]): a test of the
# target's kernels on the CPU.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The target becomes a program for the machine of `python -m cudasync explore`, which takes the place of the GPU: it needs its own
# add_executable. The test explore.<target> fails unless everything was checked, and nothing was found.
function(cudasync_explore target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SEEDS;TIME;ARCHITECTURE" "OPTIONS;ARGS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cudasync_explore(${target} …): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  foreach(pair IN ITEMS SEEDS=50 TIME=60 ARCHITECTURE=90a)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 name)
    if(NOT arg_${name})
      list(GET pair 1 arg_${name})
    endif()
  endforeach()
  # Of the wheel, the repository, an install tree.
  find_path(
    cudasync_python
    NAMES cudasync/explore/__init__.py
    PATHS
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../..
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../python
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../cudasync/python
    NO_DEFAULT_PATH
    NO_CACHE
    REQUIRED
  )
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  cmake_path(GET CMAKE_CUDA_COMPILER PARENT_PATH toolkit) # its nvcc is the one that the command finds first
  cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)

  set_target_properties(
    ${target}
    PROPERTIES CUDA_ARCHITECTURES ${arg_ARCHITECTURE}-virtual CUDA_RUNTIME_LIBRARY Shared
  )
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo> $<$<COMPILE_LANGUAGE:CUDA>:-no-compress>)
  add_test(
    NAME explore.${target}
    COMMAND
      ${CMAKE_COMMAND} -E env --modify PATH=path_list_prepend:${toolkit} PYTHONPATH=${cudasync_python}
      ${Python3_EXECUTABLE} -m cudasync explore
      $<TARGET_FILE:${target}> --seeds ${arg_SEEDS} --time ${arg_TIME} --arch ${arg_ARCHITECTURE} ${arg_OPTIONS} -- ${arg_ARGS}
  )
  math(EXPR timeout "${arg_TIME} + 300") # the first run compiles the machine
  set_tests_properties(explore.${target} PROPERTIES TIMEOUT ${timeout} PROCESSORS ${processors})
endfunction()
