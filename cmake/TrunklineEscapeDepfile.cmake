# SPDX-License-Identifier: MIT
# cmake -DDEPFILE=file -DTARGET=file -P TrunklineEscapeDepfile.cmake
#
# Writes anew what protoc's --dependency_out has written for TARGET: it names one file a line, and escapes nothing of
# what make and Ninja take for more than one name.
cmake_policy(VERSION 3.22)

function(escape name result)
  string(REGEX REPLACE "([ #\\])" "\\\\\\1" name "${name}")
  string(REPLACE "$" "$$" name "${name}")
  set(${result} "${name}" PARENT_SCOPE)
endfunction()

file(READ "${DEPFILE}" rest)
string(LENGTH "${TARGET}:" begin)
string(SUBSTRING "${rest}" ${begin} -1 rest)
escape("${TARGET}" rule)
string(APPEND rule ":")
# Not as a list: names may hold what lists are written with, and lines end in a backslash.
while(NOT rest STREQUAL "")
  string(FIND "${rest}\n" "\n" end)
  string(SUBSTRING "${rest}" 0 ${end} line)
  string(SUBSTRING "${rest}\n" ${end} -1 rest)
  string(REGEX REPLACE "^\n+|\n$" "" rest "${rest}")
  string(REGEX REPLACE "\\\\$" "" line "${line}")
  string(STRIP "${line}" line)
  if(NOT line STREQUAL "")
    escape("${line}" line)
    string(APPEND rule " \\\n ${line}")
  endif()
endwhile()
file(WRITE "${DEPFILE}" "${rule}\n")
