# cudasync_enable(target [DROP_IN]): puts cudasync before every other include folder of the target, whatever else it links.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# For targets whose other libraries may bring a CCCL of their own. Instead of linking cudasync::cudasync, or beside it.
# DROP_IN: cudasync's headers include all that libcu++'s headers of the same names include, at the price of compile time.
function(cudasync_enable target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "DROP_IN" "" "")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cudasync_enable(${target} ${ARGN}): the only option is DROP_IN")
  endif()
  if(arg_DROP_IN)
    target_compile_definitions(${target} PRIVATE CUDASYNC_DROP_IN=1)
  endif()
  target_include_directories(
    ${target}
    BEFORE
    PRIVATE $<TARGET_PROPERTY:cudasync::cudasync,INTERFACE_INCLUDE_DIRECTORIES>
  )
  target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:cudasync::cudasync,INTERFACE_COMPILE_OPTIONS>)
endfunction()
