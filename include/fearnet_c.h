/* The C interface of FearNet: a "brain", a classifier in a file that is taught class after class.
 * docs/c_api.md is the guide, examples/quick_start.c a complete program.
 *
 *     fearnet_brain* brain = NULL;
 *     const char* label = "owl";
 *     fearnet_ranked best;
 *     fearnet_open_or_create("birds.brain", NULL, 0, &brain);
 *     fearnet_learn(brain, rows, n, width, &label, 1, NULL, NULL, NULL);
 *     fearnet_predict(brain, row, 1, width, &best, 1);
 *     fearnet_close(brain);
 *
 * Data: rows are float32 and row-major; row i begins at rows[i * width]. Strings are UTF-8 and end in a zero
 * byte. The library keeps no pointer of the caller's after a call.
 *
 * Memory: fearnet_close frees a brain. Nothing else must be freed. Labels that a function returns belong to
 * the brain and are valid until fearnet_close. Other strings are inside the structs that the caller passes.
 *
 * Errors: functions that can fail return a fearnet_status. If it is not FEARNET_OK, the brain and its file
 * are unchanged, no result has been written, and fearnet_last_error describes the problem. No C++ exception
 * leaves a function.
 *
 * Threads: functions that take a const fearnet_brain* may be called from several threads at once, as long as
 * no thread changes that brain. Different brains are independent. */
#ifndef FEARNET_C_H
#define FEARNET_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fearnet_status {
    FEARNET_OK = 0,
    FEARNET_BAD_ARGUMENT = 1, /* a required pointer is NULL, or a size does not fit */
    FEARNET_ERROR = 2,        /* bad rows, names, options or file; the message says which and what to do */
    FEARNET_CANCELLED = 3,    /* the progress callback returned 0 */
    FEARNET_NO_MEMORY = 4,    /* not enough memory */
    FEARNET_BUG = 5           /* a bug in this library */
} fearnet_status;

/* The message of the last call on this thread that failed; "" before the first. At most 1023 bytes. Never
 * NULL. Valid until the next failing call on this thread. */
const char* fearnet_last_error(void);

/* "0.1.0" */
const char* fearnet_version(void);

/* A brain in memory or in a file. */
typedef struct fearnet_brain fearnet_brain;

/* Progress callback of a long call: `done` of `total` steps of `phase` are finished; `loss` is the mean
 * training loss, or 0. `user` is the pointer that was passed with the callback. Called on the thread of the
 * caller, at least once per training epoch. Return 0 to cancel the call, anything else to continue. `phase`
 * is valid during the callback only. */
typedef int (*fearnet_progress)(void* user, const char* phase, size_t done, size_t total, double loss);

/* Creates a brain file. It is an error if there is something at `path`. `options` are `option_count` strings
 * "name=value": learner (default fearnet-plus), preset, seed, and all names that `fearnet options` lists
 * ("memory.budget=8000000", "due.sessions=5"); may be NULL if option_count is 0. Close *brain with
 * fearnet_close. */
fearnet_status fearnet_create(const char* path, const char* const* options, size_t option_count,
                              fearnet_brain** brain);

/* Opens a brain file, or creates it with `options` if there is none. An existing brain keeps its own options;
 * it is an error if its learner is not the one that `options` names. With `path` NULL, makes a brain in
 * memory, which is lost when it is closed. Close *brain with fearnet_close. */
fearnet_status fearnet_open_or_create(const char* path, const char* const* options, size_t option_count,
                                      fearnet_brain** brain);

/* Opens an existing brain file. If `read_only` is not 0, calls that would change the brain fail. Close *brain
 * with fearnet_close. */
fearnet_status fearnet_open(const char* path, int read_only, fearnet_brain** brain);

/* Sets how many seconds later calls wait for another process that is writing to the file. The default is 5;
 * 0: do not wait. */
fearnet_status fearnet_set_lock_timeout(fearnet_brain* brain, double seconds);

/* Makes a backup: a new file at `path` with the state of one moment, even while another process writes. It is
 * an error if there is something at `path`. The file is verified before it appears. */
fearnet_status fearnet_copy(const fearnet_brain* brain, const char* path);

