# SPDX-License-Identifier: MIT
# Finds the dependencies of the build. Asio, snappy and nlohmann_json are required; TrunklineFeatures.cmake lists the others.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

find_path(ASIO_INCLUDE_DIR asio.hpp REQUIRED)
add_library(trunkline_asio INTERFACE)
target_include_directories(trunkline_asio SYSTEM INTERFACE "${ASIO_INCLUDE_DIR}")
# Asio 1.22 decides by what was included before it whether memory is aligned_alloc's; files must not differ in that.
# And it looks for clang's coroutines in <experimental/coroutine> alone; C++20 has them in <coroutine> for every compiler.
target_compile_definitions(trunkline_asio INTERFACE ASIO_DISABLE_STD_ALIGNED_ALLOC ASIO_HAS_CO_AWAIT=1 ASIO_NO_DEPRECATED
                                                    ASIO_SEPARATE_COMPILATION)
target_link_libraries(trunkline_asio INTERFACE Threads::Threads)

pkg_check_modules(snappy IMPORTED_TARGET snappy)
if(NOT snappy_FOUND)
  find_package(Snappy REQUIRED)
  add_library(PkgConfig::snappy ALIAS Snappy::snappy)
endif()
find_package(nlohmann_json 3.10 REQUIRED)

# The oracle that tests, fuzzers and benchmarks of HTTP/2 compare with; the library does not use it.
if(TRUNKLINE_BUILD_TESTS OR TRUNKLINE_BUILD_FUZZERS OR TRUNKLINE_BUILD_BENCHMARKS)
  pkg_check_modules(nghttp2 IMPORTED_TARGET libnghttp2)
endif()

if(TRUNKLINE_STATIC_TOOLS)
  set(Protobuf_USE_STATIC_LIBS ON)
endif()
trunkline_find_features()

# The plugin of protoc: TRUNKLINE_HAS_CODEGEN.
set(TRUNKLINE_HAS_CODEGEN FALSE)
if(TRUNKLINE_BUILD_CODEGEN STREQUAL "ON" OR (TRUNKLINE_BUILD_CODEGEN STREQUAL "AUTO" AND TRUNKLINE_HAS_PROTOBUF))
  if(NOT Protobuf_FOUND)
    find_package(Protobuf)
  endif()
  find_path(TRUNKLINE_PLUGIN_INCLUDE_DIR google/protobuf/compiler/plugin.pb.h HINTS ${Protobuf_INCLUDE_DIRS})
  mark_as_advanced(TRUNKLINE_PLUGIN_INCLUDE_DIR)
  if(TARGET protobuf::libprotoc AND TRUNKLINE_PLUGIN_INCLUDE_DIR)
    set(TRUNKLINE_HAS_CODEGEN TRUE)
  elseif(TRUNKLINE_BUILD_CODEGEN STREQUAL "ON")
    message(FATAL_ERROR "TRUNKLINE_BUILD_CODEGEN=ON, but protoc's library (libprotoc-dev) was not found")
  endif()
endif()
# The command: TRUNKLINE_HAS_CLI.
set(TRUNKLINE_HAS_CLI FALSE)
set(wants_cli "${PROJECT_IS_TOP_LEVEL}")
if(TRUNKLINE_BUILD_CLI STREQUAL "ON" OR (TRUNKLINE_BUILD_CLI STREQUAL "AUTO" AND TRUNKLINE_HAS_PROTOBUF AND wants_cli))
  if(NOT Protobuf_FOUND)
    find_package(Protobuf)
  endif()
  find_package(CLI11 QUIET)
  if(CLI11_FOUND AND Protobuf_FOUND)
    set(TRUNKLINE_HAS_CLI TRUE)
  elseif(TRUNKLINE_BUILD_CLI STREQUAL "ON")
    message(FATAL_ERROR "TRUNKLINE_BUILD_CLI=ON, but protobuf (libprotobuf-dev) or CLI11 (libcli11-dev) was not found")
  endif()
endif()
set(trunkline_summary "")
foreach(feature ${TRUNKLINE_FEATURES} CODEGEN CLI)
  string(TOLOWER "${feature}" name)
  string(APPEND trunkline_summary " ${name}=${TRUNKLINE_HAS_${feature}}")
endforeach()
message(STATUS "trunkline:${trunkline_summary}")
