# Runs an example on a file that does not exist yet.
file(REMOVE ${FILE} ${FILE}-wal ${FILE}-shm)
execute_process(COMMAND ${EXAMPLE} ${FILE} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
if(NOT code EQUAL 0 OR NOT out MATCHES "20 of 20 right")
  message(FATAL_ERROR "exit code ${code}:\n${out}")
endif()
