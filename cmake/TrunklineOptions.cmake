# SPDX-License-Identifier: MIT
# The switches of the build; those of optional features (TRUNKLINE_WITH_*) follow from TrunklineFeatures.cmake.
option(BUILD_SHARED_LIBS "Build trunkline as a shared library" OFF)
option(TRUNKLINE_BUILD_TESTS "Build the test suite" ${PROJECT_IS_TOP_LEVEL})
option(TRUNKLINE_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(TRUNKLINE_BUILD_BENCHMARKS "Build the benchmarks" OFF)
option(TRUNKLINE_BUILD_PYTHON "Build the Python extension" OFF)
option(TRUNKLINE_BUILD_FUZZERS "Build the libFuzzer targets (clang only)" OFF)
option(TRUNKLINE_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" ${PROJECT_IS_TOP_LEVEL})
option(TRUNKLINE_PRECOMPILE "Precompile the headers of other projects" ${PROJECT_IS_TOP_LEVEL})
option(TRUNKLINE_UNITY "Compile the sources of each target in batches" OFF)
option(TRUNKLINE_UNITY_TESTS "Compile the sources of each test in batches too, as a first build wants it" OFF)
set(TRUNKLINE_UNITY_BATCH 8 CACHE STRING "How many sources a batch holds")
option(TRUNKLINE_FAST_LINKER "Link with mold or lld where one of them is installed" OFF)
option(TRUNKLINE_STATIC_TOOLS "Link protobuf statically into the programs" OFF)
set(TRUNKLINE_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined or thread")
option(TRUNKLINE_SANITIZE_LIBRARY_ONLY
       "Compile only the library for TRUNKLINE_SANITIZE, and what uses it as without (not for thread)" OFF)

# AUTO: built together with the protobuf codec if protoc's library (libprotoc-dev) is found. ON requires the library, but not
# the codec.
set(TRUNKLINE_BUILD_CODEGEN AUTO CACHE STRING "Build protoc-gen-trunkline: AUTO, ON or OFF")
set_property(CACHE TRUNKLINE_BUILD_CODEGEN PROPERTY STRINGS AUTO ON OFF)

# The command `trunkline`. AUTO: built together with the protobuf codec if CLI11 is found and the project is the top-level one.
# ON requires protobuf and CLI11, but not the codec.
set(TRUNKLINE_BUILD_CLI AUTO CACHE STRING "Build the command: AUTO, ON or OFF")
set_property(CACHE TRUNKLINE_BUILD_CLI PROPERTY STRINGS AUTO ON OFF)
