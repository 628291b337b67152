#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace fearnet::cli {
namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t raised = 0;

void handle(int) {
    raised = 1;
}

}  // namespace

InterruptGuard::InterruptGuard() {
    raised = 0;
    struct sigaction action {};
    action.sa_handler = handle;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}
bool InterruptGuard::interrupted() const {
    return raised != 0;
}

}  // namespace fearnet::cli
