cmake_minimum_required(VERSION 3.24)
# The rooms of the house and what each may include: itself, and the rooms named here. Fails for every other include.
set(rooms
    core/base
    core/math
    core/nn
    core/learners
    core/learners/kit
    core/learners/fearnet
    core/learners/plus
    core/learners/onnx
    core/brain
    core/capi
    data/io
    data/table
    data/datasets
    lab/outliers
    lab/baselines
    lab/stream
    lab/protocol
    lab/results
    lab/report
    lab/experiments
    lab/benchmark)
set(core/math_may core/base)
set(core/nn_may core/base core/math)
# The registry knows the learners that are built in.
set(core/learners_may core/base core/learners/fearnet core/learners/plus)
set(core/learners/kit_may core/base core/math core/learners)
set(core/learners/fearnet_may core/base core/math core/nn core/learners)
set(core/learners/plus_may core/base core/math core/nn core/learners core/learners/kit)
set(core/learners/onnx_may core/base core/math core/nn core/learners core/learners/kit core/learners/fearnet
    core/learners/plus)
set(core/brain_may core/base core/learners core/learners/onnx)
set(core/capi_may core/base core/learners core/brain)
set(data/io_may core/base)
set(data/table_may core/base core/brain data/io)
set(data/datasets_may core/base core/brain data/io data/table)
set(lab/outliers_may core/base core/math core/learners core/learners/fearnet)
set(lab/baselines_may core/base core/math core/nn core/learners core/learners/kit core/learners/fearnet lab/outliers)
set(lab/stream_may core/base data/table)
set(lab/protocol_may core/base core/math core/learners core/learners/fearnet data/table data/datasets lab/stream lab/baselines)
set(lab/results_may core/base core/learners data/io data/table lab/stream lab/protocol)
set(lab/report_may core/base core/learners data/io data/table lab/stream lab/protocol lab/results)
set(lab/experiments_may core/base core/learners data/io data/table data/datasets lab/stream lab/protocol lab/results)
set(lab/benchmark_may core/base core/math core/nn core/learners core/learners/fearnet lab/protocol lab/stream)

# The room of each public header.
set(core/base_headers error matrix options output_file progress rng state threads)
set(core/learners_headers learner registry scoring_learner fearnet_options plus_options)
set(core/learners/onnx_headers onnx)
set(core/brain_headers brain)
set(data/io_headers data/state_file)
set(data/table_headers data/feature_set data/row_blocks data/table)
set(data/datasets_headers data/load)
set(lab/baselines_headers lab/learners)
set(lab/stream_headers lab/class_incremental_stream)
set(lab/protocol_headers lab/omega lab/protocol lab/run lab/tune)
set(lab/results_headers lab/results)
set(lab/report_headers lab/report lab/results_page)
set(lab/experiments_headers lab/collect_results lab/experiment lab/job lab/plan lab/schedule)
set(lab/benchmark_headers lab/engine_benchmark)

# "core/math/gemm.hpp" -> core/math; "fearnet/matrix.hpp" -> core/base; nothing for a file of no room.
function(room_of file out)
  set(${out} "" PARENT_SCOPE)
  if(file MATCHES "^fearnet/(.+)\\.hpp$")
    foreach(room ${rooms})
      if(CMAKE_MATCH_1 IN_LIST ${room}_headers)
        set(${out} ${room} PARENT_SCOPE)
      endif()
    endforeach()
    return()
  endif()
  get_filename_component(folder ${file} DIRECTORY)
  if(folder STREQUAL "lab/report/page")
    set(folder lab/report)
  endif()
  if(folder IN_LIST rooms)
    set(${out} ${folder} PARENT_SCOPE)
  endif()
endfunction()

set(bad "")
set(checked 0)
# Strictly layered: a room names only rooms above it in the list; but the registry knows the learners it has.
foreach(room ${rooms})
  list(FIND rooms ${room} place)
  foreach(other ${${room}_may})
    list(FIND rooms ${other} below)
    if(NOT room STREQUAL "core/learners" AND (below EQUAL -1 OR NOT below LESS place))
      list(APPEND bad "${room} may not name ${other}, which is not below it")
    endif()
  endforeach()
endforeach()
file(GLOB_RECURSE files RELATIVE ${SOURCE}/src ${SOURCE}/src/*.?pp)
file(GLOB_RECURSE headers RELATIVE ${SOURCE}/include ${SOURCE}/include/fearnet/*.hpp)
list(REMOVE_ITEM headers fearnet/lab/all.hpp)
foreach(file ${files} ${headers})
  math(EXPR checked "${checked} + 1")
  room_of(${file} room)
  if(room STREQUAL "")
    list(APPEND bad "${file} is in no room")
    continue()
  endif()
  set(path ${SOURCE}/src/${file})
  if(NOT EXISTS ${path})
    set(path ${SOURCE}/include/${file})
  endif()
  file(STRINGS ${path} lines REGEX "^#include \"")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
    if(included STREQUAL "fearnet_c.h")
      continue()
    endif()
    room_of(${included} other)
    if(NOT other STREQUAL room AND NOT other IN_LIST ${room}_may)
      list(APPEND bad "${file} (${room}): ${line} (${other})")
    endif()
  endforeach()
endforeach()
# Only fetch_dataset runs another program.
foreach(file ${files})
  file(STRINGS ${SOURCE}/src/${file} lines REGEX "[^a-z_.](fork|vfork|popen|system|posix_spawnp?|execvp?|execlp?) ?\\(")
  if(lines AND NOT file STREQUAL "data/datasets/command.cpp")
    list(APPEND bad "${file} runs a program: ${lines}")
  endif()
  file(STRINGS ${SOURCE}/src/${file} lines REGEX "[^a-z_]run_command\\(")
  if(lines AND NOT file MATCHES "^data/datasets/(command|udhr_package)\\..pp$")
    list(APPEND bad "${file} runs a program: ${lines}")
  endif()
endforeach()
file(GLOB_RECURSE tools ${SOURCE}/apps/*.?pp ${SOURCE}/examples/*.?pp ${SOURCE}/bindings/*.?pp)
foreach(file ${tools})
  file(STRINGS ${file} lines REGEX "^#include \"(core|data|lab)/")
  if(lines)
    list(APPEND bad "${file} uses a private header: ${lines}")
  endif()
  # Headers that take seconds to compile stay out of headers, and CLI11 in one file.
  file(STRINGS ${file} lines REGEX "^#include <(CLI/CLI|nlohmann/json)\\.hpp>")
  if(lines AND (file MATCHES "\\.hpp$" OR (lines MATCHES "CLI/" AND NOT file MATCHES "/command_line\\.cpp$")))
    list(APPEND bad "${file} includes a slow header: ${lines}")
  endif()
endforeach()
if(checked LESS 200)
  message(FATAL_ERROR "only ${checked} files were found: is this test looking in the right place?")
endif()
file(GLOB core_headers ${SOURCE}/include/fearnet/*.hpp)
list(LENGTH core_headers count)
if(count GREATER 15)
  list(APPEND bad "include/fearnet has ${count} headers; the core has at most 15")
endif()
if(bad)
  string(REPLACE ";" "\n  " bad "${bad}")
  message(FATAL_ERROR "against the architecture:\n  ${bad}")
endif()
message(STATUS "${checked} files keep to the architecture")
