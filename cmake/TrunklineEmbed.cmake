# SPDX-License-Identifier: MIT
# Writes the C++ source of a function that returns the content of a file.
# Usage: cmake -DINPUT=FILE -DOUTPUT=FILE -DHEADER=FILE -DFUNCTION=NAME -DNAMESPACE=NAME -P TrunklineEmbed.cmake
file(READ "${INPUT}" bytes HEX)
string(LENGTH "${bytes}" digits)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
# A line for each 24 bytes: compilers and editors are slow with one that has them all.
string(REGEX REPLACE "((0x..,){24})" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "// Made by cmake/TrunklineEmbed.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

namespace {

constexpr char content[] = {
${bytes}
};

}  // namespace

std::string_view ${FUNCTION}() noexcept { return {content, sizeof content}; }

}  // namespace ${NAMESPACE}
")
