# SPDX-License-Identifier: MIT
# Runs the program of one page of the guide and compares what it prints with what the page shows.
# Variables: PROGRAM, PAGE, EXPECTED, FOLDER (where it runs), MAKE_CERTIFICATES (for the page on TLS).
file(MAKE_DIRECTORY "${FOLDER}")
if(PAGE STREQUAL "tls")
  execute_process(COMMAND "${MAKE_CERTIFICATES}" certificates WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "make certificates: ${failed}")
  endif()
endif()
execute_process(COMMAND "${PROGRAM}" "${PAGE}" WORKING_DIRECTORY "${FOLDER}" OUTPUT_VARIABLE printed
                ERROR_VARIABLE error RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PAGE}: ended with ${result}: ${error}")
endif()
file(READ "${EXPECTED}" expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "${PAGE}: the program printed\n${printed}but the page shows\n${expected}")
endif()
