# What find_package(cudasync) and pkg-config read; the install tree can be moved.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(CMakePackageConfigHelpers)

install(TARGETS cudasync EXPORT cudasync-targets)
export(EXPORT cudasync-targets NAMESPACE cudasync:: FILE ${PROJECT_BINARY_DIR}/cudasync-targets.cmake)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cudasync-config-version.cmake
  COMPATIBILITY SameMinorVersion
  ARCH_INDEPENDENT
)
configure_package_config_file(
  cmake/cudasync-config.cmake.in
  ${PROJECT_BINARY_DIR}/cudasync-config.cmake
  INSTALL_DESTINATION share/cmake/cudasync
)
configure_file(cmake/cudasync_enable.cmake ${PROJECT_BINARY_DIR}/cudasync_enable.cmake COPYONLY)
configure_file(cmake/cudasync_header_map.cmake ${PROJECT_BINARY_DIR}/cudasync_header_map.cmake COPYONLY)
file(
  CONFIGURE
  OUTPUT ${PROJECT_BINARY_DIR}/cudasync_explore.cmake
  CONTENT "include(${PROJECT_SOURCE_DIR}/cmake/cudasync_explore.cmake)\n"
)
configure_file(cmake/cudasync.pc.in ${PROJECT_BINARY_DIR}/cudasync.pc @ONLY)

if(CUDASYNC_INSTALL)
  install(DIRECTORY include/ DESTINATION include/cudasync)
  install(EXPORT cudasync-targets NAMESPACE cudasync:: DESTINATION share/cmake/cudasync)
  install(
    FILES
      cmake/cudasync_enable.cmake
      cmake/cudasync_explore.cmake
      cmake/cudasync_header_map.cmake
      ${PROJECT_BINARY_DIR}/cudasync-config.cmake
      ${PROJECT_BINARY_DIR}/cudasync-config-version.cmake
    DESTINATION share/cmake/cudasync
  )
  install(FILES ${PROJECT_BINARY_DIR}/cudasync.pc DESTINATION share/pkgconfig)
  # What `python -m cudasync explore` compiles; the wheel has the package.
  install(DIRECTORY machine DESTINATION share/cudasync PATTERN library.cpp EXCLUDE)
  if(NOT SKBUILD)
    install(DIRECTORY python/cudasync DESTINATION share/cudasync/python PATTERN __pycache__ EXCLUDE)
  endif()
  install(FILES LICENSE DESTINATION share/doc/cudasync)
endif()
