# cmake -DFOLDER=apps/server/web -DNAMES=index.html,style.css -DOUT=assets.cpp -P embed_assets.cmake
# Puts files into a source file that defines fearnet::server::assets(). String literals are cut into lines: compilers limit
# how long one may be.
string(REPLACE "," ";" names "${NAMES}")
set(entries "")
foreach(name ${names})
  file(READ ${FOLDER}/${name} text)
  string(REPLACE "\n" ")fearnet\"\n     R\"fearnet(\n" text "${text}")
  string(APPEND entries "    {\"${name}\",\n     R\"fearnet(${text})fearnet\"},\n")
endforeach()
file(WRITE ${OUT} "// Written by cmake/embed_assets.cmake.
#include \"server/web/assets.hpp\"

namespace fearnet::server {

const std::vector<Asset>& assets() {
  static const std::vector<Asset> kAssets = {
${entries}  };
  return kAssets;
}

}  // namespace fearnet::server
")
