#include "data/table/input_list.hpp"

#include <algorithm>

namespace fearnet {
namespace {

namespace fs = std::filesystem;

bool is_hidden(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.starts_with('.') || name == "Thumbs.db" || name == "desktop.ini" || name == "__MACOSX";
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
    std::vector<fs::directory_entry> entries;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (!is_hidden(entry.path())) entries.push_back(entry);
    std::sort(entries.begin(), entries.end());
    return entries;
}

bool is_folder(const fs::directory_entry& entry) {
    std::error_code error;
    return !entry.is_symlink(error) && entry.is_directory(error);
}

bool is_inside(const fs::path& path, const fs::path& folder) {
    const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end();
}

class Lister {
  public:
    Lister(const fs::path& folder, bool labels) : root_(fs::canonical(folder)), labels_(labels) {}

    void add_split(const fs::path& folder, bool is_test) {
        const std::size_t before = list.inputs.size();
        add_classes(folder);
        list.is_test.insert(list.is_test.end(), list.inputs.size() - before, is_test);
    }
    void add_classes(const fs::path& folder) {
        const std::vector<fs::directory_entry> entries = entries_of(folder);
        if (!labels_ || std::none_of(entries.begin(), entries.end(), is_folder)) {
            for (const fs::directory_entry& entry : entries) add(entry, "");
            return;
        }
        for (const fs::directory_entry& entry : entries) {
            if (is_folder(entry))
                for (const fs::directory_entry& file : entries_of(entry))
                    add(file, entry.path().filename().string());
            else
                skip(entry, "not in the folder of a class");
        }
    }

    InputList list;

  private:
    // A file, or all files below a folder.
    void add(const fs::directory_entry& entry, const std::string& label) {
        if (is_folder(entry)) {
            for (const fs::directory_entry& file : entries_of(entry)) add(file, label);
            return;
        }
        std::error_code error;
        if (entry.is_symlink(error)) {
            const fs::path target = fs::canonical(entry.path(), error);
            if (error) return skip(entry, "a link that leads nowhere");
            if (!is_inside(target, root_)) return skip(entry, "a link that leads out of the folder");
        }
        if (!entry.is_regular_file(error)) return skip(entry, "not a regular file");
        list.inputs.push_back({entry.path().string(), {}});
        if (!label.empty()) list.labels.push_back(label);
    }
    void skip(const fs::directory_entry& entry, const std::string& why) {
        list.skipped.push_back({entry.path().string(), why});
    }

    fs::path root_;
    bool labels_;
};

}  // namespace

InputList list_folder(const fs::path& folder, bool labels) {
    Lister lister(folder, labels);
    if (fs::is_directory(folder / "train") && fs::is_directory(folder / "test")) {
        lister.add_split(folder / "train", false);
        lister.add_split(folder / "test", true);
    } else {
        lister.add_classes(folder);
    }
    InputList& list = lister.list;
    if (!list.labels.empty()) list.label_source = "the folders";
    if (!list.labels.empty() && list.labels.size() != list.inputs.size())
        throw Error(folder.string() +
                    ": the folders train and test must both hold one folder per class, or neither");
    return std::move(list);
}

}  // namespace fearnet