/* Closes a brain and frees it with all labels it has returned. NULL is allowed. */
void fearnet_close(fearnet_brain* brain);

/* Size of a reason, with its zero byte; longer reasons are cut. */
enum { FEARNET_REASON_SIZE = 128 };

typedef struct fearnet_outcome {
    size_t examples;                     /* rows taught */
    size_t new_classes;                  /* number of classes taught for the first time */
    size_t known_classes;                /* number of classes that were taught before */
    char sleep_due[FEARNET_REASON_SIZE]; /* why sleep is due now; "" if it is not */
    double learn_seconds;                /* wall-clock time of learning */
    double write_seconds;                /* wall-clock time of writing the file */
} fearnet_outcome;

/* Teaches one session: `n` rows of `width` features. `label_count` is n, for one label per row, or 1, for the
 * same label for all rows. Classes may be new or known. When it returns FEARNET_OK, the change is on disk.
 * `progress` and `outcome` may be NULL. */
fearnet_status fearnet_learn(fearnet_brain* brain, const float* rows, size_t n, size_t width,
                             const char* const* labels, size_t label_count, fearnet_progress progress,
                             void* user, fearnet_outcome* outcome);

/* Consolidates the recent examples and deletes them. Call it when outcome.sleep_due or summary.sleep_due says
 * so, or at any time. `epochs` and `seconds` limit the work of learner=fearnet; 0: as its options say.
 * *slept becomes 0 if there was nothing to consolidate, else 1. `progress` and `slept` may be NULL. */
fearnet_status fearnet_sleep(fearnet_brain* brain, int64_t epochs, double seconds, fearnet_progress progress,
                             void* user, int* slept);

/* Removes a class. It is an error if it is the only one or if the learner cannot forget (fearnet and
 * fearnet-plus can). `progress` may be NULL. */
fearnet_status fearnet_forget(fearnet_brain* brain, const char* label, fearnet_progress progress, void* user);
/* It is an error if there is already a class `to`. */
fearnet_status fearnet_rename(fearnet_brain* brain, const char* from, const char* to);
/* Makes one class, called `into`, of two existing ones. This cannot be undone. */
fearnet_status fearnet_merge(fearnet_brain* brain, const char* from, const char* into);

/* Reads the file again if another process has changed it. *changed becomes 1 if it had, else 0; `changed` may
 * be NULL. */
fearnet_status fearnet_refresh(fearnet_brain* brain, int* changed);

typedef struct fearnet_ranked {
    const char* label; /* NULL after the last class, if there are fewer than `top` */
    double probability;
} fearnet_ranked;

/* Fills ranked[0 .. n*top-1]: the `top` most probable classes of row i begin at ranked[i * top], in
 * descending order. `top` must be at least 1. It is an error if nothing has been taught or if `width` is not
 * that of the rows taught. */
fearnet_status fearnet_predict(const fearnet_brain* brain, const float* rows, size_t n, size_t width,
                               fearnet_ranked* ranked, size_t top);

/* The same for photographs, sounds and .txt files, which the brain's embedding model turns into rows
 * (docs/front_ends.md). The first files that a new brain learns choose the model: the default one of their
 * kind. Files that cannot be read are left out; used[i] becomes 0 for them, else 1, and `used` may be NULL.
 * It is an error if none can be read. Of a file left out, fearnet_predict_files fills the labels with NULL.
 * In the library fearnet_data. */
fearnet_status fearnet_learn_files(fearnet_brain* brain, const char* const* paths, size_t n,
                                   const char* const* labels, size_t label_count, fearnet_progress progress,
                                   void* user, fearnet_outcome* outcome, int* used);
fearnet_status fearnet_predict_files(const fearnet_brain* brain, const char* const* paths, size_t n,
                                     fearnet_ranked* ranked, size_t top, int* used);

/* As fearnet_predict, and how familiar the rows look (docs/open_world.md). Fills familiarity[0 .. n-1] with
 * the share of taught rows that look as strange as row i or stranger; -1 if the learner does not estimate it.
 * Fills unknown[0 .. n-1] with 1 if the familiarity is below the option open.unknown, so that the row is
 * probably of no class that was taught; else 0. Each of the three results may be NULL; `ranked` may be NULL
 * only if `top` is 0. */
