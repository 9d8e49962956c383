/* A map in C: multiplies the elements of a float32 tensor. */
#include <penstock/c_plugin.h>
#include <stdlib.h>

typedef struct {
  float factor;
  int32_t field;
} Scale;

static const DLDataType kFloat = {kDLFloat, 32, 1};

static void* create(const PenstockHost* host, PenstockSetup* setup) {
  Scale* scale = malloc(sizeof *scale);
  if (scale != NULL) scale->factor = (float)host->number(setup, "factor");
  return scale;
}

static int describe(void* self, const PenstockHost* host, PenstockSetup* setup) {
  Scale* scale = self;
  DLDataType type;
  int32_t ndim;
  int64_t shape[6];
  scale->field = host->require(setup, host->text(setup, "field"), "field");
  if (scale->field < 0 || host->field(setup, scale->field, &type, &ndim, shape) != 0) return -1;
  if (type.code == kFloat.code && type.bits == kFloat.bits && type.lanes == 1) return 0;
  return host->refuse(setup, "field", "it is no float32 tensor");
}

static int is_dense(const DLTensor* tensor) {
  int64_t expected = 1;
  for (int32_t i = tensor->ndim - 1; tensor->strides != NULL && i >= 0; --i) {
    if (tensor->shape[i] != 1 && tensor->strides[i] != expected) return 0;
    expected *= tensor->shape[i];
  }
  return 1;
}

static int process(void* self, const PenstockHost* host, PenstockFiring* firing) {
  const Scale* scale = self;
  DLTensor in, out;
  int64_t count = 1;
  if (host->input(firing, scale->field, 0, &in) != 0) return -1;
  if (in.dtype.code != kFloat.code || in.dtype.bits != kFloat.bits || !is_dense(&in)) {
    return host->fail(firing, "a dense float32 tensor is needed");
  }
  if (host->output(firing, scale->field, kFloat, in.ndim, in.shape, PENSTOCK_SAME_LAYOUT, &out) != 0) {
    return -1;
  }
  for (int32_t i = 0; i < in.ndim; ++i) count *= in.shape[i];
  const float* from = (const float*)((const char*)in.data + in.byte_offset);
  float* to = (float*)((char*)out.data + out.byte_offset);
  for (int64_t i = 0; i < count; ++i) to[i] = scale->factor * from[i];
  return 0;
}

static const double kLow = -1000, kHigh = 1000;
static const PenstockParam kParams[] = {
    {.name = "factor",
     .type = PENSTOCK_FLOAT,
     .doc = "What each element is multiplied by.",
     .default_value = "2",
     .low = &kLow,
     .high = &kHigh},
    {.name = "field", .type = PENSTOCK_STRING, .doc = "The tensor's field.", .default_value = "x"},
    {.name = NULL}};
static const PenstockField kReads[] = {{"x", "float32 vector or tensor of any shape"}, {NULL, NULL}};
static const PenstockField kWrites[] = {{"x", "float32 tensor of the same shape"}, {NULL, NULL}};
static const PenstockOperator kScale = {PENSTOCK_OPERATOR_SIZES,
                                        .kind = PENSTOCK_MAP,
                                        .name = "c_scale",
                                        .doc = "Multiplies the elements of a tensor.",
                                        .example = "{op: c_scale, params: {factor: 0.5}}",
                                        .params = kParams,
                                        .reads = kReads,
                                        .writes = kWrites,
                                        .create = create,
                                        .describe = describe,
                                        .destroy = free,
                                        .process = process};
static const PenstockOperator* const kOperators[] = {&kScale, NULL};

PENSTOCK_C_PLUGIN("c_scale", "1.0.0", "the Penstock authors", "Apache-2.0", kOperators)
