# CTest entries that run lit or pytest with the private Python and tell tools/cudasync_tools/toolchain.py where the compilers are.
# What they write goes to the folder tmp of the build.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

function(_cudasync_python_test name)
  set(root ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${ARGN} WORKING_DIRECTORY ${root})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tmp)
  set(environment PYTHONDONTWRITEBYTECODE=1 TMPDIR=${CMAKE_BINARY_DIR}/tmp)
  foreach(pair IN ITEMS CUDASYNC_NVCC=CMAKE_CUDA_COMPILER CUDASYNC_CXX=CMAKE_CXX_COMPILER CUDASYNC_NVRTC=CUDASYNC_NVRTC
                        CUDASYNC_NVRTC_12=CUDASYNC_NVRTC_12 CUDASYNC_NVDISASM=CUDASYNC_NVDISASM
                        CUDASYNC_CLANG=CUDASYNC_CLANG CUDASYNC_RELACY=CUDASYNC_RELACY CUDASYNC_TEST_CCCL=CUDASYNC_TEST_CCCL)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 variable)
    list(GET pair 1 value)
    if(${value})
      list(APPEND environment "${variable}=${${value}}")
    endif()
  endforeach()
  if(TARGET cudasync_model)
    list(APPEND environment "CUDASYNC_MODEL=$<TARGET_FILE:cudasync_model>")
  endif()
  if(TARGET model_runtime)
    list(APPEND environment "CUDASYNC_MACHINE_LIBRARY=$<TARGET_FILE:model_runtime>")
  endif()
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
  # Those that take longest begin first: at the end a processor would have nothing to do beside them.
  if(name STREQUAL "model")
    set_tests_properties(${name} PROPERTIES COST 1000)
  elseif(name MATCHES "mutants|nvrtc|relacy|headers|codegen|axioms|lint|python|docs|builds")
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
endfunction()

# Runs the lit tests under the paths in one process.
function(cudasync_add_lit_test name)
  _cudasync_python_test(${name} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../tools/run_lit.py -v ${ARGN})
endfunction()

# Runs the pytest tests in `path`; `ARGN` are further arguments of pytest.
function(cudasync_add_pytest name path)
  _cudasync_python_test(${name} -m pytest -q -p no:cacheprovider --basetemp ${CMAKE_BINARY_DIR}/tmp/${name} ${path} ${ARGN})
endfunction()
