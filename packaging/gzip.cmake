# Run by CPack before it packs a folder: compresses the manual pages and the changelog, as Debian wants them.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/fearnet*.1 ${CPACK_TEMPORARY_DIRECTORY}/changelog*)
execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
