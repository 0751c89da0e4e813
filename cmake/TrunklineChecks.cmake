# SPDX-License-Identifier: MIT
# The checks of the source tree as tests (label check), so that one command runs everything.
function(trunkline_check name)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS check)
endfunction()

trunkline_check(check_layers scripts/check-layers)
trunkline_check(check_layers_self_test scripts/check-layers --self-test)
trunkline_check(check_circles scripts/check-circles)
trunkline_check(check_circles_self_test scripts/check-circles --self-test)
trunkline_check(check_style scripts/check-style)
trunkline_check(check_style_self_test scripts/check-style --self-test)
trunkline_check(versions scripts/versions)
trunkline_check(versions_self_test scripts/versions --self-test)
