# SPDX-License-Identifier: MIT
# The target `trunkline` (alias trunkline::trunkline): the objects of every layer in one library, static or shared.
get_property(trunkline_layers GLOBAL PROPERTY TRUNKLINE_LAYERS)
add_library(trunkline)
add_library(trunkline::trunkline ALIAS trunkline)
foreach(layer ${trunkline_layers})
  target_sources(trunkline PRIVATE $<TARGET_OBJECTS:${layer}>)
endforeach()
set_target_properties(trunkline PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                                           SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_compile_features(trunkline PUBLIC cxx_std_20)
target_include_directories(trunkline PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                            "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_include_directories(trunkline SYSTEM PUBLIC "$<BUILD_INTERFACE:${ASIO_INCLUDE_DIR}>")
target_compile_definitions(trunkline INTERFACE ASIO_HAS_CO_AWAIT=1)

target_link_libraries(trunkline PUBLIC Threads::Threads PRIVATE PkgConfig::snappy)
trunkline_library_features(trunkline)

if(BUILD_SHARED_LIBS)
  # Asio stays hidden inside; a user's own Asio is header-only. Visibility alone does not hide the standard library's
  # template instantiations, so the linker is told as well.
  set(exports "${PROJECT_SOURCE_DIR}/cmake/exports.map")
  target_link_options(trunkline PRIVATE "LINKER:--version-script=${exports}" "LINKER:--no-undefined")
  set_property(TARGET trunkline APPEND PROPERTY LINK_DEPENDS "${exports}")
else()
  # The archive holds Asio once (layer net); a user's code uses that copy instead of making its own.
  # It does so only if it is compiled the same way.
  target_compile_definitions(trunkline INTERFACE ASIO_SEPARATE_COMPILATION ASIO_DISABLE_STD_ALIGNED_ALLOC ASIO_NO_DEPRECATED)
endif()
