# The machine of test/model as a library, and programs for a GPU that run on it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# For the host's code alone, in the folder that includes this; what the machine runs is optimized all the same.
set(CMAKE_CUDA_FLAGS_RELEASE "-O0 -DNDEBUG")

# Targets: model_machine; with nvcc, model_runtime, which takes the place of the CUDA runtime.
function(cudasync_add_machine)
  if(TARGET model_machine)
    return()
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/machine)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/(library|runtime.*)\\.cpp$")
  add_library(model_machine OBJECT ${sources})
  set_target_properties(model_machine PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 5)
  foreach(source IN LISTS sources) # grid.h takes longer than most files with it, so several of them become one unit
    file(STRINGS ${source} with_grid REGEX "#include \"grid.h\"")
    if(NOT with_grid)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  target_compile_features(model_machine PUBLIC cxx_std_17)
  target_compile_options(model_machine PRIVATE ${cudasync_warnings} -O3)
  if(CMAKE_CUDA_COMPILER)
    find_package(Threads REQUIRED)
    # As `python -m cudasync explore` makes it: a program that needs the CUDA runtime takes it for this library.
    string(REGEX MATCH "^[0-9]+" major ${CMAKE_CUDA_COMPILER_VERSION})
    set(exports ${PROJECT_BINARY_DIR}/machine/exports.map)
    file(CONFIGURE OUTPUT ${exports} CONTENT "libcudart.so.${major} { global: cu*; __cuda*; local: *; };\n")
    file(GLOB runtime CONFIGURE_DEPENDS ${folder}/runtime*.cpp)
    add_library(model_runtime SHARED ${runtime})
    set_target_properties(
      model_runtime
      PROPERTIES OUTPUT_NAME cudart SOVERSION ${major} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/machine UNITY_BUILD ON
                 UNITY_BUILD_BATCH_SIZE 0
    )
    foreach(source IN LISTS runtime)
      file(STRINGS ${source} with_header REGEX "#include \"runtime(_graph|_memory|_order|_versions|_work)?\.h\"")
      if(NOT with_header)
        set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      endif()
    endforeach()
    target_link_options(model_runtime PRIVATE -Wl,--version-script=${exports})
    target_include_directories(model_runtime SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
    target_link_libraries(model_runtime PUBLIC model_machine Threads::Threads ${CMAKE_DL_LIBS})
    target_compile_options(model_runtime PRIVATE ${cudasync_warnings})
  endif()
endfunction()

# cudasync_add_machine_test(NAME SOURCE [ARCHITECTURE...]): the program, with the machine in place of a GPU; once for each
# architecture, sm_90 say, or for sm_90.
function(cudasync_add_machine_test name source)
  set(architectures ${ARGN})
  if(NOT architectures)
    set(architectures sm_90)
  endif()
  _cudasync_add_machine_program(${name} ${source} ${architectures})
  target_compile_options(${name} PRIVATE -lineinfo) # a race is said to be there
  foreach(architecture IN LISTS architectures)
    set(test ${name})
    if(ARGN)
      set(test ${name}.${architecture})
    endif()
    _cudasync_add_machine_run(${test} ${name} ${architecture})
  endforeach()
endfunction()

# cudasync_add_machine_tests_together(UNIT ARCHITECTURE SOURCE...): x.cu becomes model.x. All are links to one program, which
# calls the main of the file that its own name ends with: most of the time to compile is that of the headers. No macro of a file
# may change the headers. They have no lines of PTX, which would be half of it, unless asked for, and 32 multiprocessors.
function(cudasync_add_machine_tests_together name architecture)
  set(includes)
  set(text)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM stem)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    _cudasync_append_file(includes text ${source})
    file(STRINGS ${source} macros REGEX "^#define ")
    foreach(macro IN LISTS macros)
      string(REGEX REPLACE "^#define ([A-Za-z0-9_]+).*" "#undef \\1\n" undefined "${macro}")
      string(APPEND text "${undefined}")
    endforeach()
    string(APPEND calls "  if (strcmp(name, \".${stem}\") == 0) return test_${stem}::main(argc, argv);\n")
  endforeach()
  list(REMOVE_DUPLICATES includes)
  list(JOIN includes "\n" includes)
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/${name}.cu)
  set(main "int main(int argc, char** argv) {\n  setenv(\"CUDASYNC_MACHINE_NSMID\", \"32\", 1);\n  const char* const name = strrchr(argv[0], '.');\n${calls}  return 2;\n}\n")
  file(CONFIGURE OUTPUT ${unit} CONTENT "#include <stdlib.h>\n#include <string.h>\n@includes@\n@text@@main@" @ONLY)
  _cudasync_add_machine_program(${name} ${unit} ${architecture})
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM stem)
    set(link ${CMAKE_CURRENT_BINARY_DIR}/model.${stem})
    add_custom_command(TARGET ${name} POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink ${name} ${link})
    add_custom_target(model.${stem} DEPENDS ${name})
    _cudasync_add_machine_run(model.${stem} ${link} ${architecture})
  endforeach()
endfunction()

function(_cudasync_add_machine_program name source)
  cudasync_add_machine()
  list(TRANSFORM ARGN REPLACE "sm_(.*)" "\\1-virtual" OUTPUT_VARIABLE virtual)
  add_executable(${name} ${source})
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${virtual}" CUDA_RUNTIME_LIBRARY None)
  target_link_libraries(${name} PRIVATE cudasync::cudasync model_runtime)
  target_compile_features(${name} PRIVATE cuda_std_17)
  target_compile_options(${name} PRIVATE ${cudasync_cuda_warnings} -no-compress -Xptxas=-w)
endfunction()

function(_cudasync_add_machine_run test program architecture)
  add_test(NAME ${test} COMMAND ${program})
  set_tests_properties(
    ${test} PROPERTIES LABELS model TIMEOUT 300 ENVIRONMENT
    "CUDASYNC_MACHINE_ARCHITECTURE=${architecture};CUDASYNC_MACHINE_STRICT=1"
  )
endfunction()
