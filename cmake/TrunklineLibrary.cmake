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

# What a user's own code is compiled against, so it is part of the interface.
target_link_libraries(trunkline PUBLIC Threads::Threads)
if(TRUNKLINE_HAS_PROTOBUF)
  target_link_libraries(trunkline PUBLIC protobuf::libprotobuf)
endif()

# What only the inside needs: a static library hands these on for the final link alone.
target_link_libraries(trunkline PRIVATE PkgConfig::snappy)
if(TRUNKLINE_HAS_ZSTD)
  target_link_libraries(trunkline PRIVATE PkgConfig::zstd)
endif()
if(TRUNKLINE_HAS_LZ4)
  target_link_libraries(trunkline PRIVATE PkgConfig::lz4)
endif()
if(TRUNKLINE_HAS_GZIP)
  target_link_libraries(trunkline PRIVATE ZLIB::ZLIB)
endif()
if(TRUNKLINE_HAS_TLS)
  target_link_libraries(trunkline PRIVATE OpenSSL::SSL OpenSSL::Crypto)
endif()

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
