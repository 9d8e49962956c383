#pragma once
/// Operators in C: the stable form of the entry point, for other languages, and for C++ that was
/// built with another Penstock or another torch. Only plain structures and DLPack tensors cross;
/// the library is linked to nothing. docs/plugins.md shows one.
///
/// Structures say their size, and fields are only appended: a library that was built with an older
/// C ABI of the same major number works. No exception may leave a function of the library.

#include <stddef.h>
#include <stdint.h>

#include "penstock/dlpack.h"
#include "penstock/note.h"

/* For C too: NOLINTBEGIN(modernize-use-using, readability-identifier-naming) */

#define PENSTOCK_C_ABI_MAJOR 1
#define PENSTOCK_C_ABI_MINOR 1

/** The first initialisers of a PenstockOperator. */
#define PENSTOCK_OPERATOR_SIZES                                                 \
  .struct_size = sizeof(PenstockOperator), .param_size = sizeof(PenstockParam), \
  .field_size = sizeof(PenstockField)

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of all enumerations are part of the ABI. */
enum { PENSTOCK_SOURCE = 0, PENSTOCK_MAP = 1, PENSTOCK_EXPAND = 2, PENSTOCK_COLLATE = 3 };
enum { PENSTOCK_CPU = 0, PENSTOCK_BLOCKING = 1 };
enum { PENSTOCK_STATELESS = 0, PENSTOCK_PER_SLOT = 1, PENSTOCK_SERIAL = 2 };
enum { PENSTOCK_RANDOM = 1, PENSTOCK_DROPS = 2, PENSTOCK_DROP_LAST = 4 }; /* flags */
enum {
  PENSTOCK_BOOL = 0,
  PENSTOCK_INT = 1,
  PENSTOCK_FLOAT = 2,
  PENSTOCK_STRING = 3,
  PENSTOCK_PATH = 4,
  PENSTOCK_DURATION = 5,
  PENSTOCK_BYTES = 6,
  PENSTOCK_CHOICE = 7,
  PENSTOCK_DTYPE = 8,
  PENSTOCK_INT_LIST = 9,
  PENSTOCK_FLOAT_LIST = 10,
  PENSTOCK_STRING_LIST = 11
};
/* The last: what the field had before; of an output, what it has in the first input. */
enum { PENSTOCK_NO_LAYOUT = 0, PENSTOCK_HWC = 1, PENSTOCK_CHW = 2, PENSTOCK_SAME_LAYOUT = 3 };

/** What is known before the run: parameters and fields. Valid during the call only. */
typedef struct PenstockSetup PenstockSetup;
/** One firing. Valid during the call only; for the thread that was given it. */
typedef struct PenstockFiring PenstockFiring;

/** What the engine offers. All functions that return int give 0, or -1 after a failure, of which
    the engine has taken note: return -1 too. */
typedef struct PenstockHost {
  uint32_t struct_size;

  /* Parameters, which the engine has checked. A name or type that the operator does not declare is
     a failure of its own: 0, "" or no list, and so is one without a value: has() tells (1 or 0)
     for those that are not required and have no default. Texts are valid during the call. */
  int (*has)(PenstockSetup*, const char* name);
  int64_t (*integer)(PenstockSetup*, const char* name); /* bool, duration (ns), bytes too */
  double (*number)(PenstockSetup*, const char* name);
  const char* (*text)(PenstockSetup*, const char* name);
  size_t (*list_size)(PenstockSetup*, const char* name);
  double (*list_number)(PenstockSetup*, const char* name, size_t i);
  const char* (*list_text)(PenstockSetup*, const char* name, size_t i);

  /* Fields. require() gives the index of a field that must be there, and -1 after a failure. */
  int32_t (*require)(PenstockSetup*, const char* field, const char* param);
  /* What is known of it: lanes 0: the type is not; ndim -1: the shape is not; size -1: that size.
     Shapes have at most 6 sizes. lanes 0 and bits 1: a text. */
  int (*field)(PenstockSetup*, int32_t field, DLDataType* type, int32_t* ndim, int64_t shape[6]);
  /* Adds a field or replaces one, described likewise; gives its index, or -1. */
  int32_t (*add)(PenstockSetup*, const char* field, DLDataType type, int32_t ndim,
                 const int64_t* shape, int32_t layout);
  int (*remove)(PenstockSetup*, int32_t field);
  /* A mistake of the pipeline, shown at the parameter; gives -1. */
  int (*refuse)(PenstockSetup*, const char* param, const char* message);

  /* A firing. */
  size_t (*count)(PenstockFiring*); /* inputs: 1, of a collate those of its group, of a source 0 */
  uint64_t (*index)(PenstockFiring*);    /* of a source: the record to read */
  uint64_t (*position)(PenstockFiring*); /* of the sample in its epoch */
  /* A view of input `item`, not to be written; the engine keeps it alive during the call. */
  int (*input)(PenstockFiring*, int32_t field, size_t item, DLTensor* view);
  /* Memory to be written in full. */
  int (*output)(PenstockFiring*, int32_t field, DLDataType type, int32_t ndim, const int64_t* shape,
                int32_t layout, DLTensor* view);
  const char* (*input_text)(PenstockFiring*, int32_t field, size_t item, size_t* bytes);
  int (*output_text)(PenstockFiring*, int32_t field, const char* text, size_t bytes);
  uint64_t (*random)(PenstockFiring*); /* 64 bits that depend on seed, sample and node only */
  void (*drop)(PenstockFiring*);       /* the sample ends here; flag PENSTOCK_DROPS */
  int (*cancelled)(PenstockFiring*);   /* nobody wants the result any more */
  /* The sample cannot be used; gives -1. */
  int (*fail)(PenstockFiring*, const char* message);
  /* The machine is at fault (no memory, no file descriptor); gives -1. */
  int (*fail_of_machine)(PenstockFiring*, const char* message);

  /* C ABI 1.1: adds to one of the operator's tallies, by its place there. It counts with the
     output: not where the firing fails, drops its sample or gives none. */
  int (*tally)(PenstockFiring*, size_t which, uint64_t by);
} PenstockHost;

