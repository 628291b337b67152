#include "data/frontends/models/catalog.hpp"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "data/frontends/models/embedded.hpp"

namespace fearnet {
namespace {

std::vector<ModelDescription> read_catalog() {
    std::vector<ModelDescription> all;
    for (const EmbeddedFile& file : embedded_models())
        all.push_back(parse_model_description(file.text, "models/" + std::string(file.name) + ".json"));
    std::sort(all.begin(), all.end(), [](const ModelDescription& a, const ModelDescription& b) {
        return std::tuple(a.kind, !a.is_default, a.name) < std::tuple(b.kind, !b.is_default, b.name);
    });
    return all;
}

}  // namespace

std::span<const ModelDescription> model_catalog() {
    static const std::vector<ModelDescription> kCatalog = read_catalog();
    return kCatalog;
}

const ModelDescription* find_model(const std::string& name_or_kind) {
    for (const ModelDescription& model : model_catalog())
        if (model.name == name_or_kind || (model.is_default && name_of(model.kind) == name_or_kind))
            return &model;
    return nullptr;
}

const ModelDescription& runtime_description() {
    const ModelDescription* found = find_model(std::string(name_of(ModelKind::runtime)));
    assert(found != nullptr);
    return *found;
}

}  // namespace fearnet
