# SPDX-License-Identifier: MIT
# Finds what the build uses. Required: Asio, snappy, nlohmann_json. The rest follows TRUNKLINE_WITH_*.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

find_path(ASIO_INCLUDE_DIR asio.hpp REQUIRED)
add_library(trunkline_asio INTERFACE)
target_include_directories(trunkline_asio SYSTEM INTERFACE "${ASIO_INCLUDE_DIR}")
# Asio 1.22 decides by what was included before it whether memory is aligned_alloc's; files must not differ in that.
# And it looks for clang's coroutines in <experimental/coroutine> alone; C++20 has them in <coroutine> for every compiler.
target_compile_definitions(trunkline_asio INTERFACE ASIO_DISABLE_STD_ALIGNED_ALLOC ASIO_HAS_CO_AWAIT=1 ASIO_NO_DEPRECATED
                                                    ASIO_SEPARATE_COMPILATION)
target_link_libraries(trunkline_asio INTERFACE Threads::Threads)

pkg_check_modules(snappy IMPORTED_TARGET snappy)
if(NOT snappy_FOUND)
  find_package(Snappy REQUIRED)
  add_library(PkgConfig::snappy ALIAS Snappy::snappy)
endif()
find_package(nlohmann_json 3.10 REQUIRED)

# trunkline_optional(FEATURE found-condition): decides TRUNKLINE_HAS_<FEATURE>.
macro(trunkline_optional feature found)
  set(TRUNKLINE_HAS_${feature} FALSE)
  if(NOT TRUNKLINE_WITH_${feature} STREQUAL "OFF")
    if(${found})
      set(TRUNKLINE_HAS_${feature} TRUE)
    elseif(TRUNKLINE_WITH_${feature} STREQUAL "ON")
      message(FATAL_ERROR "TRUNKLINE_WITH_${feature}=ON, but its library was not found")
    endif()
  endif()
endmacro()

if(NOT TRUNKLINE_WITH_PROTOBUF STREQUAL "OFF")
  find_package(Protobuf)
endif()
trunkline_optional(PROTOBUF "${Protobuf_FOUND}")
if(NOT TRUNKLINE_WITH_TLS STREQUAL "OFF")
  find_package(OpenSSL 3.0)
endif()
trunkline_optional(TLS "${OPENSSL_FOUND}")
if(NOT TRUNKLINE_WITH_ZSTD STREQUAL "OFF")
  pkg_check_modules(zstd IMPORTED_TARGET libzstd)
endif()
trunkline_optional(ZSTD "${zstd_FOUND}")
if(NOT TRUNKLINE_WITH_LZ4 STREQUAL "OFF")
  pkg_check_modules(lz4 IMPORTED_TARGET liblz4)
endif()
trunkline_optional(LZ4 "${lz4_FOUND}")
if(NOT TRUNKLINE_WITH_GZIP STREQUAL "OFF")
  find_package(ZLIB)
endif()
trunkline_optional(GZIP "${ZLIB_FOUND}")
message(STATUS "trunkline: protobuf=${TRUNKLINE_HAS_PROTOBUF} tls=${TRUNKLINE_HAS_TLS} zstd=${TRUNKLINE_HAS_ZSTD} "
               "lz4=${TRUNKLINE_HAS_LZ4} gzip=${TRUNKLINE_HAS_GZIP}")
