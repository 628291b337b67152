# cmake -DFOLDER=experiments -DNAMES=a,b -DOUT=file.cpp -P embed_experiments.cmake
# Puts FOLDER/a.json, FOLDER/b.json, ... into a source file. String literals are cut into lines: compilers limit
# how long one may be.
string(REPLACE "," ";" names "${NAMES}")
set(entries "")
foreach(name ${names})
  file(READ ${FOLDER}/${name}.json text)
  string(REPLACE "\n" ")fearnet\"\n     R\"fearnet(\n" text "${text}")
  string(APPEND entries "    {\"${name}\",\n     R\"fearnet(${text})fearnet\"},\n")
endforeach()
file(WRITE ${OUT} "// Written by cmake/embed_experiments.cmake.
#include \"lab/experiments/embedded.hpp\"

namespace fearnet::lab {

const std::vector<EmbeddedFile>& embedded_experiments() {
  static const std::vector<EmbeddedFile> kFiles = {
${entries}  };
  return kFiles;
}

}  // namespace fearnet::lab
")
