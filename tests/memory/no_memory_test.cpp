// Memory that runs out, inside a parallel loop or elsewhere: the C API says so, and the brain is as it was.
//
// This program's operator new and aligned_alloc fail when they are told to. SQLite and oneDNN have their own.
#include <fearnet_c.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "core/base/parallel.hpp"
#include "fearnet/threads.hpp"
#include "support/brains.hpp"

namespace {

std::atomic<long> allocations{0};       // since it was last set
std::atomic<long> failing{-1};          // the number of the one that fails; -1: none
std::atomic<bool> armed{false};         // during calls of the C API
std::atomic<bool> only_in_loops{true};  // those outside of parallel loops are not counted

bool fails() {
    if (!armed || failing < 0 || (only_in_loops && !fearnet::inside_parallel_task())) return false;
    return allocations++ == failing;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
    void* p = fails() ? nullptr : std::malloc(size > 0 ? size : 1);
    if (p == nullptr) throw std::bad_alloc();
    return p;
}
[[gnu::noinline]] void* operator new[](std::size_t size) {
    return operator new(size);
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete[](void* p) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept {
    std::free(p);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
    void* p = nullptr;
    return fails() || posix_memalign(&p, alignment, size) != 0 ? nullptr : p;
}

namespace fearnet {
namespace {

constexpr std::size_t kWidth = 160;

class NoMemory : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        only_in_loops = true;
        set_threads(2);
        std::vector<std::string> texts{std::string("learner=") + GetParam()};
        if (GetParam() == std::string("fearnet"))
            for (const auto& [name, value] : test::quick_brain().learner.settings)
                texts.push_back(name + "=" + value);
        std::vector<const char*> options;
        for (const std::string& text : texts) options.push_back(text.c_str());
        ASSERT_EQ(fearnet_create(file_.c_str(), options.data(), options.size(), &brain_), FEARNET_OK)
            << fearnet_last_error();
        ASSERT_EQ(learn(0, 4), FEARNET_OK) << fearnet_last_error();
        ASSERT_EQ(learn(4, 1), FEARNET_OK) << fearnet_last_error();
    }
    void TearDown() override { fearnet_close(brain_); }

    template <class Work>
    static fearnet_status call(const Work& work) {
        armed = true;
        const fearnet_status status = work();
        armed = false;
        return status;
    }
    fearnet_status sleep() {
        return call([&] { return fearnet_sleep(brain_, 0, 0, nullptr, nullptr, nullptr); });
    }
    fearnet_status learn(std::int32_t first, std::size_t classes) {
        const Examples e = test::blobs(first, classes, 60, kWidth, 1);
        const std::vector<std::string> names = test::names_of(e);
        std::vector<const char*> labels;
        for (const std::string& name : names) labels.push_back(name.c_str());
        return call([&] {
            return fearnet_learn(brain_, e.x.data(), e.x.rows(), e.x.cols(), labels.data(), labels.size(),
                                 nullptr, nullptr, nullptr);
        });
    }
    std::vector<float> answers() {
        const Examples probe = test::blobs(0, 5, 3, kWidth, 9);
        std::vector<fearnet_ranked> found(probe.x.rows());
        EXPECT_EQ(fearnet_predict(brain_, probe.x.data(), probe.x.rows(), kWidth, found.data(), 1),
                  FEARNET_OK);
        std::vector<float> probabilities;
        for (const fearnet_ranked& a : found) probabilities.push_back(static_cast<float>(a.probability));
        return probabilities;
    }

    // Lets every allocation of `work` fail once; some of them when there are many. Then `work` goes through.
    template <class Work>
    void expect_no_harm(const Work& work) {
        constexpr long kMax = 40;
        const std::string bytes = test::read_bytes(file_);
        const std::vector<float> before = answers();
        long failed = 0;
        for (long k = 0, step = 1;; k += step) {
            allocations = 0, failing = k;
            const fearnet_status status = work();
            failing = -1;
            if (status == FEARNET_OK) {  // none failed, or one that only makes the file smaller
                EXPECT_NE(test::read_bytes(file_), bytes);
                break;
            }
            ASSERT_EQ(status, FEARNET_NO_MEMORY) << fearnet_last_error() << ", allocation " << k;
            ASSERT_EQ(test::read_bytes(file_), bytes) << k;
            ASSERT_EQ(answers(), before) << k;
            if (++failed >= kMax) step *= 2;
        }
        EXPECT_GT(failed, 0) << "nothing is shown";
    }

    const test::Folder folder_;
    const std::string file_ = (folder_ / "a.brain").string();
    fearnet_brain* brain_ = nullptr;
};

using NoMemoryInLoops = NoMemory;

TEST_P(NoMemoryInLoops, of_learn_leaves_the_brain_unchanged) {
    expect_no_harm([&] { return learn(5, 1); });
}

TEST_P(NoMemoryInLoops, of_sleep_leaves_the_brain_unchanged) {
    expect_no_harm([&] { return sleep(); });
}

TEST_P(NoMemory, anywhere_in_learn_leaves_the_brain_unchanged) {
    only_in_loops = false;
    expect_no_harm([&] { return learn(5, 1); });
}

TEST_P(NoMemory, anywhere_in_sleep_leaves_the_brain_unchanged) {
    only_in_loops = false;
    expect_no_harm([&] { return sleep(); });
}

// Adding a class to a FearNet plus, or letting it sleep, allocates nothing inside a parallel loop.
INSTANTIATE_TEST_SUITE_P(Every, NoMemoryInLoops, testing::Values("fearnet"),
                         [](const auto&) { return "fearnet"; });
INSTANTIATE_TEST_SUITE_P(Every, NoMemory, testing::Values("fearnet", "fearnet-plus"),
                         [](const auto& subject) {
                             return std::string(subject.param) == "fearnet" ? "fearnet" : "plus";
                         });

}  // namespace
}  // namespace fearnet
