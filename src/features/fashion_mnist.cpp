#include "features/fashion_mnist.hpp"

#include <unistd.h>

#include "features/builtin.hpp"
#include "features/command.hpp"
#include "features/load_files.hpp"

namespace fearnet {
namespace {

const std::vector<std::string> kNames = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                         "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

// Empty when the package is there now, else why it is not.
std::string install(const LoadOptions& options) {
    std::vector<std::string> command = {"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install",
                                        "-y",  "dataset-fashion-mnist"};
    if (::geteuid() != 0) {
        if (!run_command({"sudo", "-n", "true"}).succeeded()) return "installing needs root";
        command.insert(command.begin(), {"sudo", "-n"});
    }
    say(options, "fashion-mnist: installing the package dataset-fashion-mnist with apt-get ...");
    const CommandResult result = run_command(command);
    return result.succeeded() ? "" : "apt-get failed: " + last_lines(result.output);
}

}  // namespace

bool fashion_mnist_present(const std::filesystem::path& folder) {
    std::error_code ignored;
    return std::filesystem::is_directory(folder, ignored);
}

FeatureSet load_fashion_mnist(const std::filesystem::path& folder, const LoadOptions& options) {
    if (!fashion_mnist_present(folder)) {
        const std::string failure = options.fetch ? install(options) : "";
        if (!fashion_mnist_present(folder))
            throw Error("fashion-mnist: " + folder.string() +
                        " is missing; install it with 'apt-get install dataset-fashion-mnist'" +
                        (failure.empty() ? "" : " (" + failure + ")"));
    }
    return load_idx_folder(folder, kNames);
}

}  // namespace fearnet
