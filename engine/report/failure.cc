#include "report/failure.h"

#include <new>
#include <nlohmann/json.hpp>

#include "penstock/pipeline.h"
#include "report/or_null.h"

namespace penstock {
FailureReport failure_of(const ErrorInfo& error) {
  return {error.node, error.where, error.key, error.message, error.describe()};
}

FailureReport failure_of(const std::exception& error) {
  if (const auto* run = dynamic_cast<const RunError*>(&error)) return failure_of(run->info());
  const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  const std::string text = memory ? "out of memory" : error.what();
  return {"", "", "", text, text};
}

nlohmann::ordered_json json_of(const FailureReport& failure) {
  return {{"node", or_null(failure.node)},
          {"where", or_null(failure.where)},
          {"key", or_null(failure.key)},
          {"message", failure.message},
          {"text", failure.text}};
}

}  // namespace penstock
