# SPDX-License-Identifier: MIT
# What `cmake --install` leaves: headers, the library, a CMake package and a pkg-config file.
include(CMakePackageConfigHelpers)

set(trunkline_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/trunkline")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/trunkline" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
set(trunkline_installed trunkline)
if(TRUNKLINE_HAS_CODEGEN)
  list(APPEND trunkline_installed protoc-gen-trunkline)
endif()
install(TARGETS ${trunkline_installed} EXPORT trunkline
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(EXPORT trunkline NAMESPACE trunkline:: FILE trunklineTargets.cmake DESTINATION "${trunkline_package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/trunkline")

trunkline_feature_requirements(TRUNKLINE_FIND_FEATURES feature_requires feature_requires_private feature_cflags)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/trunklineConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/trunklineConfig.cmake" INSTALL_DESTINATION "${trunkline_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/trunklineConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/trunklineConfig.cmake" "${PROJECT_BINARY_DIR}/trunklineConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/TrunklineEscapeDepfile.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/TrunklineGenerate.cmake"
        DESTINATION "${trunkline_package_dir}")

# pkg-config: what users compile against is required in public, the rest in private where the archive needs it.
list(JOIN feature_requires ", " TRUNKLINE_PC_REQUIRES)
set(TRUNKLINE_PC_REQUIRES_PRIVATE "")
set(TRUNKLINE_PC_CFLAGS "-DASIO_HAS_CO_AWAIT=1${feature_cflags}")
if(NOT BUILD_SHARED_LIBS)
  list(PREPEND feature_requires_private snappy)
  list(JOIN feature_requires_private ", " TRUNKLINE_PC_REQUIRES_PRIVATE)
  string(APPEND TRUNKLINE_PC_CFLAGS " -DASIO_SEPARATE_COMPILATION -DASIO_DISABLE_STD_ALIGNED_ALLOC -DASIO_NO_DEPRECATED")
endif()
# The file finds its prefix from where it lies, so that an installed tree may be moved.
file(RELATIVE_PATH TRUNKLINE_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" TRUNKLINE_PC_PREFIX "${TRUNKLINE_PC_PREFIX}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/trunkline.pc.in" "${PROJECT_BINARY_DIR}/trunkline.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/trunkline.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
