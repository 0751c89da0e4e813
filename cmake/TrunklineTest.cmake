# SPDX-License-Identifier: MIT
# trunkline_test(NAME SOURCES ... LIBS ... [PRECOMPILE standard|asio] [TIMEOUT seconds]): one test binary and its one
# ctest entry. Includes are relative to tests/ and to what LIBS bring. PRECOMPILE: whether Asio's headers are precompiled with
# GoogleTest's and the standard library's; the default is standard.
find_package(GTest REQUIRED)

# Seconds after which a test counts as hanging. With sanitizers and on a busy machine tests take many times as long.
if(TRUNKLINE_SANITIZE)
  set(TRUNKLINE_TEST_TIMEOUT 3000)
else()
  set(TRUNKLINE_TEST_TIMEOUT 600)
endif()

function(trunkline_test name)
  cmake_parse_arguments(TEST "" "PRECOMPILE;TIMEOUT" "SOURCES;LIBS" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT ${TRUNKLINE_TEST_TIMEOUT})
  endif()
  if(NOT TEST_PRECOMPILE)
    set(TEST_PRECOMPILE standard)
  endif()
  add_executable(${name} ${TEST_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${name} PRIVATE ${TEST_LIBS} GTest::gmock_main trunkline_flags Threads::Threads)
  trunkline_precompile(${name} test_${TEST_PRECOMPILE})
  trunkline_sanitize_sources(${TEST_SOURCES})
  if(TRUNKLINE_UNITY_TESTS)
    trunkline_unity(${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${TEST_TIMEOUT})
endfunction()

# trunkline_sanitize_sources(SOURCES...): where only the library is compiled for the sanitizers, so is a source that asks
# whether it is. Such a source is compiled alone in every build: the batches of the others are then the same in all of them,
# and ccache finds in one what another has compiled.
function(trunkline_sanitize_sources)
  foreach(source ${ARGN})
    get_filename_component(path "${source}" ABSOLUTE)
    if(NOT EXISTS "${path}")
      continue()  # it is generated
    endif()
    file(STRINGS "${path}" asks REGEX "__SANITIZE_|address_sanitizer|TRUNKLINE_NO_POOLING")
    if(NOT asks)
      continue()
    endif()
    set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    if(TRUNKLINE_SANITIZE_LIBRARY_ONLY)
      set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS "-fsanitize=${TRUNKLINE_SANITIZE}"
                                                         SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()
