cmake_minimum_required(VERSION 3.24)
# The modules from the bottom up, and the modules that each may include beside itself. Any other include is an error.
set(modules
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
    data/packages
    data/frontends/media
    data/frontends/models
    data/frontends
    data/capi
    data/table
    data/datasets
    lab/outliers
    lab/open_world
    lab/baselines
    lab/stream
    lab/protocol
    lab/results
    lab/report
    lab/experiments
    lab/benchmark)
set(core/math_may core/base)
set(core/nn_may core/base core/math)
# The registry includes the built-in learners.
set(core/learners_may core/base core/learners/fearnet core/learners/plus)
set(core/learners/kit_may core/base core/math core/learners)
set(core/learners/fearnet_may core/base core/math core/nn core/learners core/learners/kit)
set(core/learners/plus_may core/base core/math core/nn core/learners core/learners/kit)
set(core/learners/onnx_may core/base core/math core/nn core/learners core/learners/kit core/learners/fearnet
    core/learners/plus)
set(core/brain_may core/base core/math core/learners core/learners/onnx)
set(core/capi_may core/base core/learners core/brain)
set(data/io_may core/base)
set(data/packages_may core/base)
set(data/frontends/media_may core/base data/io)
set(data/frontends/models_may core/base core/brain data/io data/packages data/frontends/media)
set(data/frontends_may core/base core/brain data/io data/frontends/media data/frontends/models)
set(data/capi_may core/base core/brain core/capi data/frontends)
set(data/table_may core/base core/learners core/brain data/io data/frontends)
set(data/datasets_may core/base core/brain data/io data/packages data/table)
set(lab/outliers_may core/base core/math core/learners core/learners/fearnet)
set(lab/open_world_may core/base core/math core/learners core/learners/kit lab/outliers)
set(lab/baselines_may core/base core/math core/nn core/learners core/learners/kit core/learners/fearnet lab/outliers)
set(lab/stream_may core/base data/table)
set(lab/protocol_may core/base core/math core/learners core/learners/fearnet data/table data/datasets lab/open_world lab/stream
    lab/baselines)
set(lab/results_may core/base core/learners data/io data/table lab/open_world lab/stream lab/protocol)
set(lab/report_may core/base core/learners data/io data/table lab/open_world lab/stream lab/protocol lab/results)
set(lab/experiments_may core/base core/learners data/io data/table data/datasets lab/stream lab/protocol lab/results)
set(lab/benchmark_may core/base core/math core/nn core/learners core/learners/fearnet lab/protocol lab/stream)

# The module of each public header.
set(core/base_headers error matrix options output_file progress rng state threads)
set(core/learners_headers learner registry scoring_learner fearnet_options plus_options)
set(core/learners/onnx_headers onnx)
set(core/brain_headers brain)
set(data/io_headers data/state_file)
set(data/table_headers data/feature_set data/frames data/row_blocks data/table)
set(data/datasets_headers data/load)
set(data/frontends/models_headers data/models)
set(data/frontends_headers data/embedder)
set(lab/open_world_headers lab/open_world)
set(lab/baselines_headers lab/learners)
set(lab/stream_headers lab/class_incremental_stream)
set(lab/protocol_headers lab/omega lab/protocol lab/run lab/tune)
set(lab/results_headers lab/results)
set(lab/report_headers lab/report lab/results_page)
set(lab/experiments_headers lab/collect_results lab/experiment lab/job lab/plan lab/schedule)
set(lab/benchmark_headers lab/engine_benchmark)

# "core/math/gemm.hpp" -> core/math; "fearnet/matrix.hpp" -> core/base; empty for a file that is in no module.
function(module_of file out)
  set(${out} "" PARENT_SCOPE)
  if(file MATCHES "^fearnet/(.+)\\.hpp$")
    foreach(module ${modules})
      if(CMAKE_MATCH_1 IN_LIST ${module}_headers)
        set(${out} ${module} PARENT_SCOPE)
      endif()
    endforeach()
    return()
  endif()
  get_filename_component(folder ${file} DIRECTORY)
  if(folder STREQUAL "lab/report/page")
    set(folder lab/report)
  endif()
  if(folder IN_LIST modules)
    set(${out} ${folder} PARENT_SCOPE)
  endif()
endfunction()

set(bad "")
set(checked 0)
# A module may include only modules before it in the list. The exception is the registry, which includes the learners.
foreach(module ${modules})
  list(FIND modules ${module} place)
  foreach(other ${${module}_may})
    list(FIND modules ${other} below)
    if(NOT module STREQUAL "core/learners" AND (below EQUAL -1 OR NOT below LESS place))
      list(APPEND bad "${module} may not include ${other}, which is not below it")
    endif()
  endforeach()
endforeach()
file(GLOB_RECURSE files RELATIVE ${SOURCE}/src ${SOURCE}/src/*.?pp)
file(GLOB_RECURSE headers RELATIVE ${SOURCE}/include ${SOURCE}/include/fearnet/*.hpp)
list(REMOVE_ITEM headers fearnet/lab/all.hpp)
foreach(file ${files} ${headers})
  math(EXPR checked "${checked} + 1")
  module_of(${file} module)
  if(module STREQUAL "")
    list(APPEND bad "${file} belongs to no module")
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
    module_of(${included} other)
    if(NOT other STREQUAL module AND NOT other IN_LIST ${module}_may)
      list(APPEND bad "${file} (${module}): ${line} (${other})")
    endif()
  endforeach()
endforeach()
# Only data/packages runs other programs: for fetch_dataset and fetch_model.
foreach(file ${files})
  file(STRINGS ${SOURCE}/src/${file} lines REGEX "[^a-z_.](fork|vfork|popen|system|posix_spawnp?|execvp?|execlp?) ?\\(")
  if(lines AND NOT file STREQUAL "data/packages/command.cpp")
    list(APPEND bad "${file} runs a program: ${lines}")
  endif()
  file(STRINGS ${SOURCE}/src/${file} lines REGEX "[^a-z_]run_command\\(")
  if(lines AND NOT file MATCHES "^data/packages/")
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
  message(FATAL_ERROR "only ${checked} files were found: is SOURCE the root of the repository?")
endif()
file(GLOB core_headers ${SOURCE}/include/fearnet/*.hpp)
list(LENGTH core_headers count)
if(count GREATER 15)
  list(APPEND bad "include/fearnet has ${count} headers; the core has at most 15")
endif()
if(bad)
  string(REPLACE ";" "\n  " bad "${bad}")
  message(FATAL_ERROR "violations of the architecture:\n  ${bad}")
endif()
message(STATUS "${checked} files checked, no violation")
