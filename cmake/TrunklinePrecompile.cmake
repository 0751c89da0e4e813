# SPDX-License-Identifier: MIT
# trunkline_precompile(TARGET SET [FLAGS]): gives a target precompiled headers of other projects, compiled once for all targets
# that use the same set. No set holds a header of this project: editing one must not compile everything again.
# FLAGS is a target with compile options beyond trunkline_flags that TARGET has.
#
#   standard       the standard library
#   asio           standard, and what the layers from net upwards and the public headers use of Asio
#   test_standard  standard, and GoogleTest
#   test_asio      asio, and GoogleTest
#
# A layer below net gets `standard`, so that it cannot use Asio without including it.
set(trunkline_headers_standard
    <algorithm> <array> <atomic> <bit> <cerrno> <charconv> <chrono> <cmath> <condition_variable> <cstddef> <cstdint> <cstdio>
    <cstdlib> <cstring> <deque> <exception> <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <stdexcept>
    <string> <string_view> <system_error> <thread> <tuple> <type_traits> <unordered_map> <utility> <variant> <vector>)
set(trunkline_headers_asio
    ${trunkline_headers_standard} <asio/any_io_executor.hpp> <asio/associated_allocator.hpp>
    <asio/associated_cancellation_slot.hpp> <asio/associated_executor.hpp> <asio/async_result.hpp> <asio/awaitable.hpp>
    <asio/bind_allocator.hpp> <asio/bind_cancellation_slot.hpp> <asio/cancellation_signal.hpp> <asio/co_spawn.hpp>
    <asio/dispatch.hpp> <asio/executor_work_guard.hpp> <asio/io_context.hpp> <asio/ip/tcp.hpp> <asio/post.hpp>
    <asio/steady_timer.hpp> <asio/use_awaitable.hpp> <asio/use_future.hpp>)
set(trunkline_headers_test_standard <gmock/gmock.h> <gtest/gtest.h> ${trunkline_headers_standard})
set(trunkline_headers_test_asio <gmock/gmock.h> <gtest/gtest.h> ${trunkline_headers_asio})

function(trunkline_precompile target set)
  if(NOT TRUNKLINE_PRECOMPILE)
    return()
  endif()
  # The folder of a precompiled header is that of its first user. It is the same in builds with and without sanitizers, so
  # that ccache finds in one what the other has compiled.
  set(precompiled trunkline_precompiled_${set})
  trunkline_precompiled_headers(${precompiled} ${set})
  if(ARGN AND TRUNKLINE_SANITIZE_LIBRARY_ONLY)
    string(APPEND precompiled _of_layers)
    trunkline_precompiled_headers(${precompiled} ${set} ${ARGN})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${precompiled})
  trunkline_precompile_options(${target})
endfunction()

# trunkline_precompiled_headers(NAME SET [FLAGS]): the target that compiles them, unless there is one.
function(trunkline_precompiled_headers name set)
  if(TARGET ${name})
    return()
  endif()
  set(source "${PROJECT_BINARY_DIR}/precompiled/${set}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "")
  add_library(${name} OBJECT "${source}")
  target_link_libraries(${name} PRIVATE trunkline_flags ${ARGN} Threads::Threads)
  # The macros that change what a header says must be those of the targets that use it.
  if(set MATCHES "asio")
    target_link_libraries(${name} PRIVATE trunkline_asio)
  endif()
  if(set MATCHES "test")
    target_link_libraries(${name} PRIVATE GTest::gmock)
  endif()
  target_precompile_headers(${name} PRIVATE ${trunkline_headers_${set}})
  trunkline_precompile_options(${name})
endfunction()

function(trunkline_precompile_options target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # -fPIC: one precompiled header serves libraries and executables. -fpch-preprocess: ccache needs it.
    target_compile_options(${target} PRIVATE -fPIC -fpch-preprocess)
  else()
    # Not the time of a header but what is in it decides whether the precompiled one is still right, so that ccache may
    # hand it from one build folder to another.
    target_compile_options(${target} PRIVATE -fPIC "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()
