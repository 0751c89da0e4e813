# SPDX-License-Identifier: MIT
# The target trunkline_protocols: the messages of proto/trunkline/v1/ as protoc makes them, <trunkline/v1/health.pb.h>.
include_guard(GLOBAL)
if(TARGET trunkline_protocols)
  return()
endif()

find_package(Protobuf REQUIRED)
set(protocol_sources "")
set(protocol_folder "${PROJECT_BINARY_DIR}/protocols")
foreach(name console health options reflection statistics)
  set(base "${protocol_folder}/trunkline/v1/${name}.pb")
  add_custom_command(
    OUTPUT "${base}.cc" "${base}.h"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${protocol_folder}"
    COMMAND protobuf::protoc "--proto_path=${PROJECT_SOURCE_DIR}/proto" "--cpp_out=${protocol_folder}"
            "trunkline/v1/${name}.proto"
    DEPENDS "${PROJECT_SOURCE_DIR}/proto/trunkline/v1/${name}.proto" protobuf::protoc
    COMMENT "Making trunkline/v1/${name}.pb.h" VERBATIM)
  list(APPEND protocol_sources "${base}.cc" "${base}.h")
endforeach()
add_library(trunkline_protocols STATIC ${protocol_sources})
target_include_directories(trunkline_protocols SYSTEM PUBLIC "${protocol_folder}")
target_link_libraries(trunkline_protocols PUBLIC protobuf::libprotobuf)
