// Which photographs, sounds and texts a folder or a list stands for.
#include "data/table/input_list.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/data_files.hpp"

namespace fearnet {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class InputListTest : public testing::Test {
  protected:
    std::string file(const std::string& name, const std::string& text = "x") {
        fs::create_directories((folder_ / name).parent_path());
        return folder_.write(name, text);
    }
    // The names of the inputs inside the folder.
    Texts names(const InputList& list) const {
        Texts result;
        for (const EmbedderInput& input : list.inputs)
            result.push_back(fs::path(input.name).lexically_relative(folder_.path()).string());
        return result;
    }
    std::string error_of(const std::string& path) {
        try {
            read_input_list(path, true, 1'000'000);
        } catch (const Error& e) {
            return e.what();
        }
        return "";
    }

    test::TempFolder folder_;
};

TEST_F(InputListTest, a_folder_of_folders_names_the_classes) {
    for (const char* name : {"pets/dog/2.jpg", "pets/cat/b/1.jpg", "pets/cat/a.jpg", "pets/dog/10.jpg"})
        file(name);
    const InputList list = list_folder(folder_ / "pets", true);
    EXPECT_EQ(names(list),
              (Texts{"pets/cat/a.jpg", "pets/cat/b/1.jpg", "pets/dog/10.jpg", "pets/dog/2.jpg"}));
    EXPECT_EQ(list.labels, (Texts{"cat", "cat", "dog", "dog"}));
    EXPECT_EQ(list.label_source, "the folders");
    EXPECT_TRUE(list.is_test.empty());
    EXPECT_TRUE(list.skipped.empty());
}

TEST_F(InputListTest, folders_called_train_and_test_are_a_split) {
    for (const char* name : {"pets/train/cat/1.jpg", "pets/train/dog/2.jpg", "pets/test/cat/3.jpg"})
        file(name);
    const InputList list = list_folder(folder_ / "pets", true);
    EXPECT_EQ(list.labels, (Texts{"cat", "dog", "cat"}));
    EXPECT_EQ(list.is_test, (std::vector<bool>{false, false, true}));
    file("half/train/cat/1.jpg"), file("half/test/2.jpg");
    EXPECT_THROW(list_folder(folder_ / "half", true), Error);
}

TEST_F(InputListTest, without_labels_every_file_counts) {
    for (const char* name : {"new/1.jpg", "new/more/2.jpg"}) file(name);
    EXPECT_EQ(names(list_folder(folder_ / "new", false)), (Texts{"new/1.jpg", "new/more/2.jpg"}));
    const InputList labeled = list_folder(folder_ / "new", true);
    EXPECT_EQ(names(labeled), Texts{"new/more/2.jpg"});
    ASSERT_EQ(labeled.skipped.size(), 1u);
    EXPECT_NE(labeled.skipped[0].reason.find("class"), std::string::npos);
}

TEST_F(InputListTest, hidden_files_are_passed_over_and_what_is_no_file_is_named) {
    for (const char* name :
         {"pets/cat/1.jpg", "pets/cat/.DS_Store", "pets/.git/config", "pets/cat/Thumbs.db"})
        file(name);
    ASSERT_EQ(::mkfifo((folder_ / "pets/cat/pipe.jpg").c_str(), 0600), 0);
    const InputList list = list_folder(folder_ / "pets", true);
    EXPECT_EQ(names(list), Texts{"pets/cat/1.jpg"});
    ASSERT_EQ(list.skipped.size(), 1u);
    EXPECT_NE(list.skipped[0].name.find("pipe.jpg"), std::string::npos);
}

TEST_F(InputListTest, links_are_followed_inside_the_folder_only) {
    const std::string secret = file("secret.jpg"), first = file("pets/cat/1.jpg");
    fs::create_symlink(secret, folder_ / "pets/cat/out.jpg");
    fs::create_symlink("1.jpg", folder_ / "pets/cat/in.jpg");
    fs::create_symlink(folder_ / "nowhere", folder_ / "pets/cat/lost.jpg");
    fs::create_directory_symlink(folder_.path(), folder_ / "pets/cat/loop");
    const InputList list = list_folder(folder_ / "pets", true);
    EXPECT_EQ(names(list), (Texts{"pets/cat/1.jpg", "pets/cat/in.jpg"}));
    EXPECT_EQ(list.skipped.size(), 3u);
}

TEST_F(InputListTest, lists_may_be_csv_tsv_and_json_lines) {
    const Texts lists{file("a.csv", "path,label\ncat/1.jpg,cat\n\"a, b.jpg\",dog\n"),
                      file("b.tsv", "Label\tPath\tnote\ncat\tcat/1.jpg\tx\ndog\ta, b.jpg\ty\n"),
                      file("c.jsonl",
                           "{\"path\": \"cat/1.jpg\", \"label\": \"cat\"}\n\n"
                           "{\"label\": \"dog\", \"path\": \"a, b.jpg\", \"size\": 3}")};
    for (const std::string& path : lists) {
        ASSERT_TRUE(is_input_list(path)) << path;
        const InputList list = read_input_list(path, true, 1'000'000);
        EXPECT_EQ(names(list), (Texts{"cat/1.jpg", "a, b.jpg"})) << path;
        EXPECT_EQ(list.labels, (Texts{"cat", "dog"})) << path;
        EXPECT_TRUE(read_input_list(path, false, 1'000'000).labels.empty());
    }
    EXPECT_FALSE(is_input_list(file("rows.csv", "a,b,label\n1,2,x\n")));
    EXPECT_FALSE(is_input_list(file("rows.npy", "")));
}

TEST_F(InputListTest, a_list_may_hold_texts_and_a_split) {
    const InputList list =
        read_input_list(file("t.csv", "text,label,split\nwhere is my card,card,train\nhello,greeting,test\n"),
                        true, 1'000'000);
    ASSERT_EQ(list.inputs.size(), 2u);
    EXPECT_EQ(list.inputs[0].text, "where is my card");
    EXPECT_NE(list.inputs[1].name.find("t.csv:3"), std::string::npos) << list.inputs[1].name;
    EXPECT_EQ(list.is_test, (std::vector<bool>{false, true}));
    EXPECT_EQ(kind_of(list.inputs), InputKind::text);
}

TEST_F(InputListTest, a_wrong_line_is_named) {
    const auto told = [&](const std::string& name, const std::string& text, const char* what) {
        const std::string error = error_of(file(name, text));
        EXPECT_NE(error.find(what), std::string::npos) << error;
        EXPECT_NE(error.find(name), std::string::npos) << error;
    };
    told("a.csv", "path,label\na.jpg,cat\nb.jpg\n", "line 3");
    told("b.csv", "path,label\na.jpg,cat\n,dog\n", "line 3");
    told("c.csv", "path,label\na.jpg,cat\nb.jpg,\n", "line 3");
    told("d.csv", "path,split\na.jpg,train\nb.jpg,Test\n", "train or test");
    told("e.jsonl", "{\"path\": \"a.jpg\"}\n[1]\n", "line 2");
    told("f.jsonl", "{\"path\": 3}\n", "line 1");
    told("g.jsonl", "\n", "no input");
    told("h.csv", "path,label\n", "no input");
}

}  // namespace
}  // namespace fearnet
