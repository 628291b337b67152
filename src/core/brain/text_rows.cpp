#include "core/brain/text_features.hpp"
#include "fearnet/brain.hpp"

namespace fearnet {

std::size_t text_width() {
    return kTextFeatures;
}

Matrix text_rows(const std::vector<std::string>& texts) {
    Matrix x(texts.size(), kTextFeatures);
    for (std::size_t i = 0; i < texts.size(); ++i) text_features(texts[i], {x.row(i), x.cols()});
    return x;
}

}  // namespace fearnet
