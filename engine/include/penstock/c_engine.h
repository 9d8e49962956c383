#pragma once
/// The engine in C: load a pipeline, pull batches as DLPack tensors, read the report. For programs
/// in other languages; docs/plugins.md shows a loop in Python with nothing but ctypes.
///
/// What fails gives null or -1, and penstock_error() says why. No exception leaves a function.
/// A pipeline may be used by several threads at once; a run belongs to one thread at a time.

#include <stddef.h>
#include <stdint.h>

#include "penstock/dlpack.h"

/* For C too: NOLINTBEGIN(modernize-use-using, readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PenstockPipeline PenstockPipeline;
typedef struct PenstockRun PenstockRun;
typedef struct PenstockBatch PenstockBatch;

/** The version of the library, "0.1.0". */
const char* penstock_version(void);

/** Why the last call that failed on this thread did so; good until the next one fails. */
const char* penstock_error(void);

/** Reads and checks a pipeline file. The reason for null has every mistake in it. */
PenstockPipeline* penstock_load(const char* path);
/** Null is allowed. Runs of it go on. */
void penstock_free_pipeline(PenstockPipeline* pipeline);

/** Starts a run with the threads that the file says; null: it failed. */
PenstockRun* penstock_start(const PenstockPipeline* pipeline);
/** Cancels it, waits for its bodies and frees it. Batches stay valid. Null is allowed. */
void penstock_free_run(PenstockRun* run);

enum { PENSTOCK_BATCH = 0, PENSTOCK_EPOCH_END = 1, PENSTOCK_END = 2 };
/** Waits for the next batch and puts it into `batch` (else null there), to be freed by the caller.
    Gives one of the numbers above, or -1 when the run failed. */
int penstock_next(PenstockRun* run, PenstockBatch** batch);
void penstock_free_batch(PenstockBatch* batch);

/* What follows fails where it is given null: 0 or null, and a reason. */

/** Samples in the batch. */
size_t penstock_batch_size(const PenstockBatch* batch);
/** Fields of the batch; their names are valid as long as the batch. One that an operator removed
    keeps its number, has the name "" and is no tensor and no text. */
size_t penstock_field_count(const PenstockBatch* batch);
const char* penstock_field_name(const PenstockBatch* batch, size_t field);
/** The memory of a tensor field, shared: the caller calls its deleter, on any thread, also after
    the batch, the run and the pipeline are gone. Null: it is a text, or there is no such field. */
DLManagedTensor* penstock_field_tensor(const PenstockBatch* batch, size_t field);
/** A text field, of one sample; valid as long as the batch. Null: it is a tensor, or there is no
    such field or sample. */
const char* penstock_field_text(const PenstockBatch* batch, size_t field, size_t sample,
                                size_t* bytes); /* where its length goes, or null */

/** The run's report so far as JSON; valid until the next call for this run, or its end. */
const char* penstock_report(PenstockRun* run);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using, readability-identifier-naming) */
