# The C API as one archive that needs SQLite and the C++ runtime only, and the example with it; included by
# src/CMakeLists.txt. scripts/small_build.sh measures both.
#
# Linked into one object first: what the C API does not reach goes, and of every template instance one copy stays. Then
# the sections of the functions become one, since their headers, names and relocations are larger than the functions.
set(objects $<FILTER:$<TARGET_OBJECTS:fearnet>,EXCLUDE,gch$>)  # not the precompiled header
file(STRINGS ${PROJECT_SOURCE_DIR}/include/fearnet_c.h lines REGEX "[ *]fearnet_[a-z_]+\\(")
set(roots "")
foreach(line ${lines})
  string(REGEX REPLACE ".*[ *](fearnet_[a-z_]+)\\(.*" "-Wl,-u,\\1" root "${line}")
  list(APPEND roots ${root})
endforeach()
set(whole ${PROJECT_BINARY_DIR}/fearnet_small.o)
set(reached ${PROJECT_BINARY_DIR}/fearnet_reached.o)
set(sections ${CMAKE_CURRENT_LIST_DIR}/small.ld)
add_custom_command(OUTPUT ${whole} DEPENDS ${objects} ${sections} COMMAND_EXPAND_LISTS VERBATIM
                   COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -Wl,--gc-sections ${roots} ${objects} -o ${reached}
                   COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -Wl,--force-group-allocation -Wl,-T,${sections} ${reached}
                           -o ${whole})
add_library(fearnet_small STATIC ${whole})
add_dependencies(fearnet_small fearnet)
set_source_files_properties(${whole} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
set_target_properties(fearnet_small PROPERTIES LINKER_LANGUAGE CXX)
set_target_properties(fearnet_small PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_include_directories(fearnet_small PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_link_libraries(fearnet_small PUBLIC SQLite::SQLite3)

add_executable(fearnet_c_quick_start ${PROJECT_SOURCE_DIR}/examples/quick_start.c)
set_target_properties(fearnet_c_quick_start PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF LINKER_LANGUAGE CXX
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_compile_options(fearnet_c_quick_start PRIVATE -Wall -Wextra -pedantic)
target_link_options(fearnet_c_quick_start PRIVATE -Wl,--gc-sections -s)
target_link_libraries(fearnet_c_quick_start PRIVATE fearnet_small)

install(TARGETS fearnet_small ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/fearnet_c.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
