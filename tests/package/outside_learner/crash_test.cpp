// Kills a process that teaches a brain, at several moments. The brain then opens, is whole, and knows every
// class that was acknowledged. usage: crash_test FILE
#include <sys/wait.h>
#include <unistd.h>
#include <fearnet/brain.hpp>
#include <fearnet/rng.hpp>

#include <csignal>
#include <cstdio>
#include <string>

#include "outside_mean.hpp"

namespace {

constexpr std::size_t kWidth = 16, kRows = 30;
constexpr int kKills = 12, kAcknowledgedEach = 3;

// Rows of class number `c`, around a center of its own.
std::vector<float> rows_of(int c, std::uint64_t seed) {
    fearnet::Rng center(1000 + static_cast<std::uint64_t>(c)), noise(seed);
    std::vector<double> mean(kWidth);
    for (double& m : mean) m = center.normal();
    std::vector<float> numbers;
    for (std::size_t i = 0; i < kRows * kWidth; ++i)
        numbers.push_back(static_cast<float>(mean[i % kWidth] + 0.1 * noise.normal()));
    return numbers;
}

std::string name_of(int c) {
    return "class " + std::to_string(c);
}

// Teaches class after class, as long as it lives, and writes a byte for each that is on disk.
int teach(const char* file, int acknowledge) {
    fearnet::Brain brain(file, fearnet::create_if_missing(outside::MeanOptions{}));
    for (int c = static_cast<int>(brain.class_names().size());; ++c) {
        brain.learn(fearnet::rows(rows_of(c, 1), kWidth), name_of(c));
        if (::write(acknowledge, "", 1) != 1) return 1;
    }
}

// Lets a child teach some classes, kills it `microseconds` later, and returns how many it acknowledged.
int acknowledged_before_kill(const char* file, unsigned microseconds) {
    int ends[2];
    if (::pipe(ends) != 0) return -1;
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        ::execl("/proc/self/exe", "teach", file, std::to_string(ends[1]).c_str(), nullptr);
        ::_exit(127);
    }
    ::close(ends[1]);
    int count = 0;
    char byte = 0;
    while (count < kAcknowledgedEach && ::read(ends[0], &byte, 1) == 1) ++count;
    ::usleep(microseconds);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    while (::read(ends[0], &byte, 1) == 1) ++count;
    ::close(ends[0]);
    return WIFSIGNALED(status) ? count : -1;
}

}  // namespace

int main(int argc, char** argv) {
    outside::register_mean();
    if (argc == 3) return teach(argv[1], std::stoi(argv[2]));
    if (argc != 2) return std::fprintf(stderr, "usage: crash_test FILE\n"), 2;
    std::size_t known = 0;
    for (int kill = 0; kill < kKills; ++kill) {
        const int acknowledged = acknowledged_before_kill(argv[1], static_cast<unsigned>(kill) * 1500);
        if (acknowledged < kAcknowledgedEach) return std::printf("the child failed by itself\n"), 1;
        known += static_cast<std::size_t>(acknowledged);
        for (const std::string& problem : fearnet::check_brain(argv[1]))
            return std::printf("kill %d: %s\n", kill, problem.c_str()), 1;
        const fearnet::Brain brain(argv[1]);
        const std::size_t classes = brain.class_names().size();
        // The last one may be on disk although the child did not live to say so.
        if (classes < known || classes > known + 1)
            return std::printf("kill %d: %zu classes, %zu acknowledged\n", kill, classes, known), 1;
        known = classes;
        for (std::size_t c = 0; c < classes; ++c)
            for (const std::string& label :
                 brain.labels(fearnet::rows(rows_of(static_cast<int>(c), 2), kWidth)))
                if (label != name_of(static_cast<int>(c)))
                    return std::printf("%s is forgotten\n", label.c_str()), 1;
    }
    std::printf("all %zu classes are right after %d kills\n", known, kKills);
}
