// The contract, run against every learner of the library.
#include "contract/learner_contract.hpp"

namespace fearnet::contract {
namespace {

LearnerSpec quick(const std::string& learner, std::vector<std::pair<std::string, std::string>> more = {}) {
    LearnerSpec spec;
    spec.learner = learner;
    spec.settings = {
        {"network.hidden", "32,16"},          {"training.batch", "32"},    {"training.base_epochs", "60"},
        {"training.offline_epochs", "60"},    {"sleep.epochs", "40"},      {"amygdala.epochs", "20"},
        {"statistics.refresh_samples", "60"}, {"training.min_steps", "0"}, {"sleep.min_steps", "0"}};
    for (auto& m : more) spec.settings.push_back(std::move(m));
    return spec;
}

// A learner with options of its own.
LearnerSpec with(const std::string& learner, std::vector<std::pair<std::string, std::string>> settings = {}) {
    LearnerSpec spec;
    spec.learner = learner;
    spec.settings = std::move(settings);
    return spec;
}

LearnerSpec quick_geppnet(const std::string& learner) {
    return with(learner, {{"map.side", "8"},
                          {"map.base_iterations", "1000"},
                          {"readout.base_iterations", "1000"},
                          {"incremental.iterations", "1000"}});
}

std::vector<Subject> subjects() {
    LearnerSpec literal =
        quick("fearnet", {{"network.code_layer", "true"}, {"training.base_decoder_rate", "1"}});
    literal.preset = "literal";
    return {
        {"fearnet", quick("fearnet"), true, true},
        {"fearnet_literal", literal, true, true},
        {"fearnet_diagonal", quick("fearnet", {{"statistics.covariance", "diagonal"}}), true, true},
        {"fearnet_isolation_forest", quick("fearnet", {{"amygdala.kind", "isolation-forest"}}), true, true},
        {"fearnet_elliptic_envelope", quick("fearnet", {{"amygdala.kind", "elliptic-envelope"}}), true, true},
        {"fearnet_one_class_svm",
         quick("fearnet", {{"amygdala.kind", "one-class-svm"}, {"amygdala.nu", "0.1"}}), true, true},
        {"fearnet_plus", with("fearnet-plus"), true, true},
        {"fearnet_plus_set",
         with("fearnet-plus",
              {{"features.transform", "sqrt"}, {"readout.ridge", "0.1"}, {"covariance.strength", "0.5"}}),
         true, true},
        {"fearnet_plus_random",
         with("fearnet-plus", {{"features.transform", "random"}, {"features.random", "40"}}), true, true},
        {"nearest_neighbor", with("nearest-neighbor")},
        {"nearest_mean", with("nearest-mean")},
        {"nearest_mean_unit_length", with("nearest-mean", {{"mean.unit_length", "true"}})},
        {"streaming_lda", with("streaming-lda")},
        {"streaming_lda_sqrt", with("streaming-lda", {{"lda.transform", "sqrt"}, {"lda.shrinkage", "1"}})},
        {"fourier_lda", with("fourier-lda", {{"fourier.size", "200"}})},
        {"ridge", with("ridge")},
        {"ridge_without_intercept", with("ridge", {{"ridge.intercept", "false"}, {"ridge.lambda", "0.1"}})},
        {"ranpac", with("ranpac", {{"ranpac.size", "200"}})},
        {"fecam", with("fecam")},
        {"fecam_low_rank", with("fecam", {{"fecam.max_rank", "4"}, {"fecam.correlation", "false"}})},
        {"fecam_calibrated", with("fecam", {{"fecam.neighbors", "2"}})},
        {"lr_rgda", with("lr-rgda")},
        {"lr_rgda_set",
         with("lr-rgda", {{"rgda.class", "0.3"}, {"rgda.identity", "0.1"}, {"rgda.rank", "3"}})},
        {"anacp", with("anacp", {{"anacp.size", "80"}, {"anacp.heads", "2"}, {"anacp.pseudo_rows", "20"}})},
        {"icarl", with("icarl", {{"icarl.hidden", "32,16"},
                                 {"icarl.batch", "32"},
                                 {"icarl.base_min_steps", "0"},
                                 {"icarl.epochs", "15"},
                                 {"icarl.exemplars", "10"}})},
        {"icarl_labels", with("icarl", {{"icarl.hidden", "32,16"},
                                        {"icarl.batch", "32"},
                                        {"icarl.base_min_steps", "0"},
                                        {"icarl.epochs", "15"},
                                        {"icarl.distill", "false"}})},
        {"fel",
         with("fel",
              {{"fel.hidden", "64"}, {"fel.max_classes", "8"}, {"fel.rate", "0.05"}, {"fel.epochs", "3"}})},
        {"geppnet", quick_geppnet("geppnet")},
        {"geppnet_stm", quick_geppnet("geppnet-stm"), true, false, true},
        {"offline_mlp", quick("offline-mlp"), false}};
}

INSTANTIATE_TEST_SUITE_P(Every, LearnerContract, testing::ValuesIn(subjects()), name_of_subject);

}  // namespace
}  // namespace fearnet::contract
