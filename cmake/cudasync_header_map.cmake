# cudasync_header_map(target): gives the target <cudasync_header_map.h>, all headers of cudasync as text, for NVRTC.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A program that compiles kernels at run time then needs no folder of headers where it runs:
#   nvrtcCreateProgram(&program, source, name, cudasync::header_count, cudasync::header_texts, cudasync::header_names);
# Without a project: cmake -DINCLUDE=FOLDER -DOUTPUT=FILE -P cudasync_header_map.cmake

cmake_policy(VERSION 3.25)  # as a script it has no project that says so

function(_cudasync_write_header_map include output)
  file(GLOB_RECURSE files RELATIVE ${include} ${include}/*)
  list(FILTER files INCLUDE REGEX "^(cuda|cudasync)/")
  list(SORT files)
  set(names "")
  set(texts "")
  foreach(name IN LISTS files)
    file(READ ${include}/${name} text)
    string(APPEND names "    \"${name}\",\n")
    string(APPEND texts "    R\"cudasync(${text})cudasync\",\n")
  endforeach()
  list(LENGTH files count)
  file(
    CONFIGURE
    OUTPUT ${output}
    CONTENT
      "// All headers of cudasync as text, for nvrtcCreateProgram; made by cudasync_header_map.cmake.
#ifndef CUDASYNC_HEADER_MAP_H
#define CUDASYNC_HEADER_MAP_H

namespace cudasync {

constexpr int header_count = @count@;

static const char* const header_names[header_count] = {
@names@};

static const char* const header_texts[header_count] = {
@texts@};

}  // namespace cudasync

#endif
"
    @ONLY
  )
endfunction()

function(cudasync_header_map target)
  get_target_property(folders cudasync::cudasync INTERFACE_INCLUDE_DIRECTORIES)
  # In cudasync's own build the folders are generator expressions.
  string(REGEX REPLACE "\\$<INSTALL_INTERFACE:[^>]*>;?" "" folders "${folders}")
  string(REGEX REPLACE "\\$<BUILD_INTERFACE:([^>]*)>" "\\1" folders "${folders}")
  list(GET folders 0 include)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${include}/cuda/* ${include}/cudasync/*)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/cudasync_header_map)
  _cudasync_write_header_map(${include} ${folder}/cudasync_header_map.h)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  if(NOT INCLUDE OR NOT OUTPUT)
    message(FATAL_ERROR "usage: cmake -DINCLUDE=FOLDER -DOUTPUT=FILE -P ${CMAKE_CURRENT_LIST_FILE}")
  endif()
  file(REAL_PATH ${INCLUDE} include)
  _cudasync_write_header_map(${include} ${OUTPUT})
endif()
