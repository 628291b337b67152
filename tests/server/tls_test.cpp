// TLS: old versions, plain HTTP and half handshakes are refused, and clients are served meanwhile.
#include "server/served_program.hpp"

namespace fearnet::test {
namespace {

class ServeTls : public ServedBrain {
  protected:
    void SetUp() override {
        if (std::system("command -v openssl curl > /dev/null 2>&1") != 0)
            GTEST_SKIP() << "needs openssl and curl";
        ASSERT_EQ(run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "
                      "/CN=localhost "
                      "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem"),
                  0)
            << said();
        program_ = std::make_unique<ServedProgram>(
            std::vector<std::string>{file().string(), "--cert", (folder_ / "cert.pem").string(), "--key",
                                     (folder_ / "key.pem").string()});
        ASSERT_NE(program_->port(), 0) << program_->said();
    }
    int run(const std::string& command) const {
        return WEXITSTATUS(std::system(
            ("cd '" + folder_.path().string() + "' && " + command + " > said 2>&1 < /dev/null").c_str()));
    }
    std::string said() const { return read_bytes(folder_ / "said"); }
    std::string address() const { return "127.0.0.1:" + std::to_string(program_->port()); }
    // Whether a client with the right certificate is answered.
    bool serves(const std::string& more = "") const {
        return run("curl -sS --max-time 60 --cacert cert.pem " + more + " https://" + address() +
                   "/healthz") == 0 &&
               said().find("\"ok\"") != std::string::npos;
    }

    std::unique_ptr<ServedProgram> program_;
};

TEST_F(ServeTls, a_client_that_knows_the_certificate_is_served_with_version_1_2_or_1_3_and_no_older_one) {
    EXPECT_TRUE(serves()) << said();
    EXPECT_TRUE(serves("--tlsv1.2 --tls-max 1.2")) << said();
    EXPECT_TRUE(serves("--tlsv1.3")) << said();
    EXPECT_FALSE(serves("--tlsv1.0 --tls-max 1.1 --ciphers DEFAULT@SECLEVEL=0"));
    EXPECT_NE(run("curl -sS --max-time 60 https://" + address() + "/healthz"), 0)
        << "the certificate is not known";
}

TEST_F(ServeTls, plain_http_and_rubbish_are_closed_and_others_are_served) {
    HttpConnection half(program_->port()), silent(program_->port());
    half.send(std::string("\x16\x03\x01\x02", 4));
    for (const char* bytes :
         {"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "\x15\x03\x01\x00\x02\x02\x28", "rubbish\n"}) {
        HttpConnection plain(program_->port());
        plain.send(bytes);
        EXPECT_NE(plain.answer().status, 200) << bytes;
    }
    EXPECT_TRUE(serves()) << said();
    program_->kill(SIGTERM);
    EXPECT_EQ(program_->wait(), 0) << program_->said();
}

TEST_F(ServeTls, large_bodies_answers_and_snapshots_arrive_whole) {
    const Matrix rows = blobs(0, 4, 5000, kWidth, 5).x;
    write_bytes(folder_ / "rows.f32", floats(rows.view()));
    const std::string curl = "curl -sS --max-time 100 --cacert cert.pem ",
                      brain = " https://" + address() + kBrain;
    ASSERT_EQ(run(curl + "--data-binary @rows.f32 -H 'Content-Type: application/octet-stream' -o answer" +
                  brain + "/predict"),
              0)
        << said();
    EXPECT_EQ(Json::parse(read_bytes(folder_ / "answer"))["answers"].size(), 20'000u);
    ASSERT_EQ(run(curl + "-o copy.brain" + brain + "/snapshot"), 0) << said();
    EXPECT_EQ(check_brain(folder_ / "copy.brain"), std::vector<std::string>());
    EXPECT_EQ(run(curl + "-N -m 2 -o events" + brain + "/events"), 28)
        << "the stream goes on until curl's time is over";
    EXPECT_NE(read_bytes(folder_ / "events").find("event: state"), std::string::npos);
}

}  // namespace
}  // namespace fearnet::test
