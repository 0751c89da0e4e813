# SPDX-License-Identifier: MIT
# The table of optional features. A row is all that the build needs to know about a feature: its option, its dependency,
# the sources that it adds to its layer, its compile definition, and what the CMake package and the pkg-config file of an
# installed library require all follow from the row. scripts/install-dependencies reads the Debian packages from here.
#
# trunkline_feature(NAME            option TRUNKLINE_WITH_<NAME>, result TRUNKLINE_HAS_<NAME>, also as compile definition
#   LAYER folder                    the folder below src/ that the sources belong to
#   SOURCES file...                 compiled if the feature is built
#   [SOURCES_WITHOUT file...]       compiled if it is not built
#   [WIRE_NAME name]                of a compressor or codec, if it is not <name> in lower case
#   [PACKAGE name [version]]        found by find_package(); without it, MODULES are found by pkg-config
#   MODULES name...                 the pkg-config modules
#   [TARGETS target...]             what is linked; default: PkgConfig::<name>, the modules found by pkg-config
#   [PUBLIC]                        users of the library compile and link against the dependency themselves
#   [VISIBLE]                       the layers above see the compile definition as well
#   DEBIAN package                  the Debian package with the headers
# )
#
# A built-in compressor or codec is one row here and one entry in compressor_registry.cpp or codec_registry.cpp.
set(TRUNKLINE_FEATURES "")
function(trunkline_feature name)
  cmake_parse_arguments(PARSE_ARGV 1 FEATURE "PUBLIC;VISIBLE" "LAYER;WIRE_NAME;DEBIAN"
                        "SOURCES;SOURCES_WITHOUT;PACKAGE;MODULES;TARGETS")
  string(TOLOWER "${name}" lower)
  if(NOT FEATURE_TARGETS)
    set(FEATURE_TARGETS PkgConfig::${lower})
  endif()
  if(NOT FEATURE_WIRE_NAME)
    set(FEATURE_WIRE_NAME ${lower})
  endif()
  foreach(field LAYER SOURCES SOURCES_WITHOUT WIRE_NAME PACKAGE MODULES TARGETS PUBLIC VISIBLE)
    set(TRUNKLINE_FEATURE_${name}_${field} "${FEATURE_${field}}" PARENT_SCOPE)
  endforeach()
  set(TRUNKLINE_FEATURES ${TRUNKLINE_FEATURES} ${name} PARENT_SCOPE)
endfunction()

trunkline_feature(PROTOBUF LAYER codec SOURCES protobuf_any.cpp protobuf_codec.cpp protobuf_json.cpp protobuf_json_reader.cpp protobuf_json_writer.cpp well_known_text.cpp
                  PACKAGE Protobuf MODULES protobuf TARGETS protobuf::libprotobuf PUBLIC DEBIAN libprotobuf-dev)
trunkline_feature(TLS LAYER net SOURCES tls_context.cpp tls_handshake.cpp tls_stream.cpp tls_transport.cpp
                  SOURCES_WITHOUT tls_unavailable.cpp
                  PACKAGE OpenSSL 3.0 MODULES openssl TARGETS OpenSSL::SSL OpenSSL::Crypto VISIBLE DEBIAN libssl-dev)
trunkline_feature(ZSTD LAYER compression SOURCES zstd_compressor.cpp MODULES libzstd DEBIAN libzstd-dev)
trunkline_feature(LZ4 LAYER compression SOURCES lz4_compressor.cpp MODULES liblz4 DEBIAN liblz4-dev)
trunkline_feature(GZIP LAYER compression SOURCES gzip_compressor.cpp zlib_compressor.cpp zlib_stream.cpp
                  PACKAGE ZLIB MODULES zlib TARGETS ZLIB::ZLIB DEBIAN zlib1g-dev)
trunkline_feature(DEFLATE LAYER compression SOURCES deflate_compressor.cpp zlib_compressor.cpp zlib_stream.cpp
                  PACKAGE ZLIB MODULES zlib TARGETS ZLIB::ZLIB DEBIAN zlib1g-dev)
trunkline_feature(BROTLI LAYER compression SOURCES brotli_compressor.cpp WIRE_NAME br
                  MODULES libbrotlienc libbrotlidec DEBIAN libbrotli-dev)
trunkline_feature(DNS LAYER naming
                  SOURCES dns/answer_ttl.cpp dns/ares_lookup.cpp dns/ares_sockets.cpp dns/make_dns_resolver.cpp
                  SOURCES_WITHOUT dns/dns_unavailable.cpp MODULES libcares DEBIAN libc-ares-dev)

# Each option is AUTO (use what is found), ON (require it) or OFF (leave it out).
set(TRUNKLINE_WITH_DEFAULT AUTO CACHE STRING "Default of the options TRUNKLINE_WITH_*: AUTO, ON or OFF")
set_property(CACHE TRUNKLINE_WITH_DEFAULT PROPERTY STRINGS AUTO ON OFF)
foreach(feature ${TRUNKLINE_FEATURES})
  set(TRUNKLINE_WITH_${feature} ${TRUNKLINE_WITH_DEFAULT} CACHE STRING "AUTO, ON or OFF")
  set_property(CACHE TRUNKLINE_WITH_${feature} PROPERTY STRINGS AUTO ON OFF)
endforeach()

