// The plain values of pipeline.h; Engine, Run and Pipeline live in the rooms that run them.
#include <stdexcept>

#include "penstock/pipeline.h"

namespace penstock {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

}  // namespace

InvalidPipeline::InvalidPipeline(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(format_text(diagnostics)), diagnostics_(std::move(diagnostics)) {}

RunError::RunError(ErrorInfo info) : std::runtime_error(info.describe()), info_(std::move(info)) {}

const std::vector<std::string>& Batch::names() const {
  static const std::vector<std::string> none;
  return names_ == nullptr ? none : *names_;
}

const Field& Batch::field(std::string_view name) const {
  if (names_ == nullptr) throw std::out_of_range("the batch is empty");
  for (size_t i = 0; i < names_->size() && i < item_.fields.size(); ++i) {
    if (!name.empty() && (*names_)[i] == name) return item_.fields[i];
  }
  throw std::out_of_range("the batch has no field '" + std::string(name) +
                          "'; its fields are: " + joined(*names_));
}

const Tensor& Batch::tensor(std::string_view name) const {
  const Tensor* tensor = std::get_if<Tensor>(&field(name));
  if (tensor == nullptr) {
    throw std::invalid_argument("field '" + std::string(name) + "' is a text, not a tensor");
  }
  return *tensor;
}

std::vector<Origin> Batch::origins() const {
  if (names_ == nullptr) return {};
  if (item_.is_batch()) return item_.samples;
  return {item_.origin};
}

}  // namespace penstock