typedef struct PenstockParam {
  const char* name;
  int32_t type;
  int32_t is_required;
  const char* doc;
  const char* default_value; /* as in YAML: "0.5", "8ms", "[1, 2]"; null: none */
  const char* unit;          /* null: none */
  const double* low;         /* null: none */
  const double* high;
  const char* const* choices; /* of PENSTOCK_CHOICE, a null behind the last */
} PenstockParam;

typedef struct PenstockField {
  const char* name;
  const char* doc;
} PenstockField;

typedef struct PenstockOperator {
  uint32_t struct_size;            /* PENSTOCK_OPERATOR_SIZES gives these three */
  uint16_t param_size, field_size; /* of an element of `params`, and of an array of fields */
  int32_t kind, where, state;
  uint32_t flags;
  const char* name;
  const char* doc;
  const char* example;         /* "{op: name, params: {...}}" */
  const PenstockParam* params; /* one with a null name behind the last; null: none */
  const PenstockField* reads;  /* likewise */
  const PenstockField* writes;

  /* Makes an object; null after refuse(). Then describe() once; then firings; then destroy(). */
  void* (*create)(const PenstockHost*, PenstockSetup*);
  int (*describe)(void* self, const PenstockHost*, PenstockSetup*);
  void (*destroy)(void* self); /* null: nothing to do */
  /* One firing of a source, a map or a collate: 0, or -1 after fail(). */
  int (*process)(void* self, const PenstockHost*, PenstockFiring*);
  uint64_t (*size)(void* self, uint32_t epoch); /* of a source: records */
  size_t (*batch_size)(void* self);             /* of a collate */
  /* Of an expand: a stream of children of one parent (null after fail()); 1: one was output, 0:
     there is none, -1 after fail(); and the end of the stream. */
  void* (*open)(void* self, const PenstockHost*, PenstockFiring*);
  int (*next)(void* stream, const PenstockHost*, PenstockFiring*);
  void (*close)(void* stream);

  const PenstockField* tallies; /* C ABI 1.1: what firings count, for the report; at most 4 */
} PenstockOperator;

typedef struct PenstockCPlugin {
  uint32_t struct_size;
  uint32_t abi_major, abi_minor;
  const char* name;
  const char* version;
  const PenstockOperator* const* operators; /* a null behind the last */
} PenstockCPlugin;

#ifdef __cplusplus
}
#define PENSTOCK_C_ENTRY extern "C" __attribute__((visibility("default")))
#else
#define PENSTOCK_C_ENTRY __attribute__((visibility("default")))
#endif

/** The one symbol that the loader looks for in a library of this form. */
PENSTOCK_C_ENTRY const PenstockCPlugin* penstock_c_plugin(void);

/** Defines it and the note. The first four are string literals; OPERATORS is an array. */
#define PENSTOCK_C_PLUGIN(NAME, LIBRARY_VERSION, AUTHOR, LICENCE, OPERATORS)                      \
  PENSTOCK_NOTE("c", PENSTOCK_TEXT(PENSTOCK_C_ABI_MAJOR) "." PENSTOCK_TEXT(PENSTOCK_C_ABI_MINOR), \
                NAME, LIBRARY_VERSION, AUTHOR, LICENCE);                                          \
  const PenstockCPlugin* penstock_c_plugin(void) {                                                \
    static const PenstockCPlugin plugin = {sizeof(PenstockCPlugin), PENSTOCK_C_ABI_MAJOR,         \
                                           PENSTOCK_C_ABI_MINOR,    NAME,                         \
                                           LIBRARY_VERSION,         OPERATORS};                   \
    return &plugin;                                                                               \
  }

/* NOLINTEND(modernize-use-using, readability-identifier-naming) */
