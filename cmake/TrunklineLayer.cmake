# SPDX-License-Identifier: MIT
# trunkline_layer(NAME SOURCES ... USES ... LINKS ... [PRECOMPILE set]): one folder under src/ as one static library target
# `trunkline_<NAME>`. USES names other layers, LINKS outside libraries. The link graph is the layer picture. PRECOMPILE is a
# set of TrunklinePrecompile.cmake, `standard` by default.
# Layers are for the project's own tests; what users link is the target `trunkline`, made of all their objects.
function(trunkline_layer name)
  cmake_parse_arguments(LAYER "" "PRECOMPILE" "SOURCES;USES;LINKS" ${ARGN})
  if(NOT LAYER_PRECOMPILE)
    set(LAYER_PRECOMPILE standard)
  endif()
  set(target trunkline_${name})
  add_library(${target} STATIC ${LAYER_SOURCES})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  list(TRANSFORM LAYER_USES PREPEND trunkline_)
  target_link_libraries(${target} PUBLIC ${LAYER_USES} ${LAYER_LINKS} PRIVATE trunkline_flags trunkline_layer_flags)
  trunkline_precompile(${target} ${LAYER_PRECOMPILE} trunkline_layer_flags)
  trunkline_unity(${target})
  set_property(GLOBAL APPEND PROPERTY TRUNKLINE_LAYERS ${target})
endfunction()
