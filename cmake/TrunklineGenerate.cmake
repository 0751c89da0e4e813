# SPDX-License-Identifier: MIT
# trunkline_generate(TARGET target PROTOS file... [IMPORT_DIRS folder...] [OUTPUT_DIR folder])
#
# Generates the messages (.pb.h, .pb.cc) and the services (.trunkline.h) of definitions, compiles the messages as part of
# `target`, and gives it and those that link it the folder of the headers as a system one. The target is to link
# trunkline::trunkline; its language is C++. Runs again when a definition changes, or one that it imports.
#
# PROTOS: relative to the current source folder, or absolute. IMPORT_DIRS: where protoc looks for imports, and what the names
# of generated files are relative to: a/b.proto below one of them becomes a/b.pb.h; default: the current source folder.
# OUTPUT_DIR: default: the current binary folder. Targets may share it, and definitions in it.
# The functions keep these policies wherever they are called: depfiles are understood by every generator.
cmake_policy(PUSH)
cmake_policy(VERSION 3.22)

# For callers in other folders, such as the project that has added this one by add_subdirectory() or FetchContent: imported
# targets and variables are known only in the folder that has found them, and below it.
function(trunkline_remember_protoc)
  if(NOT TARGET protobuf::protoc)
    return()
  endif()
  get_target_property(is_imported protobuf::protoc IMPORTED)
  set(protoc protobuf::protoc)
  if(is_imported)
    get_target_property(protoc protobuf::protoc LOCATION)
  endif()
  set_property(GLOBAL PROPERTY trunkline_protoc "${protoc}")
  set_property(GLOBAL PROPERTY trunkline_protoc_import_dirs "${Protobuf_INCLUDE_DIRS}")
endfunction()
trunkline_remember_protoc()

# Sets `protoc` and `protoc_import_dirs` (where its own definitions are): those of the caller's folder, or else those above.
macro(trunkline_find_protoc)
  if(TARGET protobuf::protoc)
    set(protoc protobuf::protoc)
    set(protoc_import_dirs "${Protobuf_INCLUDE_DIRS}")
  else()
    get_property(protoc GLOBAL PROPERTY trunkline_protoc)
    get_property(protoc_import_dirs GLOBAL PROPERTY trunkline_protoc_import_dirs)
  endif()
endmacro()

