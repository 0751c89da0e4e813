# SPDX-License-Identifier: MIT
# trunkline_unity(TARGET): compiles the sources of a target in batches of up to TRUNKLINE_UNITY_BATCH where TRUNKLINE_UNITY
# is on. A batch is a generated file that includes its sources. What they have in common, above all the templates of the
# standard library and of Asio, is then compiled once for each batch.
#
# The sources of a batch share their anonymous namespaces, so sources that declare the same name go into different batches.
# The names are read when CMake runs: if an edit makes two sources clash, run CMake again. Sources that are generated, that
# have a COMPILE_DEFINITIONS or COMPILE_OPTIONS property, or that have SKIP_UNITY_BUILD_INCLUSION are compiled alone.
#
# CMake's own UNITY_BUILD sees no clashes, and writes absolute paths, for which ccache finds nothing that another clone
# has compiled.
function(trunkline_unity target)
  if(TRUNKLINE_UNITY)
    # Later, because the folder may still add sources to the target.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL trunkline_make_batches ${target})")
  endif()
endfunction()

function(trunkline_make_batches target)
  get_target_property(sources ${target} SOURCES)
  set(count 0)
  foreach(source ${sources})
    trunkline_joins_batch("${source}" joins)
    if(NOT joins)
      continue()
    endif()
    get_filename_component(path "${source}" ABSOLUTE)
    trunkline_declared_names("${path}" declared)
    # The first batch that has room and none of the names, or a new one.
    set(chosen 0)
    set(batch 1)
    while(batch LESS_EQUAL count AND chosen EQUAL 0)
      set(chosen ${batch})
      foreach(name ${declared})
        if(name IN_LIST names_${batch})
          set(chosen 0)
          break()
        endif()
      endforeach()
      if(length_${batch} EQUAL TRUNKLINE_UNITY_BATCH)
        set(chosen 0)
      endif()
      math(EXPR batch "${batch} + 1")
    endwhile()
    if(chosen EQUAL 0)
      math(EXPR count "${count} + 1")
      set(chosen ${count})
      set(length_${chosen} 0)
    endif()
    math(EXPR length_${chosen} "${length_${chosen}} + 1")
    list(APPEND names_${chosen} ${declared})
    file(RELATIVE_PATH relative "${PROJECT_SOURCE_DIR}" "${path}")
    string(APPEND content_${chosen} "#include \"${relative}\"\n")
    set_source_files_properties("${path}" PROPERTIES HEADER_FILE_ONLY TRUE)
  endforeach()
  set(batch 1)
  while(batch LESS_EQUAL count)
    set(file "${CMAKE_CURRENT_BINARY_DIR}/${target}_${batch}.cpp")
    file(CONFIGURE OUTPUT "${file}" CONTENT "${content_${batch}}" @ONLY)
    target_sources(${target} PRIVATE "${file}")
    math(EXPR batch "${batch} + 1")
  endwhile()
  # Not -I: the folder serves the batches alone.
  target_compile_options(${target} PRIVATE "SHELL:-iquote ${PROJECT_SOURCE_DIR}")
endfunction()

# Whether a source is one of this project's that is compiled with the flags of its target.
function(trunkline_joins_batch source result)
  get_filename_component(path "${source}" ABSOLUTE)
  file(RELATIVE_PATH inside "${PROJECT_SOURCE_DIR}" "${path}")
  file(RELATIVE_PATH built "${PROJECT_BINARY_DIR}" "${path}")
  set(joins FALSE)
  if(inside MATCHES "\\.cpp$" AND NOT inside MATCHES "^\\.\\./" AND built MATCHES "^\\.\\./")
    set(joins TRUE)
  endif()
  foreach(property COMPILE_DEFINITIONS COMPILE_OPTIONS GENERATED SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(value "${path}" ${property})
    if(value)
      set(joins FALSE)
    endif()
  endforeach()
  set(${result} ${joins} PARENT_SCOPE)
endfunction()

# What a source declares at namespace scope, as clang-format writes it: not indented, types after their keyword, functions
# and variables before the first of ( { = ; [ and not qualified.
function(trunkline_declared_names path result)
  file(READ "${path}" text)
  # What CMake would take for parts of a list.
  string(REPLACE ";" "," text "${text}")
  string(REGEX REPLACE "[][]" "(" text "${text}")
  string(REGEX MATCHALL "\n[A-Za-z][^\n]*" lines "${text}")
  set(names "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^\nusing namespace")
      continue()
    elseif(line MATCHES "^\n(using|class|struct|union|enum class|enum) ([A-Za-z_0-9]+)( |,|$)")
      list(APPEND names "${CMAKE_MATCH_2}")
    elseif(line MATCHES "^[^({=,:]*(::[^({=,:]*)*[ *&]([A-Za-z_0-9]+)( = |[({,])")
      list(APPEND names "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(${result} "${names}" PARENT_SCOPE)
endfunction()
