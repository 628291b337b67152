# cmake -DFOLDER=experiments -DNAMES=a,b -DHEADER=x/embedded.hpp -DNAMESPACE=fearnet -DFUNCTION=embedded_x -DOUT=file.cpp
#       -P embed_files.cmake
# Puts FOLDER/a.json, FOLDER/b.json, ... into a source file that defines NAMESPACE::FUNCTION, declared in HEADER.
# String literals are cut into lines: compilers limit how long one may be.
string(REPLACE "," ";" names "${NAMES}")
set(entries "")
foreach(name ${names})
  file(READ ${FOLDER}/${name}.json text)
  string(REPLACE "\n" ")fearnet\"\n     R\"fearnet(\n" text "${text}")
  string(APPEND entries "    {\"${name}\",\n     R\"fearnet(${text})fearnet\"},\n")
endforeach()
file(WRITE ${OUT} "// Written by cmake/embed_files.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

const std::vector<EmbeddedFile>& ${FUNCTION}() {
  static const std::vector<EmbeddedFile> kFiles = {
${entries}  };
  return kFiles;
}

}  // namespace ${NAMESPACE}
")
