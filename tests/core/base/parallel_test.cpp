// The worker threads, and matrix products in a process that gets signals.
#include "core/base/parallel.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "core/math/gemm.hpp"
#include "fearnet/rng.hpp"
#include "fearnet/threads.hpp"

namespace fearnet {
namespace {

// Sets the number of threads for one test.
struct Threads {
    explicit Threads(int threads) : before(max_threads()) { set_threads(threads); }
    ~Threads() { set_threads(before); }
    int before;
};

std::vector<int> counts_of(std::size_t n, std::size_t blocks) {
    std::vector<std::atomic<int>> counts(n);
    parallel_blocks(n, blocks, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++counts[i];
    });
    return {counts.begin(), counts.end()};
}

TEST(Parallel, every_index_is_visited_once_with_any_number_of_threads) {
    for (const int threads : {1, 2, 3, 8}) {
        const Threads guard(threads);
        for (const std::size_t n : {1u, 7u, 64u, 1000u})
            EXPECT_EQ(counts_of(n, std::min<std::size_t>(n, 16)), std::vector<int>(n, 1))
                << threads << " threads";
    }
}

TEST(Parallel, an_exception_of_a_task_is_thrown_to_the_caller_and_the_workers_go_on) {
    for (const int threads : {1, 4}) {
        const Threads guard(threads);
        const auto failing = [](std::size_t block, std::size_t, std::size_t) {
            if (block == 5) throw std::bad_alloc();
        };
        EXPECT_THROW(parallel_blocks(16, 16, failing), std::bad_alloc);
        EXPECT_EQ(counts_of(100, 10), std::vector<int>(100, 1));
    }
}

TEST(Parallel, a_loop_inside_a_task_runs_on_the_thread_of_the_task) {
    const Threads guard(4);
    std::atomic<int> elsewhere = 0;
    parallel_blocks(8, 8, [&](std::size_t, std::size_t, std::size_t) {
        const auto outer = std::this_thread::get_id();
        parallel_blocks(8, 8, [&](std::size_t, std::size_t, std::size_t) {
            elsewhere += std::this_thread::get_id() != outer;
        });
    });
    EXPECT_EQ(elsewhere, 0);
}

TEST(Parallel, several_threads_of_the_host_may_start_loops_at_once) {
    std::vector<std::thread> hosts;
    std::atomic<int> right = 0;
    for (int h = 0; h < 4; ++h)
        hosts.emplace_back([&] {
            set_threads(3);
            for (int i = 0; i < 50; ++i) right += counts_of(200, 20) == std::vector<int>(200, 1);
        });
    for (std::thread& host : hosts) host.join();
    EXPECT_EQ(right, 200);
}

TEST(Parallel, a_forked_child_has_workers_of_its_own) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "this sanitizer forbids threads in a forked child";
#endif
    const Threads guard(3);
    counts_of(100, 10);  // the parent's workers have started
    const pid_t child = fork();
    if (child == 0) _exit(counts_of(100, 10) == std::vector<int>(100, 1) ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// The state of every other thread of this process: 'S' when it sleeps, 'R' when it runs or spins.
std::string states_of_other_threads() {
    std::string states;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        if (task.path().filename() == std::to_string(syscall(SYS_gettid))) continue;
        std::ifstream file(task.path() / "stat");
        std::string text((std::istreambuf_iterator<char>(file)), {});
        states += text.at(text.rfind(')') + 2);
    }
    return states;
}

TEST(Parallel, workers_sleep_while_there_is_nothing_to_do) {
    const Threads guard(3);
    counts_of(100, 10);
    std::string states = states_of_other_threads();
    ASSERT_GE(states.size(), 2u);
    for (int tries = 0; tries < 2000 && states.find('R') != std::string::npos; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        states = states_of_other_threads();
    }
    EXPECT_EQ(states, std::string(states.size(), 'S'));
}

double cpu_seconds(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Between two loops the caller computes alone. A worker that spun meanwhile would take a processor from
// others.
TEST(Parallel, waiting_workers_use_next_to_no_processor_time) {
    const Threads guard(2);
    counts_of(100, 10);
    const double all = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID), own = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    for (int loop = 0; loop < 100; ++loop) {
        counts_of(100, 10);
        const double until = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) + 0.002;
        while (cpu_seconds(CLOCK_THREAD_CPUTIME_ID) < until) {
        }
    }
    const double own_used = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - own;
    const double others_used = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - all - own_used;
    EXPECT_LT(others_used, 0.3 * own_used);
}

volatile sig_atomic_t signals_taken = 0;
volatile sig_atomic_t taken_elsewhere = 0;
pid_t host_thread = 0;

