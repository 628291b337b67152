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

void set_handler(void (*handler)(int), int flags) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
    raised = 0;
    set_handler(handle, static_cast<int>(SA_RESETHAND | SA_RESTART));
}
InterruptGuard::~InterruptGuard() {
    set_handler(SIG_DFL, 0);
}
bool InterruptGuard::interrupted() const {
    return raised != 0;
}

}  // namespace fearnet::cli
