/* Loaded into a program with LD_PRELOAD: a host with a 100 Hz timer whose handler runs on the ordinary stack, as
   profilers and interpreters have. Without SA_RESTART, so that system calls are interrupted, too. */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;

static void tick(int signal) {
    (void)signal;
    ticks = ticks + 1;
}

__attribute__((constructor)) static void start(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = tick;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval every = {{0, 10000}, {0, 10000}};
    setitimer(ITIMER_REAL, &every, NULL);
}
