#include "fearnet/onnx.hpp"
#include "fearnet/brain.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <nlohmann/json.hpp>

#include "core/learners/fearnet/fearnet.hpp"
#include "core/learners/fearnet/prefrontal_cortex.hpp"
#include "core/base/protobuf.hpp"
#include "fearnet/registry.hpp"
#include "support/blobs.hpp"
#include "support/data_files.hpp"

namespace fearnet {
namespace {

using test::expect_error;
constexpr std::size_t kWidth = 5;

// A message taken apart again, by field number.
struct Fields {
    std::multimap<std::uint64_t, std::string> texts;
    std::multimap<std::uint64_t, std::int64_t> integers;

    explicit Fields(std::string_view bytes) {
        while (!bytes.empty()) {
            const std::uint64_t tag = varint(bytes), field = tag >> 3;
            if (tag % 8 == 0)
                integers.emplace(field, static_cast<std::int64_t>(varint(bytes)));
            else if (tag % 8 == 2)
                texts.emplace(field, take(bytes, varint(bytes)));
            else
                throw Error("wire type " + std::to_string(tag % 8));
        }
    }
    std::string text(std::uint64_t field) const { return texts.find(field)->second; }
    std::int64_t integer(std::uint64_t field) const { return integers.find(field)->second; }
    std::vector<std::string> all_texts(std::uint64_t field) const { return all(texts, field); }
    std::vector<std::int64_t> all_integers(std::uint64_t field) const { return all(integers, field); }

    static float real(const std::string& four) {
        std::uint32_t bits = 0;
        for (std::size_t i = 4; i-- > 0;) bits = bits << 8 | static_cast<std::uint8_t>(four[i]);
        return std::bit_cast<float>(bits);
    }

