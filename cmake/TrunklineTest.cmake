# SPDX-License-Identifier: MIT
# trunkline_test(NAME SOURCES ... LIBS ... [TIMEOUT seconds]): one test binary and its one ctest entry.
# Includes are relative to tests/ and to what LIBS bring. GoogleTest's headers are precompiled once for all binaries.
find_package(GTest REQUIRED)

function(trunkline_test name)
  cmake_parse_arguments(TEST "" "TIMEOUT" "SOURCES;LIBS" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 600)
  endif()
  if(NOT TARGET trunkline_test_precompiled)
    # An executable, because a precompiled header serves only code compiled with the same position-independence flags.
    set(main "${PROJECT_BINARY_DIR}/tests/precompiled.cpp")
    file(CONFIGURE OUTPUT "${main}" CONTENT "int main() { return 0; }\n")
    add_executable(trunkline_test_precompiled "${main}")
    target_link_libraries(trunkline_test_precompiled PRIVATE GTest::gmock trunkline_flags Threads::Threads)
    target_precompile_headers(trunkline_test_precompiled PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  add_executable(${name} ${TEST_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${name} PRIVATE ${TEST_LIBS} GTest::gmock_main trunkline_flags Threads::Threads)
  target_precompile_headers(${name} REUSE_FROM trunkline_test_precompiled)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${TEST_TIMEOUT})
endfunction()