void take(int) {
    signals_taken = signals_taken + 1;
    if (syscall(SYS_gettid) != host_thread) taken_elsewhere = 1;
}

// A host with a handler on the ordinary stack and a timer, as profilers and interpreters have.
struct TimerOfTheHost {
    TimerOfTheHost() {
        host_thread = static_cast<pid_t>(syscall(SYS_gettid));
        struct sigaction action {};
        action.sa_handler = take;
        sigemptyset(&action.sa_mask);
        sigaction(SIGALRM, &action, &before);
        const itimerval every{{0, 500}, {0, 500}};
        setitimer(ITIMER_REAL, &every, nullptr);
    }
    ~TimerOfTheHost() {
        const itimerval never{};
        setitimer(ITIMER_REAL, &never, nullptr);
        sigaction(SIGALRM, &before, nullptr);
    }
    struct sigaction before {};
};

Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
    Rng rng(seed);
    Matrix m(rows, cols);
    for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = static_cast<float>(rng.normal());
    return m;
}

TEST(Gemm, products_that_threads_share_are_those_of_the_plain_loop) {
    using math::Op;
    struct Shape {
        std::size_t m, n, k;
    };
    // Tall, wide, with long sums, and a long sum that many threads cannot share evenly.
    for (const Shape s : {Shape{700, 40, 90}, {30, 900, 80}, {20, 64, 2560}, {3, 5, 70001}, {1, 1, 2000003}})
        for (const int threads : {2, 3, 7})
            for (const Op op_a : {Op::none, Op::transpose})
                for (const Op op_b : {Op::none, Op::transpose})
                    for (const bool accumulate : {false, true}) {
                        const Threads guard(threads);
                        const Matrix a =
                            op_a == Op::none ? random_matrix(s.m, s.k, 1) : random_matrix(s.k, s.m, 1);
                        const Matrix b =
                            op_b == Op::none ? random_matrix(s.k, s.n, 2) : random_matrix(s.n, s.k, 2);
                        Matrix expected = random_matrix(s.m, s.n, 3), c = expected;
                        math::gemm_reference(op_a, a, op_b, b, expected, accumulate);
                        math::gemm(op_a, a, op_b, b, c, accumulate);
                        const double tolerance = 1e-5 * std::sqrt(static_cast<double>(s.k)) * 10;
                        for (std::size_t i = 0; i < c.size(); ++i)
                            ASSERT_NEAR(c.data()[i], expected.data()[i], tolerance)
                                << s.m << " x " << s.n << " x " << s.k << ", " << threads << " threads";
                    }
}

// A signal in the middle of oneDNN's kernels would be written over the heap: the process dies, or numbers
// change.
TEST(Gemm, a_signal_during_a_product_harms_nothing) {
    using math::Op;
    for (const int threads : {1, 2})
        for (const Op op_b : {Op::none, Op::transpose}) {
            const Threads guard(threads);
            const Matrix a = random_matrix(200, 700, 1);
            const Matrix b = op_b == Op::none ? random_matrix(700, 130, 2) : random_matrix(130, 700, 2);
            Matrix quiet(200, 130), disturbed(200, 130);
            math::gemm(Op::none, a, op_b, b, quiet);
            const TimerOfTheHost timer;
            signals_taken = 0;
            taken_elsewhere = 0;
            int products = 0;
            for (; products < 100 || (signals_taken < 50 && products < 100000); ++products) {
                math::gemm(Op::none, a, op_b, b, disturbed);
                ASSERT_TRUE(std::equal(quiet.data(), quiet.data() + quiet.size(), disturbed.data()));
                // Other blocks of the heap, where a misplaced frame would land.
                std::vector<float> block(1000 + static_cast<std::size_t>(products % 7) * 100, 1.0f);
                ASSERT_EQ(block.back(), 1.0f);
            }
            EXPECT_GE(signals_taken, 50) << "signals arrive, late by at most one product";
            EXPECT_EQ(taken_elsewhere, 0) << "workers take no signal of the host";
        }
}

TEST(Gemm, leaves_the_signal_mask_of_the_host_as_it_was) {
    sigset_t some, before, after;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &some, &before);
    const Matrix a = random_matrix(20, 30, 1), b = random_matrix(30, 40, 2);
    Matrix c(20, 40);
    math::gemm(math::Op::none, a, math::Op::none, b, c);
    pthread_sigmask(SIG_SETMASK, &before, &after);
    EXPECT_EQ(sigismember(&after, SIGUSR1), 1);
    EXPECT_EQ(sigismember(&after, SIGALRM), 0);
}

}  // namespace
}  // namespace fearnet