fearnet_status fearnet_predict_with_familiarity(const fearnet_brain* brain, const float* rows, size_t n,
                                                size_t width, fearnet_ranked* ranked, size_t top,
                                                double* familiarity, int* unknown);

/* Finds for each row the set of classes that it fits. For rows of taught classes the set contains the right
 * class with a probability of about `confidence` (0.5 to 0.999); the set of a row that fits no class is
 * empty. sizes[i] becomes the number of classes in the set of row i. labels[i * capacity .. i * capacity +
 * capacity-1] receives at most `capacity` of them, most probable first, and NULL after the last. `labels` may
 * be NULL if `capacity` is 0. It is an error if the learner has no such sets. */
fearnet_status fearnet_predict_sets(const fearnet_brain* brain, const float* rows, size_t n, size_t width,
                                    double confidence, const char** labels, size_t capacity, size_t* sizes);

typedef enum fearnet_memory { FEARNET_RECENT = 0, FEARNET_CONSOLIDATED = 1 } fearnet_memory;

/* Which memory predicted the class of a row, and why. The recent memory decides if psi is greater than
 * consolidated_probability. */
typedef struct fearnet_explanation {
    const char* label;               /* the prediction */
    fearnet_memory memory;           /* the memory that made it */
    const char* recent_label;        /* best class of the recent memory; NULL if that memory is empty */
    const char* consolidated_label;  /* best class of the long-term memory; recent_label if it is empty */
    double recent_probability;       /* of recent_label, in the recent memory alone */
    double consolidated_probability; /* of consolidated_label, in the long-term memory alone */
    double router;                   /* A(x), the probability that the class is a recent one */
    double psi;                      /* recent_probability * A(x) / (1 - A(x)); infinite if A(x) is 1 */
} fearnet_explanation;

/* If the learner has two memories and a router (learner=fearnet), fills explanations[0 .. n-1] and sets
 * *explained to 1. Otherwise only sets *explained to 0. */
fearnet_status fearnet_explain(const fearnet_brain* brain, const float* rows, size_t n, size_t width,
                               fearnet_explanation* explanations, int* explained);

/* Turns `n` texts into rows for a brain that was made with "brain.features=text:ngrams". Fills
 * rows[0 .. n*width-1]; `width` must be that of fearnet_info. */
fearnet_status fearnet_text_rows(const fearnet_brain* brain, const char* const* texts, size_t n, float* rows,
                                 size_t width);

typedef struct fearnet_summary {
    size_t classes;
    size_t width;                 /* features per row; 0 before the first session unless accepts_text */
    size_t memory_bytes;          /* that the learner keeps */
    size_t file_bytes;            /* 0 for a brain in memory */
    int64_t sessions_since_sleep; /* sessions with examples that wait for the next sleep */
    char sleep_due[FEARNET_REASON_SIZE]; /* why sleep is due; "" if it is not */
    int accepts_text;                    /* 1 if made with brain.features=text:ngrams, else 0 */
} fearnet_summary;

fearnet_status fearnet_info(const fearnet_brain* brain, fearnet_summary* summary);

typedef struct fearnet_class {
    const char* label;
    int64_t examples; /* rows taught so far */
    int recent;       /* 1 if it has examples that wait for the next sleep, else 0 */
    int consolidated; /* 1 if the long-term memory knows it, else 0 */
} fearnet_class;

/* Fills classes[0 .. capacity-1], in the order of the labels, with at most `capacity` classes. *count becomes
 * the number of all classes. `classes` may be NULL if `capacity` is 0. */
fearnet_status fearnet_classes(const fearnet_brain* brain, fearnet_class* classes, size_t capacity,
                               size_t* count);

/* Fills accuracies[0 .. capacity-1], in the order of fearnet_classes, with the share of new rows of each
 * class that will be classified correctly among all classes; -1 where the learner does not know it. */
fearnet_status fearnet_expected_accuracy(const fearnet_brain* brain, double* accuracies, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
