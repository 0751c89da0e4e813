# SPDX-License-Identifier: MIT
# hostile_server and hostile_client, which are attacked.
find_package(OpenSSL 3.0 QUIET)
find_package(Threads REQUIRED)
foreach(program server client)
  add_executable(hostile_${program} "${CMAKE_CURRENT_LIST_DIR}/${program}.cpp")
  set_target_properties(hostile_${program} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
  target_link_libraries(hostile_${program} PRIVATE trunkline::trunkline Threads::Threads)
  if(OpenSSL_FOUND AND NOT TRUNKLINE_WITH_TLS STREQUAL "OFF")
    target_compile_definitions(hostile_${program} PRIVATE TRUNKLINE_HAS_TLS)
    target_link_libraries(hostile_${program} PRIVATE OpenSSL::Crypto)
  endif()
endforeach()
