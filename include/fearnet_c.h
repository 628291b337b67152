/* FearNet from C: a classifier in a file that is taught class after class. docs/c_api.md is a tour.
 *
 * Rows are float32, row-major: row i of n begins at rows[i * width]. Texts are UTF-8 and end in a zero. Every
 * function reads what it is given before it returns and keeps no pointer of the caller's.
 *
 * Who frees what: fearnet_close frees a brain. Nothing else is to be freed: labels that come back belong to
 * the brain and stay valid until fearnet_close, other texts lie inside the structs the caller brings.
 *
 * Every function that can fail returns a fearnet_status and, when that is not FEARNET_OK, leaves the brain
 * and its file as they were, writes nothing to its results, and leaves a text in fearnet_last_error. No C++
 * exception comes out of any of them.
 *
 * Threads: a brain may be asked (predict, explain, info, classes, text_rows) by several threads at once as long as
 * none changes it. Different brains need no care. */
#ifndef FEARNET_C_H
#define FEARNET_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fearnet_status {
    FEARNET_OK = 0,
    FEARNET_BAD_ARGUMENT = 1, /* a pointer that may not be NULL is, or a size does not fit */
    FEARNET_ERROR = 2,        /* bad rows, names, options or file: the text says which and what to do */
    FEARNET_CANCELLED = 3,    /* the progress callback returned 0 */
    FEARNET_NO_MEMORY = 4,
    FEARNET_BUG = 5 /* of this library */
} fearnet_status;

/* What went wrong in the last call of this thread that failed; "" before the first. Valid until the thread's
 * next failing call. Never NULL. */
const char* fearnet_last_error(void);

/* "0.1.0" */
const char* fearnet_version(void);

typedef struct fearnet_brain fearnet_brain;

/* What a long call is doing: `done` of `total` steps of `phase`, which is valid during the call only. Called
 * on the caller's thread. Return 0 to cancel, anything else to go on. */
typedef int (*fearnet_progress)(void* user, const char* phase, size_t done, size_t total, double loss);

/* A new file at `path`, which must not exist. `options` are `option_count` texts "name=value": learner
 * (fearnet-plus unless given), preset, seed, and whatever `fearnet options` lists ("memory.budget=8000000",
 * "due.sessions=5"); NULL when there are none. *brain is to be closed. */
fearnet_status fearnet_create(const char* path, const char* const* options, size_t option_count,
                              fearnet_brain** brain);

/* The file at `path`, made with the options if there is none. The options of a brain that exists stay as they
 * are, and one with another learner than the options name is an error. `path` NULL: a brain without a file,
 * gone when it is closed. *brain is to be closed. */
fearnet_status fearnet_open_or_create(const char* path, const char* const* options, size_t option_count,
                                      fearnet_brain** brain);

/* An existing file; with `read_only` not 0 it cannot be changed. *brain is to be closed. */
fearnet_status fearnet_open(const char* path, int read_only, fearnet_brain** brain);

/* How long later calls wait for another process that is writing to the file; 5 seconds unless set, 0: not at
 * all. */
fearnet_status fearnet_set_lock_timeout(fearnet_brain* brain, double seconds);

/* A backup: a new file at `path`, which must not exist, with the state of one instant, also while another
 * process writes. It appears whole and verified, or not at all. */
fearnet_status fearnet_copy(const fearnet_brain* brain, const char* path);

/* NULL is fine. */
void fearnet_close(fearnet_brain* brain);

enum { FEARNET_REASON_SIZE = 128 };

typedef struct fearnet_outcome {
    size_t examples;
    size_t new_classes;
    size_t known_classes;                /* met again */
    char sleep_due[FEARNET_REASON_SIZE]; /* why sleep is due now; "" when it is not */
    double learn_seconds;
    double write_seconds;
} fearnet_outcome;

/* One study session: `n` rows of `width` features and `label_count` labels, one per row or one for all rows.
 * When it returns FEARNET_OK the change is on disk. `progress` may be NULL, and so may `outcome`. */
