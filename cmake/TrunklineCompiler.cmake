# SPDX-License-Identifier: MIT
# Flags shared by every target of the project: language level, warnings, sanitizers, ccache.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(TRUNKLINE_CCACHE ccache)
if(TRUNKLINE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Builds of the same sources in other folders share their objects. ccache takes precompiled headers only if told that
  # their time stamps and macros may differ.
  set(CMAKE_CXX_COMPILER_LAUNCHER env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
                                  CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
                                  "${TRUNKLINE_CCACHE}")
endif()

add_library(trunkline_flags INTERFACE)
target_compile_options(trunkline_flags INTERFACE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Wold-style-cast)
# In batches of sources a local name hides one of another source.
if(NOT TRUNKLINE_UNITY)
  target_compile_options(trunkline_flags INTERFACE -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(trunkline_flags INTERFACE -Wshadow=local)
endif()
# GCC's manual advises against -Werror with sanitizers (-fsanitize), which make for more false positives. All sources are
# compiled without them too.
if(TRUNKLINE_WARNINGS_AS_ERRORS AND (NOT TRUNKLINE_SANITIZE OR TRUNKLINE_SANITIZE_LIBRARY_ONLY))
  target_compile_options(trunkline_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives for these at -O2 in inlined standard library code.
  target_compile_options(trunkline_flags INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                                                   -Wno-maybe-uninitialized -Wno-dangling-pointer
                                                   $<$<CONFIG:Release>:-Wno-stringop-overread>)
endif()
if(TRUNKLINE_FAST_LINKER)
  include(CheckLinkerFlag)
  foreach(linker mold lld)
    check_linker_flag(CXX -fuse-ld=${linker} TRUNKLINE_LINKS_WITH_${linker})
    if(TRUNKLINE_LINKS_WITH_${linker})
      add_link_options(-fuse-ld=${linker})
      break()
    endif()
  endforeach()
endif()
# The flags of the layers of the library beyond those that everything has.
add_library(trunkline_layer_flags INTERFACE)
if(TRUNKLINE_SANITIZE)
  set(trunkline_sanitize -fsanitize=${TRUNKLINE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND TRUNKLINE_SANITIZE MATCHES "undefined")
    # What this check puts before functions clang 14 cannot write for coroutines that it has split: "Cannot represent a
    # difference across sections".
    list(APPEND trunkline_sanitize -fno-sanitize=function)
  endif()
  if(TRUNKLINE_SANITIZE MATCHES "thread")
    if(TRUNKLINE_SANITIZE_LIBRARY_ONLY)
      message(FATAL_ERROR "TRUNKLINE_SANITIZE_LIBRARY_ONLY: the thread sanitizer has to know every thread's code")
    endif()
    # Asio uses atomic_thread_fence, which tsan does not model; g++ warns about it.
    list(APPEND trunkline_sanitize $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  endif()
  if(TRUNKLINE_SANITIZE_LIBRARY_ONLY)
    # A build without sanitizers compiles the rest with the same flags, so that ccache has it already. -O1: without
    # optimization the checks are several times slower.
    target_compile_options(trunkline_layer_flags INTERFACE ${trunkline_sanitize} -O1 -Wno-error)
  else()
    add_compile_options(${trunkline_sanitize})
  endif()
  add_link_options(-fsanitize=${TRUNKLINE_SANITIZE})
endif()
if(TRUNKLINE_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TRUNKLINE_BUILD_FUZZERS=ON needs clang; the compiler is ${CMAKE_CXX_COMPILER_ID}")
  endif()
  # What the fuzzer steers by; each target adds -fsanitize=fuzzer itself.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
