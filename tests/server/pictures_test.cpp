// Photographs as bodies and in forms, and pictures that would fill the memory if their headers were believed.
#include "common/new_brain.hpp"
#include "server/served_brain.hpp"
#include "support/media_files.hpp"
#include "support/tiny_model.hpp"

namespace fearnet::test {
namespace {

class ServerPictures : public ServedBrain {
  protected:
    void SetUp() override {
        SKIP_WITHOUT_ONNX_RUNTIME();
        apps::NewBrain wanted;
        wanted.features = write_tiny_model(folder_ / "models");
        { const Brain made(folder_ / "colors.brain", create_new(apps::brain_options(wanted))); }
        server::ApplicationOptions o;
        o.brains = {folder_ / "colors.brain"};
        start(std::move(o));
    }
    // A picture of one color; `shade` makes it a little different.
    static std::string picture(int red, int green, int shade = 0) {
        Image image{16, 16, {}};
        for (int i = 0; i < 16 * 16; ++i)
            for (const int value : {red, green, 20 + shade + i % 7})
                image.rgb.push_back(static_cast<std::uint8_t>(value));
        return std::string(io::as_text(png_of(image)));
    }
    HttpAnswer ask(const std::string& what, const std::string& body, const char* type) const {
        return server_->ask("POST", "/v1/brains/colors/" + what, body, type);
    }
    void teach() const {
        std::vector<std::pair<std::string, std::string>> parts;
        for (int i = 0; i < 6; ++i) {
            parts.emplace_back("name=\"f\"; filename=\"r.png\"", picture(200, 10, 5 * i));
            parts.emplace_back("name=\"label\"", "red");
            parts.emplace_back("name=\"f\"; filename=\"g.png\"", picture(10, 200, 5 * i));
            parts.emplace_back("name=\"label\"", "green");
        }
        const HttpAnswer taught = ask("learn", form(parts), kForm);
        ASSERT_EQ(taught.status, 200) << taught.body;
        EXPECT_EQ(parsed(taught)["examples"], 12);
    }
    // The header of a PNG announces another size.
    static std::string with_size(std::string png, std::uint32_t width, std::uint32_t height) {
        const std::size_t type = png.find("IHDR");
        png.replace(type + 4, 8, big(width, 4) + big(height, 4));
        const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(png.data() + type), 17);
        return png.replace(type + 17, 4, big(sum, 4));
    }
};

TEST_F(ServerPictures, a_picture_is_a_body_or_a_part_of_a_form) {
    teach();
    EXPECT_EQ(labels_of(ask("predict", picture(190, 20), "image/png")), std::vector<std::string>{"red"});
    const Json told = parsed(ask("predict",
                                 form({{"name=\"a\"; filename=\"<b>\x1b[1m.png\"", picture(20, 190)},
                                       {"name=\"b\"; filename=\"broken.png\"", "\x89PNG\r\n\x1a\nrubbish"}}),
                                 kForm));
    ASSERT_EQ(told["answers"].size(), 1u) << told;
    EXPECT_EQ(told["answers"][0]["label"], "green");
    EXPECT_EQ(told["unreadable"].size(), 1u);
    EXPECT_EQ(told.dump().find('\x1b'), std::string::npos);
}

TEST_F(ServerPictures, a_picture_that_announces_billions_of_pixels_is_refused) {
    teach();
    for (const auto& [width, height] :
         {std::pair{60'000U, 60'000U}, {0x7fffffffU, 0x7fffffffU}, {1U, 0x7fffffffU}})
        expect_problem(ask("predict", with_size(picture(1, 2), width, height), "image/png"), 400,
                       "none can be read");
    EXPECT_EQ(labels_of(ask("predict", picture(190, 20), "image/png")), std::vector<std::string>{"red"});
}

TEST_F(ServerPictures, a_brain_tells_what_it_takes_also_with_a_model_of_its_users) {
    const Json brains = parsed(server_->ask("GET", "/v1/brains"));
    EXPECT_EQ(brains["brains"][0]["input"], "image") << brains;
    std::filesystem::remove_all(folder_ / "models");
    EXPECT_EQ(parsed(server_->ask("GET", "/v1/brains/colors/info"))["input"], "image");
}

TEST_F(ServerPictures, rows_and_texts_are_refused_by_a_brain_of_pictures) {
    teach();
    expect_problem(ask("predict", "hello", "text/plain"), 400);
    expect_problem(ask("predict", "{\"rows\": [[1, 2]]}", kJson), 400, "12");
    expect_problem(ask("predict", "x", "audio/wav"), 400);
}

TEST_F(ServerPictures, a_client_that_goes_away_does_not_teach) {
    teach();
    LongChange long_change(*server_->application().find("colors"));
    const std::string body = picture(100, 100);
    {
        HttpConnection connection(server_->port());
        connection.send(
            "POST /v1/brains/colors/learn?label=gray HTTP/1.1\r\nHost: localhost\r\n"
            "Content-Type: image/png\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body);
        ASSERT_TRUE(wait_until([&] { return server_->http().open_requests() == 1; }));
    }
    EXPECT_TRUE(wait_until([&] { return server_->http().open_requests() == 0; }));
    long_change.release();
    EXPECT_TRUE(wait_until([&] { return server_->application().find("colors")->waiting_changes() == 0; }));
    EXPECT_EQ(parsed(server_->ask("GET", "/v1/brains/colors/info"))["classes"].size(), 2u);
}

}  // namespace
}  // namespace fearnet::test
