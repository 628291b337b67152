#include "research/run_arguments.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "fearnet/error.hpp"
#include "fearnet/registry.hpp"

namespace fearnet::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSeeds = 1000;
constexpr std::int64_t kMaxThreads = 1024;

[[noreturn]] void refuse_directory(const fs::path& directory, int error) {
    throw Error(fmt::format("--out '{}': cannot write there ({})", directory.string(),
                            std::generic_category().message(error)));
}

template <class Number>
bool read_number(std::string_view text, Number& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

// "sleep_every" -> "--sleep-every"
std::string flag_of(std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
}

Protocol parse_protocol(const std::map<std::string, std::string>& typed) {
    Protocol protocol;
    for (const OptionText& o : list_options(protocol)) {
        const std::string& text = typed.at(o.name);
        try {
            o.parse(text);
        } catch (const Error&) {
            throw Error(fmt::format("{} '{}': must be {}", flag_of(o.name), text, o.allowed));
        }
    }
    check_protocol(protocol);
    return protocol;
}

}  // namespace

std::vector<std::uint64_t> parse_seeds(const std::string& text, const char* flag) {
    std::vector<std::uint64_t> seeds;
    for (std::string_view rest = text;;) {
        const std::string_view word = rest.substr(0, rest.find(','));
        std::uint64_t seed = 0;
        if (!read_number(word, seed))
            throw Error(
                fmt::format("{} '{}': '{}' is not a whole number from 0 to 2^64 - 1", flag, text, word));
        if (std::find(seeds.begin(), seeds.end(), seed) != seeds.end())
            throw Error(fmt::format("{} '{}': {} is given twice", flag, text, seed));
        seeds.push_back(seed);
        if (seeds.size() > kMaxSeeds) throw Error(fmt::format("{}: more than {} seeds", flag, kMaxSeeds));
        if (word.size() == rest.size()) return seeds;
        rest.remove_prefix(word.size() + 1);
    }
}

std::int64_t parse_count(const char* flag, const std::string& text, std::int64_t low, std::int64_t high) {
    std::int64_t value = 0;
    if (!read_number(text, value) || value < low || value > high)
        throw Error(fmt::format("{} '{}': must be a whole number from {} to {}", flag, text, low, high));
    return value;
}

std::optional<int> parse_threads(const std::string& text) {
    if (text == "all") return std::nullopt;
    return static_cast<int>(parse_count("--threads", text, 1, kMaxThreads));
}

void recover_data(RunArguments& arguments) {
    const auto bare = [](const std::string& s) { return s.find('=') == std::string::npos; };
    auto& settings = arguments.settings;
    const auto it = std::find_if(settings.begin(), settings.end(), bare);
    if (!arguments.data.empty() || it == settings.end()) return;
    arguments.data = *it;
    settings.erase(it);
}

void add_protocol_options(Command& command, std::map<std::string, std::string>& typed,
                          const std::string& without) {
    Protocol defaults;
    for (const OptionText& o : list_options(defaults)) {
        std::string& text = typed[o.name] = o.value;
        if (o.name == without) continue;
        if (o.value == "false")
            command.flag(
                flag_of(o.name), [&text] { text = "true"; }, o.help);
        else
            command.option(flag_of(o.name), text, o.help).value_name("N").show_default();
    }
}

RunOptions check_arguments(const RunArguments& arguments, const char* command) {
    if (arguments.data.empty())
        throw Error(fmt::format(
            "DATA is missing: give a file or a built-in data set; see 'fearnet {} --help'", command));

    RunOptions options;
    parse_threads(arguments.threads);
    options.protocol = parse_protocol(arguments.protocol);
    options.learner.learner = arguments.learner;
    options.learner.preset = arguments.preset;
    for (const std::string& setting : arguments.settings) {
        options.learner.settings.push_back(split_assignment(setting));
        const auto& name = options.learner.settings.back().first;
        const auto same = [&](const auto& s) { return s.first == name; };
        if (std::count_if(options.learner.settings.begin(), options.learner.settings.end(), same) > 1)
            throw Error(fmt::format("--set {}: given twice", name));
    }
    if (!arguments.far_data.empty() && !options.protocol.open_world)
        throw Error("--far-data: is measured only with --open-world");
    if (arguments.out) check_can_write(*arguments.out);
    return options;
}

void check_can_write(const fs::path& directory) {
    if (directory.empty()) refuse_directory(directory, ENOENT);
    std::error_code error;
    fs::path there = fs::absolute(directory, error).lexically_normal();
    fs::file_status status = fs::status(there, error);
    while (status.type() == fs::file_type::not_found && there.has_relative_path()) {
        there = there.parent_path();
        status = fs::status(there, error);
    }
    if (status.type() == fs::file_type::none) refuse_directory(directory, error.value());
    if (status.type() != fs::file_type::directory) refuse_directory(directory, ENOTDIR);
    if (::access(there.c_str(), W_OK | X_OK) != 0) refuse_directory(directory, errno);
}

OutputDirectory::OutputDirectory(const fs::path& directory) : path_(directory) {
    std::error_code error;
    std::vector<fs::path> missing;
    fs::path at = fs::absolute(directory, error).lexically_normal();
    if (!at.has_filename()) at = at.parent_path();
    for (; !fs::exists(at, error) && at.has_relative_path(); at = at.parent_path()) missing.push_back(at);
    for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
        if (!fs::create_directory(*it, error) && error) {
            remove_empty();
            refuse_directory(directory, error.value());
        }
        made_.push_back(*it);
    }
    // Permissions do not say everything (read-only file systems, quotas): only trying does.
    std::string probe = (path_ / ".fearnet-XXXXXX").string();
    const int file = ::mkstemp(probe.data());
    if (file < 0) {
        const int why = errno;
        remove_empty();
        refuse_directory(directory, why);
    }
    ::close(file);
    ::unlink(probe.c_str());
}

OutputDirectory::~OutputDirectory() {
    remove_empty();
}

void OutputDirectory::remove_empty() noexcept {
    std::error_code ignored;
    for (auto it = made_.rbegin(); it != made_.rend(); ++it)
        if (!fs::remove(*it, ignored)) return;  // removes a directory only when it is empty
}

}  // namespace fearnet::cli