function(trunkline_generate)
  cmake_parse_arguments(PARSE_ARGV 0 GENERATE "" "TARGET;OUTPUT_DIR" "PROTOS;IMPORT_DIRS")
  trunkline_check_generate("${GENERATE_TARGET}" "${GENERATE_PROTOS}" "${GENERATE_UNPARSED_ARGUMENTS}"
                           "${GENERATE_KEYWORDS_MISSING_VALUES}")
  if(NOT GENERATE_OUTPUT_DIR)
    set(GENERATE_OUTPUT_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  get_filename_component(output "${GENERATE_OUTPUT_DIR}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  if(NOT GENERATE_IMPORT_DIRS)
    set(GENERATE_IMPORT_DIRS "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  set(roots "")
  foreach(folder ${GENERATE_IMPORT_DIRS})
    get_filename_component(root "${folder}" ABSOLUTE)
    if(NOT IS_DIRECTORY "${root}")
      message(FATAL_ERROR "trunkline_generate(TARGET ${GENERATE_TARGET}): import folder ${root} does not exist")
    endif()
    list(APPEND roots "${root}")
  endforeach()
  foreach(proto ${GENERATE_PROTOS})
    trunkline_generate_file("${GENERATE_TARGET}" "${proto}" "${output}" "${roots}")
  endforeach()
  target_include_directories(${GENERATE_TARGET} SYSTEM PUBLIC "$<BUILD_INTERFACE:${output}>")
endfunction()

# What is wrong with a call, before anything is made.
function(trunkline_check_generate target protos unknown missing)
  if(unknown)
    message(FATAL_ERROR "trunkline_generate: unknown argument '${unknown}'; TARGET, PROTOS, IMPORT_DIRS, OUTPUT_DIR are known")
  endif()
  if(missing)
    message(FATAL_ERROR "trunkline_generate: ${missing} has no value")
  endif()
  if(NOT target OR NOT TARGET "${target}")
    message(FATAL_ERROR "trunkline_generate: TARGET '${target}' is not a target; make it first, by add_library or add_executable")
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(imported ${target} IMPORTED)
  if(imported OR NOT type MATCHES "^(STATIC|SHARED|MODULE|OBJECT)_LIBRARY$|^EXECUTABLE$")
    message(FATAL_ERROR "trunkline_generate: TARGET ${target} compiles nothing; it is to be a library or an executable of this project")
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "trunkline_generate: TARGET ${target} is made in ${folder}; it is to be called there")
  endif()
  if(NOT protos)
    message(FATAL_ERROR "trunkline_generate(TARGET ${target}): no PROTOS")
  endif()
  trunkline_find_protoc()
  if(NOT protoc)
    message(FATAL_ERROR "trunkline_generate(TARGET ${target}): protoc was not found; install protobuf-compiler, or set Protobuf_PROTOC_EXECUTABLE")
  endif()
  if(NOT TARGET trunkline::protoc-gen-trunkline)
    message(FATAL_ERROR "trunkline_generate(TARGET ${target}): this trunkline was built without protoc-gen-trunkline; it needs libprotoc-dev and TRUNKLINE_BUILD_CODEGEN")
  endif()
endfunction()

# One definition: its rule, and its messages among the sources.
function(trunkline_generate_file target proto output roots)
  get_filename_component(source "${proto}" ABSOLUTE)
  if(NOT EXISTS "${source}")
    message(FATAL_ERROR "trunkline_generate(TARGET ${target}): ${source} does not exist")
  endif()
  set(name "")
  set(imports "")
  foreach(root ${roots})
    list(APPEND imports "-I${root}")
    file(RELATIVE_PATH relative "${root}" "${source}")
    if(NOT name AND NOT relative MATCHES "^\\.\\./")
      set(name "${relative}")
    endif()
  endforeach()
  if(NOT name)
    message(FATAL_ERROR "trunkline_generate(TARGET ${target}): ${source} is in none of the IMPORT_DIRS ${roots}")
  endif()
  trunkline_check_hidden("${target}" "${source}" "${name}" "${roots}")
  trunkline_find_protoc()
  foreach(folder ${protoc_import_dirs})
    list(APPEND imports "-I${folder}")
  endforeach()
  string(REGEX REPLACE "\\.proto(devel)?$" "" stem "${name}")
  trunkline_generate_rule("${target}" "${source}" "${name}" "${output}/${stem}" "${output}" "${imports}")
  set(messages "${output}/${stem}.pb.cc" "${output}/${stem}.pb.h")
  target_sources(${target} PRIVATE ${messages})
  # Made by the rule, which may be of another folder. Its warnings are protoc's.
  set_source_files_properties(${messages} TARGET_DIRECTORY ${target} PROPERTIES GENERATED TRUE)
  set_source_files_properties("${output}/${stem}.pb.cc" TARGET_DIRECTORY ${target}
                              PROPERTIES COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-w>")
  set_property(TARGET ${target} APPEND PROPERTY ADDITIONAL_CLEAN_FILES "${output}/${stem}.trunkline.h")
endfunction()

# protoc takes the first folder that holds a file of the name, whichever was meant.
function(trunkline_check_hidden target source name roots)
  foreach(root ${roots})
    if(EXISTS "${root}/${name}")
      get_filename_component(found "${root}/${name}" REALPATH)
      get_filename_component(meant "${source}" REALPATH)
      if(NOT found STREQUAL meant)
        message(FATAL_ERROR "trunkline_generate(TARGET ${target}): ${source} is hidden by ${root}/${name}, which is in an earlier one of the IMPORT_DIRS")
      endif()
      return()
    endif()
  endforeach()
endfunction()

# The rule of `stem`.pb.h and its kin. There is one, however many targets compile what it makes: they depend on a target
# that runs it, so that no two do so at once.
function(trunkline_generate_rule target source name stem output imports)
  string(SHA1 key "${stem}")
  string(SUBSTRING "${key}" 0 12 key)
  get_filename_component(short "${stem}" NAME)
  string(MAKE_C_IDENTIFIER "${short}" short)
  set(rule "trunkline_generate_${short}_${key}")
  add_dependencies(${target} ${rule})
  set(meaning "${source}" ${imports})
  get_property(known GLOBAL PROPERTY ${rule})
  if(known)
    if(NOT known STREQUAL "${meaning}")
      message(FATAL_ERROR "trunkline_generate(TARGET ${target}): ${stem}.pb.h is generated for another target from another definition, or with other IMPORT_DIRS; give one of them an OUTPUT_DIR of its own")
    endif()
    return()
  endif()
  set_property(GLOBAL PROPERTY ${rule} "${meaning}")

  # The header of services is no OUTPUT, since a definition may have none, and then what it had before must not stay; it
  # includes the .pb.h, which is. What the definition imports is told by a run for its descriptor alone: Ninja wants all
  # that a depfile names to be declared.
  trunkline_find_protoc()
  set(descriptor "${stem}.binpb")
  get_filename_component(folder "${descriptor}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT "${descriptor}" "${stem}.pb.cc" "${stem}.pb.h"
    COMMAND "${CMAKE_COMMAND}" -E rm -f "${stem}.trunkline.h"
    COMMAND "${protoc}" ${imports} "--descriptor_set_out=${descriptor}" "--dependency_out=${descriptor}.d" "${name}"
    COMMAND "${CMAKE_COMMAND}" "-DDEPFILE=${descriptor}.d" "-DTARGET=${descriptor}" -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/TrunklineEscapeDepfile.cmake"
    COMMAND "${protoc}" "--plugin=protoc-gen-trunkline=$<TARGET_FILE:trunkline::protoc-gen-trunkline>" ${imports}
            "--cpp_out=${output}" "--trunkline_out=${output}" "${name}"
    DEPENDS "${source}" trunkline::protoc-gen-trunkline "${protoc}"
    DEPFILE "${descriptor}.d"
    COMMENT "Generating messages and services of ${name}"
    VERBATIM)
  add_custom_target(${rule} DEPENDS "${descriptor}" "${stem}.pb.cc" "${stem}.pb.h")
endfunction()

cmake_policy(POP)
