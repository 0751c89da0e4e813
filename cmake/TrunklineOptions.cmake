# SPDX-License-Identifier: MIT
# Every switch of the build, in one place.
option(BUILD_SHARED_LIBS "Build trunkline as a shared library" OFF)
option(TRUNKLINE_BUILD_TESTS "Build the test suite" ${PROJECT_IS_TOP_LEVEL})
option(TRUNKLINE_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(TRUNKLINE_BUILD_BENCHMARKS "Build the benchmarks" OFF)
option(TRUNKLINE_BUILD_PYTHON "Build the Python extension" OFF)
option(TRUNKLINE_BUILD_FUZZERS "Build the libFuzzer targets (clang only)" OFF)
option(TRUNKLINE_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" ${PROJECT_IS_TOP_LEVEL})
option(TRUNKLINE_STATIC_TOOLS "Link protobuf statically into the programs" OFF)
set(TRUNKLINE_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined or thread")

# Optional dependencies: AUTO uses what is found, ON requires it, OFF leaves it out.
foreach(feature PROTOBUF TLS ZSTD LZ4 GZIP)
  set(TRUNKLINE_WITH_${feature} AUTO CACHE STRING "AUTO, ON or OFF")
  set_property(CACHE TRUNKLINE_WITH_${feature} PROPERTY STRINGS AUTO ON OFF)
endforeach()

# AUTO: with the protobuf codec, where protoc's library (libprotoc-dev) is there. ON needs it, but not the codec.
set(TRUNKLINE_BUILD_CODEGEN AUTO CACHE STRING "Build protoc-gen-trunkline: AUTO, ON or OFF")
set_property(CACHE TRUNKLINE_BUILD_CODEGEN PROPERTY STRINGS AUTO ON OFF)

# The command `trunkline`; AUTO: with the protobuf codec, where CLI11 is there and the project is built for itself. ON needs
# protobuf, but not the codec.
set(TRUNKLINE_BUILD_CLI AUTO CACHE STRING "Build the command: AUTO, ON or OFF")
set_property(CACHE TRUNKLINE_BUILD_CLI PROPERTY STRINGS AUTO ON OFF)