  private:
    template <class Map>
    static std::vector<typename Map::mapped_type> all(const Map& map, std::uint64_t field) {
        std::vector<typename Map::mapped_type> found;
        for (auto [it, end] = map.equal_range(field); it != end; ++it) found.push_back(it->second);
        return found;
    }
    static std::uint64_t varint(std::string_view& bytes) {
        std::uint64_t value = 0;
        for (int shift = 0;; shift += 7) {
            const auto byte = static_cast<std::uint8_t>(take(bytes, 1)[0]);
            value |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) return value;
        }
    }
    static std::string take(std::string_view& bytes, std::size_t count) {
        if (count > bytes.size()) throw Error("the message is truncated");
        const std::string taken(bytes.substr(0, count));
        bytes.remove_prefix(count);
        return taken;
    }
};

// Base classes 3 and 5, then 1 asleep and 4 still awake.
FearNet taught() {
    FearNetOptions options;
    options.network.hidden = {4, 3};
    options.training.base_epochs = options.sleep.epochs = options.amygdala.epochs = 2;
    options.training.min_steps = options.sleep.min_steps = 0;
    FearNet learner(options, 1);
    Examples base = test::blobs(3, 2, 10, kWidth, 1);
    for (ClassId& id : base.labels)
        if (id == ClassId{4}) id = ClassId{5};
    learner.learn(base);
    learner.learn(test::blobs(1, 1, 10, kWidth, 2));
    learner.sleep();
    learner.learn(test::blobs(4, 1, 10, kWidth, 3));
    return learner;
}

std::map<std::string, Fields> tensors_of(const Fields& graph) {
    std::map<std::string, Fields> tensors;
    for (const std::string& bytes : graph.all_texts(5)) tensors.emplace(Fields(bytes).text(8), bytes);
    return tensors;
}

std::vector<std::string> operators_of(const Fields& graph) {
    std::vector<std::string> names;
    for (const std::string& node : graph.all_texts(1)) names.push_back(Fields(node).text(4));
    return names;
}

TEST(Protobuf, numbers_are_written_as_its_guide_writes_them) {
    protobuf::Message message;
    message.integer(1, 150);
    message.text(2, "testing");
    EXPECT_EQ(message.bytes(), "\x08\x96\x01\x12\x07testing");
    protobuf::Message negative;
    negative.integer(1, -2);
    EXPECT_EQ(negative.bytes(), "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(Onnx, a_model_says_what_it_is_and_names_its_classes) {
    const Fields model(
        onnx_model(taught(), {.unit_length = false, .class_names = {"a\"b", "c\n", "\xc3\xa9"}}));
    EXPECT_EQ(model.integer(1), 7);
    EXPECT_EQ(model.text(2), "fearnet");
    EXPECT_FALSE(model.text(3).empty());
    EXPECT_EQ(Fields(model.text(8)).integer(2), 12);
    std::map<std::string, std::string> metadata;
    for (const std::string& entry : model.all_texts(14))
        metadata[Fields(entry).text(1)] = Fields(entry).text(2);
    EXPECT_EQ(nlohmann::json::parse(metadata["classes"]), nlohmann::json({"a\"b", "c\n", "\xc3\xa9"}));
    EXPECT_EQ(metadata["recent_classes_left_out"], "1");
}

TEST(Onnx, the_graph_is_the_encoder_and_the_head) {
    const Fields graph(Fields(onnx_model(taught(), {.unit_length = false, .class_names = {}})).text(7));
    EXPECT_EQ(operators_of(graph),
              (std::vector<std::string>{"Gemm", "Elu", "Gemm", "Elu", "Gemm", "Softmax"}));
    const auto shape = [](const std::string& value_info) {
        const Fields tensor(Fields(Fields(value_info).text(2)).text(1));
        const std::vector<std::string> dims = Fields(tensor.text(2)).all_texts(1);
        EXPECT_EQ(tensor.integer(1), 1);
        EXPECT_EQ(dims.size(), 2u);
        EXPECT_EQ(Fields(dims[0]).text(2), "batch");
        return Fields(value_info).text(1) + " " + std::to_string(Fields(dims[1]).integer(1));
    };
    EXPECT_EQ(shape(graph.text(11)), "features 5");
    EXPECT_EQ(shape(graph.text(12)), "probabilities 3");
}

TEST(Onnx, rows_are_scaled_first_when_asked) {
    const Fields graph(Fields(onnx_model(taught(), {.unit_length = true, .class_names = {}})).text(7));
    const std::vector<std::string> operators = operators_of(graph);
    ASSERT_EQ(operators.size(), 13u);
    EXPECT_EQ(operators[4], "ReduceL2");
    EXPECT_EQ(Fields(graph.all_texts(1)[7]).text(1), "unit_length");
}

TEST(Onnx, the_heads_columns_are_in_the_order_of_the_classes) {
    const FearNet learner = taught();
    EXPECT_EQ(onnx_classes(learner), (std::vector<ClassId>{ClassId{1}, ClassId{3}, ClassId{5}}));
    const PrefrontalCortex cortex = PrefrontalCortex::load(learner.save());
    ASSERT_EQ(cortex.classes(), (std::vector<ClassId>{ClassId{3}, ClassId{5}, ClassId{1}}));
    const auto tensors = tensors_of(Fields(Fields(onnx_model(learner)).text(7)));
    const Fields& weight = tensors.at("scores_weight");
    EXPECT_EQ(weight.all_integers(1), (std::vector<std::int64_t>{3, 3}));
    const Fields& bias = tensors.at("scores_bias");
    EXPECT_EQ(bias.all_integers(1), (std::vector<std::int64_t>{3}));
    const std::size_t columns[] = {2, 0, 1};
    for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_EQ(Fields::real(bias.text(9).substr(4 * j, 4)), cortex.network().head.bias(0, columns[j]));
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_EQ(Fields::real(weight.text(9).substr(4 * (3 * j + i), 4)),
                      cortex.network().head.weight(i, columns[j]));
    }
    const Fields& first = tensors.at("layer0_weight");
    EXPECT_EQ(first.all_integers(1), (std::vector<std::int64_t>{4, 5}));
    EXPECT_EQ(first.text(9).size(), 80u);
    EXPECT_EQ(Fields::real(first.text(9).substr(4 * (1 * 5 + 2), 4)),
              cortex.network().encoder[0].weight(2, 1));
}

// Rows times the transposed weight of the last Gemm: what the model does with the columns of the Softmax.
void expect_sums(const Learner& learner, const std::vector<std::string>& names,
                 const std::vector<std::string>& outputs) {
    const Fields model(onnx_model(learner, {.unit_length = false, .class_names = names}));
    const Fields graph(model.text(7));
    const std::vector<std::string> operators = operators_of(graph);
    ASSERT_GE(operators.size(), 2u);
    EXPECT_EQ(operators[operators.size() - 2], "Softmax");
    EXPECT_EQ(operators.back(), "Gemm");
    const Fields last(graph.all_texts(1).back());
    EXPECT_EQ(last.all_texts(1),
              (std::vector<std::string>{"class_probabilities", "merged_weight", "merged_bias"}));
    EXPECT_EQ(last.text(2), "probabilities");
    const auto tensors = tensors_of(graph);
    const Fields& weight = tensors.at("merged_weight");
    EXPECT_EQ(weight.all_integers(1), (std::vector<std::int64_t>{static_cast<std::int64_t>(outputs.size()),
                                                                 static_cast<std::int64_t>(names.size())}));
    for (std::size_t i = 0; i < outputs.size(); ++i)
        for (std::size_t j = 0; j < names.size(); ++j)
            EXPECT_EQ(Fields::real(weight.text(9).substr(4 * (i * names.size() + j), 4)),
                      outputs[i] == names[j] ? 1.0f : 0.0f);
    EXPECT_EQ(tensors.at("merged_bias").text(9), std::string(4 * outputs.size(), '\0'));
    const std::vector<std::string> dims =
        Fields(Fields(Fields(Fields(graph.text(12)).text(2)).text(1)).text(2)).all_texts(1);
    EXPECT_EQ(Fields(dims[1]).integer(1), static_cast<std::int64_t>(outputs.size()));
    for (const std::string& entry : model.all_texts(14))
        if (Fields(entry).text(1) == "classes") {
            EXPECT_EQ(nlohmann::json::parse(Fields(entry).text(2)), nlohmann::json(outputs));
        }
}

TEST(Onnx, classes_of_one_name_are_one_output_the_sum_of_theirs) {
    expect_sums(taught(), {"a", "b", "a"}, {"a", "b"});
    const auto plus = make_learner({"fearnet-plus", "", {}, 1});
    plus->learn(test::blobs(0, 4, 10, kWidth, 1));
    expect_sums(*plus, {"d", "b", "b", "d"}, {"d", "b"});
}

TEST(Onnx, a_brains_model_has_one_output_per_name) {
    const test::TempFolder folder;
    Brain brain(folder / "a.brain", create_new());
    const Examples base = test::blobs(0, 4, 10, kWidth, 1);
    std::vector<std::string> names;
    for (const ClassId id : base.labels) names.push_back("class " + std::to_string(index_of(id)));
    brain.learn(base.x, names);
    brain.merge("class 2", "class 0");
    EXPECT_EQ(export_onnx(brain, folder / "m.onnx"), std::vector<std::string>{});
    const std::string bytes(io::as_text(io::read_file(folder / "m.onnx")));
    EXPECT_EQ(bytes, onnx_model(brain).bytes);
    EXPECT_NE(bytes.find(R"(["class 0", "class 1", "class 3"])"), std::string::npos);
}

TEST(Onnx, refuses_what_cannot_be_exported_and_says_why) {
    expect_error([] { onnx_model(FearNet()); }, {"0 consolidated classes"});
    expect_error([] { onnx_model(*make_learner({"ridge", "", {}, 1})); }, {"'ridge'", "fearnet"});
    expect_error(
        [] {
            onnx_model(taught(), {.class_names = {"a", "b"}});
        },
        {"2 class names but 3", "1 recent classes are not included"});
}

TEST(Onnx, a_file_holds_the_model_and_a_failed_export_leaves_it) {
    const test::TempFolder folder;
    const FearNet learner = taught();
    export_onnx(learner, {}, folder / "m.onnx");
    EXPECT_EQ(io::as_text(io::read_file(folder / "m.onnx")), onnx_model(learner));
    expect_error([&] { export_onnx(learner, {.class_names = {"a"}}, folder / "m.onnx"); }, {"1 class names"});
    EXPECT_EQ(io::as_text(io::read_file(folder / "m.onnx")), onnx_model(learner));
}

}  // namespace
}  // namespace fearnet