# Finds the dependency of each feature and sets TRUNKLINE_HAS_<NAME>. A macro, because packages set variables that others read.
macro(trunkline_find_features)
  foreach(feature ${TRUNKLINE_FEATURES})
    set(TRUNKLINE_HAS_${feature} FALSE)
    if(NOT TRUNKLINE_WITH_${feature} STREQUAL "OFF")
      if(TRUNKLINE_FEATURE_${feature}_PACKAGE)
        find_package(${TRUNKLINE_FEATURE_${feature}_PACKAGE})
      else()
        string(TOLOWER "${feature}" trunkline_module)
        pkg_check_modules(${trunkline_module} IMPORTED_TARGET ${TRUNKLINE_FEATURE_${feature}_MODULES})
      endif()
      list(GET TRUNKLINE_FEATURE_${feature}_TARGETS 0 trunkline_target)
      if(TARGET ${trunkline_target})
        set(TRUNKLINE_HAS_${feature} TRUE)
      elseif(TRUNKLINE_WITH_${feature} STREQUAL "ON")
        message(FATAL_ERROR "TRUNKLINE_WITH_${feature}=ON, but ${TRUNKLINE_FEATURE_${feature}_MODULES} was not found")
      endif()
    endif()
  endforeach()
endmacro()

# The features that are built, of one layer or of all.
function(trunkline_built_features result)
  set(built "")
  foreach(feature ${TRUNKLINE_FEATURES})
    if(TRUNKLINE_HAS_${feature} AND (NOT ARGN OR "${TRUNKLINE_FEATURE_${feature}_LAYER}" IN_LIST ARGN))
      list(APPEND built ${feature})
    endif()
  endforeach()
  set(${result} ${built} PARENT_SCOPE)
endfunction()

# Adds the sources, definitions and libraries of its features to the layer that was made by trunkline_layer(NAME ...).
function(trunkline_layer_features name)
  # Features may share sources.
  set(sources "")
  foreach(feature ${TRUNKLINE_FEATURES})
    if(NOT TRUNKLINE_FEATURE_${feature}_LAYER STREQUAL name)
      continue()
    elseif(TRUNKLINE_HAS_${feature})
      list(APPEND sources ${TRUNKLINE_FEATURE_${feature}_SOURCES})
      if(TRUNKLINE_FEATURE_${feature}_VISIBLE)
        target_compile_definitions(trunkline_${name} PUBLIC TRUNKLINE_HAS_${feature})
      else()
        target_compile_definitions(trunkline_${name} PRIVATE TRUNKLINE_HAS_${feature})
      endif()
      target_link_libraries(trunkline_${name} PUBLIC ${TRUNKLINE_FEATURE_${feature}_TARGETS})
    elseif(TRUNKLINE_FEATURE_${feature}_SOURCES_WITHOUT)
      list(APPEND sources ${TRUNKLINE_FEATURE_${feature}_SOURCES_WITHOUT})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES sources)
  target_sources(trunkline_${name} PRIVATE ${sources})
endfunction()

# The tests of a layer's features: <source>_test.cpp in the current folder for each source that is compiled.
function(trunkline_feature_tests layer result)
  set(tests "")
  trunkline_built_features(built ${layer})
  foreach(feature ${built})
    foreach(source ${TRUNKLINE_FEATURE_${feature}_SOURCES})
      get_filename_component(stem "${source}" NAME_WE)
      if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${stem}_test.cpp")
        list(APPEND tests ${stem}_test.cpp)
      endif()
    endforeach()
  endforeach()
  set(${result} ${tests} PARENT_SCOPE)
endfunction()

# Links the library against the dependencies of its features. A static library hands on what is private for the final link.
function(trunkline_library_features target)
  trunkline_built_features(built)
  foreach(feature ${built})
    if(TRUNKLINE_FEATURE_${feature}_PUBLIC)
      target_link_libraries(${target} PUBLIC ${TRUNKLINE_FEATURE_${feature}_TARGETS})
      target_compile_definitions(${target} INTERFACE TRUNKLINE_HAS_${feature})
    else()
      target_link_libraries(${target} PRIVATE ${TRUNKLINE_FEATURE_${feature}_TARGETS})
    endif()
  endforeach()
endfunction()

# What an installed library requires. `find`: lines of trunklineConfig.cmake; `requires`, `requires_private` and `cflags`:
# of trunkline.pc. Private dependencies are required only by a static library.
function(trunkline_feature_requirements find requires requires_private cflags)
  set(lines "")
  set(public "")
  set(private "")
  set(flags "")
  trunkline_built_features(built)
  foreach(feature ${built})
    if(TRUNKLINE_FEATURE_${feature}_PUBLIC)
      list(APPEND public ${TRUNKLINE_FEATURE_${feature}_MODULES})
      string(APPEND flags " -DTRUNKLINE_HAS_${feature}")
    elseif(BUILD_SHARED_LIBS)
      continue()
    else()
      list(APPEND private ${TRUNKLINE_FEATURE_${feature}_MODULES})
    endif()
    if(TRUNKLINE_FEATURE_${feature}_PACKAGE)
      list(JOIN TRUNKLINE_FEATURE_${feature}_PACKAGE " " package)
      string(APPEND lines "find_dependency(${package})\n")
    else()
      string(TOLOWER "${feature}" lower)
      list(JOIN TRUNKLINE_FEATURE_${feature}_MODULES " " modules)
      string(APPEND lines "trunkline_find_module(${lower} ${modules})\n")
    endif()
  endforeach()
  set(${find} "${lines}" PARENT_SCOPE)
  set(${requires} "${public}" PARENT_SCOPE)
  set(${requires_private} "${private}" PARENT_SCOPE)
  set(${cflags} "${flags}" PARENT_SCOPE)
endfunction()