fearnet_status fearnet_learn(fearnet_brain* brain, const float* rows, size_t n, size_t width,
                             const char* const* labels, size_t label_count, fearnet_progress progress,
                             void* user, fearnet_outcome* outcome);

/* Consolidates what was learned and deletes the recent examples. `epochs` and `seconds` bound the work; 0
 * leaves it to the options. *slept, unless NULL: 0 when there was nothing to do. */
fearnet_status fearnet_sleep(fearnet_brain* brain, int64_t epochs, double seconds, fearnet_progress progress,
                             void* user, int* slept);

fearnet_status fearnet_forget(fearnet_brain* brain, const char* label, fearnet_progress progress, void* user);
fearnet_status fearnet_rename(fearnet_brain* brain, const char* from, const char* to);
/* From now on `from` is called `into`. */
fearnet_status fearnet_merge(fearnet_brain* brain, const char* from, const char* into);

/* Reads again if another process has changed the file. *changed, unless NULL: whether it had. */
fearnet_status fearnet_refresh(fearnet_brain* brain, int* changed);

typedef struct fearnet_ranked {
    const char* label; /* NULL behind the last class */
    double probability;
} fearnet_ranked;

/* Fills ranked[0 .. n*top-1]: the `top` likeliest classes of row i begin at ranked[i * top], likeliest first.
 * `top` is at least 1. */
fearnet_status fearnet_predict(const fearnet_brain* brain, const float* rows, size_t n, size_t width,
                               fearnet_ranked* ranked, size_t top);

typedef enum fearnet_memory { FEARNET_RECENT = 0, FEARNET_CONSOLIDATED = 1 } fearnet_memory;

/* Where one row's answer came from. */
typedef struct fearnet_explanation {
    const char* label;
    fearnet_memory memory;           /* that answered */
    const char* recent_label;        /* best class of the recent memory; NULL when that is empty */
    const char* consolidated_label;  /* best class of the long-term memory; recent_label if it is empty */
    double recent_probability;       /* of recent_label, asking the recent memory alone */
    double consolidated_probability; /* of consolidated_label, asking the long-term memory alone */
    double router;                   /* how likely the class is one of the recent memory */
    double psi;                      /* what decided between the two */
} fearnet_explanation;

/* Fills explanations[0 .. n-1] and sets *explained to 1, if the learner has two memories and a router
 * (learner=fearnet); else sets *explained to 0. */
fearnet_status fearnet_explain(const fearnet_brain* brain, const float* rows, size_t n, size_t width,
                               fearnet_explanation* explanations, int* explained);

/* `n` texts as rows for a brain made with "brain.features=text:ngrams": fills rows[0 .. n*width-1], where
 * `width` is that of fearnet_info. */
fearnet_status fearnet_text_rows(const fearnet_brain* brain, const char* const* texts, size_t n, float* rows,
                                 size_t width);

typedef struct fearnet_summary {
    size_t classes;
    size_t width;        /* features per row; 0 before the first session */
    size_t memory_bytes; /* of the learner */
    size_t file_bytes;
    int64_t sessions_since_sleep;
    char sleep_due[FEARNET_REASON_SIZE]; /* why; "" when it is not */
    int takes_text;
} fearnet_summary;

fearnet_status fearnet_info(const fearnet_brain* brain, fearnet_summary* summary);

typedef struct fearnet_class {
    const char* label;
    int64_t examples; /* taught so far */
    int recent;       /* has examples in the recent memory */
    int consolidated; /* is known to the long-term memory */
} fearnet_class;

/* Fills classes[0 .. capacity-1], by label, as far as there are classes; *count is how many there are. With
 * `capacity` 0 `classes` may be NULL. */
fearnet_status fearnet_classes(const fearnet_brain* brain, fearnet_class* classes, size_t capacity,
                               size_t* count);

#ifdef __cplusplus
}
#endif

#endif
