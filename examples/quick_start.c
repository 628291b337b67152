/* Teaches a brain three synthetic classes, sleeps, and predicts. usage: quick_start FILE (must not exist) */
#include <fearnet_c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRows = 20, kWidth = 8 };

static void check(fearnet_status status) {
    if (status == FEARNET_OK) return;
    fprintf(stderr, "error %d: %s\n", (int)status, fearnet_last_error());
    exit(1);
}

/* Makes kRows rows of class c: feature c is about 1, the others are about 0. */
static void make_rows(int c, float* rows) {
    for (int i = 0; i < kRows * kWidth; ++i) {
        const float noise = 0.2f * ((float)rand() / (float)RAND_MAX - 0.5f);
        rows[i] = (i % kWidth == c ? 1.0f : 0.0f) + noise;
    }
}

static int show(void* user, const char* phase, size_t done, size_t total, double loss) {
    (void)loss;
    if (done == total) printf("%s: %s, %zu steps\n", (const char*)user, phase, total);
    return 1; /* 0 would cancel */
}

static void teach(fearnet_brain* brain, const char* const* names, int first, int count) {
    float rows[2 * kRows * kWidth];
    const char* labels[2 * kRows];
    for (int c = 0; c < count; ++c) {
        make_rows(first + c, rows + c * kRows * kWidth);
        for (int i = 0; i < kRows; ++i) labels[c * kRows + i] = names[c];
    }
    fearnet_outcome outcome;
    const size_t n = (size_t)count * kRows;
    check(fearnet_learn(brain, rows, n, kWidth, labels, n, show, "learn", &outcome));
    printf("learned %zu new classes from %zu examples\n", outcome.new_classes, outcome.examples);
}

int main(int argc, char** argv) {
    if (argc != 2) return fprintf(stderr, "usage: quick_start FILE\n"), 2;
    const char* const options[] = {"due.sessions=5", "seed=1"};
    const char* const base[] = {"apple", "birch"};
    const char* const more[] = {"cedar"};
    fearnet_brain* brain = NULL;
    check(fearnet_create(argv[1], options, sizeof options / sizeof *options, &brain));
    teach(brain, base, 0, 2); /* the base session */
    teach(brain, more, 2, 1); /* a new class: its examples are kept until sleep */
    int slept = 0;
    check(fearnet_sleep(brain, 0, 0, show, "sleep", &slept)); /* consolidates it, deletes the examples */

    float rows[kRows * kWidth];
    fearnet_ranked ranked[kRows * 2];
    make_rows(2, rows);
    check(fearnet_predict(brain, rows, kRows, kWidth, ranked, 2));
    int right = 0;
    for (int i = 0; i < kRows; ++i) right += strcmp(ranked[2 * i].label, "cedar") == 0;
    printf("%d of %d right; the first: %s %.2f, then %s %.2f\n", right, (int)kRows, ranked[0].label,
           ranked[0].probability, ranked[1].label, ranked[1].probability);
    fearnet_close(brain);
    return right == kRows ? 0 : 1;
}
