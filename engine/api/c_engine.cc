#include "penstock/c_engine.h"

#include <memory>
#include <string>
#include <utility>

#include "base/dlpack_view.h"
#include "base/thrown.h"
#include "penstock/pipeline.h"
#include "penstock/plugin.h"

struct PenstockPipeline {
  penstock::Pipeline pipeline;
};
struct PenstockRun {
  penstock::Run run;
  std::string report;
};
struct PenstockBatch {
  penstock::Batch batch;
};

namespace penstock {
namespace {

std::string& last_error() {
  thread_local std::string text;
  return text;
}

/// Keeps the reason of what is being handled.
void note() noexcept {
  try {
    last_error() = thrown_text();
  } catch (...) {
    last_error().clear();  // no memory for the reason
  }
}

/// What `body` gives, or `otherwise` with a note of what it threw.
template <typename Result, typename Body>
Result guarded(Result otherwise, Body body) noexcept {
  try {
    return body();
  } catch (...) {
    note();
  }
  return otherwise;
}

/// Throws where a caller goes on after a failure, with what that gave.
template <typename Object>
Object& checked(Object* object, const char* what) {
  if (object == nullptr) throw std::invalid_argument(std::string(what) + " is null");
  return *object;
}

constexpr const char* kBatch = "the batch";

std::out_of_range no_such_field(size_t field, const Batch& batch) {
  return std::out_of_range("there is no field " + std::to_string(field) + ": the batch has " +
                           std::to_string(batch.names().size()) + ", counted from 0");
}

const Field& field_at(const PenstockBatch* batch, size_t field) {
  const Batch& of = checked(batch, kBatch).batch;
  const auto& fields = of.item().fields;
  if (field >= fields.size() || field >= of.names().size() || of.names()[field].empty()) {
    throw no_such_field(field, of);
  }
  return fields[field];
}

const std::string& text_at(const Field& field, size_t sample) {
  if (const auto* text = std::get_if<std::string>(&field); text != nullptr && sample == 0) {
    return *text;
  }
  const auto* texts = std::get_if<std::vector<std::string>>(&field);
  if (texts == nullptr || sample >= texts->size()) {
    throw std::out_of_range("the field is no text of such a sample");
  }
  return (*texts)[sample];
}

}  // namespace
}  // namespace penstock

using penstock::checked;
using penstock::guarded;

const char* penstock_version() { return penstock::kVersion; }
const char* penstock_error() { return penstock::last_error().c_str(); }

PenstockPipeline* penstock_load(const char* path) {
  return guarded<PenstockPipeline*>(nullptr, [&] {
    return new PenstockPipeline{penstock::Pipeline::load(&checked(path, "the path"))};
  });
}
void penstock_free_pipeline(PenstockPipeline* pipeline) { delete pipeline; }

PenstockRun* penstock_start(const PenstockPipeline* pipeline) {
  return guarded<PenstockRun*>(nullptr, [&] {
    return new PenstockRun{.run = checked(pipeline, "the pipeline").pipeline.start(), .report = ""};
  });
}
void penstock_free_run(PenstockRun* run) { delete run; }

int penstock_next(PenstockRun* run, PenstockBatch** batch) {
  if (batch != nullptr) *batch = nullptr;
  return guarded(-1, [&] {
    checked(batch, "the place for a batch");
    penstock::Next next = checked(run, "the run").run.next();
    switch (next.kind) {
      case penstock::Next::Kind::kBatch:
        *batch = new PenstockBatch{std::move(next.batch)};
        return static_cast<int>(PENSTOCK_BATCH);
      case penstock::Next::Kind::kEpochEnd:
        return static_cast<int>(PENSTOCK_EPOCH_END);
      default:
        return static_cast<int>(PENSTOCK_END);
    }
  });
}
void penstock_free_batch(PenstockBatch* batch) { delete batch; }

size_t penstock_batch_size(const PenstockBatch* batch) {
  return guarded(size_t{0}, [&] {
    return static_cast<size_t>(checked(batch, penstock::kBatch).batch.size());
  });
}
size_t penstock_field_count(const PenstockBatch* batch) {
  return guarded(size_t{0}, [&] { return checked(batch, penstock::kBatch).batch.names().size(); });
}
const char* penstock_field_name(const PenstockBatch* batch, size_t field) {
  return guarded<const char*>(nullptr, [&] {
    const penstock::Batch& of = checked(batch, penstock::kBatch).batch;
    if (field >= of.names().size()) throw penstock::no_such_field(field, of);
    return of.names()[field].c_str();
  });
}
DLManagedTensor* penstock_field_tensor(const PenstockBatch* batch, size_t field) {
  return guarded<DLManagedTensor*>(nullptr, [&] {
    const auto* tensor = std::get_if<penstock::Tensor>(&penstock::field_at(batch, field));
    if (tensor == nullptr) throw std::invalid_argument("the field is a text");
    if (!tensor->defined()) throw std::out_of_range("the field was not written");
    return penstock::dlpack_share(*tensor);
  });
}
const char* penstock_field_text(const PenstockBatch* batch, size_t field, size_t sample,
                                size_t* bytes) {
  if (bytes != nullptr) *bytes = 0;
  return guarded<const char*>(nullptr, [&] {
    const std::string& text = penstock::text_at(penstock::field_at(batch, field), sample);
    if (bytes != nullptr) *bytes = text.size();
    return text.c_str();
  });
}

const char* penstock_report(PenstockRun* run) {
  return guarded<const char*>(nullptr, [&] {
    PenstockRun& of = checked(run, "the run");
    of.report = penstock::format_json(of.run.report());
    return of.report.c_str();
  });
}
