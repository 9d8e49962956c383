#include "conform/observe.h"

#include <algorithm>
#include <chrono>

#include "conform/subject.h"
#include "penstock/pipeline.h"
#include "report/digest.h"

namespace penstock::conform {
namespace {

bool fits(const std::vector<int64_t>& declared, std::span<const int64_t> actual) {
  return std::equal(declared.begin(), declared.end(), actual.begin(), actual.end(),
                    [](int64_t known, int64_t size) { return known < 0 || known == size; });
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t size : shape) {
    text += (text.empty() ? "" : ", ") + (size < 0 ? "?" : std::to_string(size));
  }
  return "[" + text + "]";
}

/// Why the field is not what infer() said, or "".
std::string untrue(const FieldInfo& declared, const Field& field) {
  const std::string start = "field '" + declared.name + "' ";
  const auto* tensor = std::get_if<Tensor>(&field);
  if (declared.is_text) {
    return tensor == nullptr ? "" : start + "is declared a text and is " + tensor->describe();
  }
  if (tensor == nullptr) return start + "is declared a tensor and is a text";
  if (!tensor->defined()) return start + "is declared and was not written";
  if (declared.dtype && *declared.dtype != tensor->dtype()) {
    return start + "is declared " + std::string(name_of(*declared.dtype)) + " and is " +
           tensor->describe();
  }
  if (declared.shape && !fits(*declared.shape, tensor->shape())) {
    return start + "is declared of shape " + shape_text(*declared.shape) + " and is " +
           tensor->describe();
  }
  if (declared.layout != Layout::kNone && declared.layout != tensor->layout()) {
    return start + "is declared " + std::string(name_of(declared.layout)) + " and is " +
           tensor->describe();
  }
  return "";
}

void compare(const FieldTable& declared, const Item& item, std::vector<std::string>* faults) {
  for (int i = 0; i < declared.size(); ++i) {
    const FieldInfo& info = declared.at(i);
    if (info.name.empty() || static_cast<size_t>(i) >= item.fields.size()) continue;
    const std::string fault = untrue(info, item.fields[static_cast<size_t>(i)]);
    if (fault.empty() || std::find(faults->begin(), faults->end(), fault) != faults->end())
      continue;
    faults->push_back(fault);
  }
}

using Clock = std::chrono::steady_clock;

Clock::time_point deadline() {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kLongestRun));
}

std::string digest_of(const Batch& batch) {
  BatchDigest digest;
  digest.add(batch);
  return digest.value();
}

}  // namespace

Observed observe(const std::shared_ptr<const Plan>& plan, int threads) {
  Observed result;
  const PlanNode& subject = Subject::node_of(*plan);
  const bool seen = subject.kind != Kind::kSink;  // what the consumer gets is the subject's
  Engine engine({.threads = threads});
  StartOptions options;
  if (threads == 0) {
    options.inline_run = true;
  } else {
    options.engine = &engine;
  }
  Run run = Pipeline(plan).start(options);
  const Clock::time_point end = deadline();
  try {
    for (;;) {
      result.cut = Clock::now() > end;
      if (result.cut) break;
      const Next next = run.next();
      if (next.kind == Next::Kind::kEnd) break;
      if (next.kind != Next::Kind::kBatch) continue;
      result.items.emplace_back(next.batch.item().origin, digest_of(next.batch));
      if (seen) compare(subject.fields, next.batch.item(), &result.untrue);
    }
  } catch (const RunError& error) {
    result.error = error.what();
  }
  for (const NodeReport& node : run.report().nodes) {
    if (node.id != subject.id) continue;
    result.firings = node.firings;
    result.skipped = node.skipped;
    result.filtered = node.filtered;
    result.mean_us = node.service_ms.mean * 1000;
    result.p95_us = node.service_ms.p95 * 1000;
  }
  return result;
}

Through run_through(const std::shared_ptr<const Plan>& plan) {
  StartOptions options;
  options.inline_run = true;
  Run run = Pipeline(plan).start(options);
  for (const Clock::time_point end = deadline(); Clock::now() < end;) {
    if (run.next().kind == Next::Kind::kEnd) break;
  }
  for (const NodeReport& node : run.report().nodes) {
    if (node.id != Subject::node_of(*plan).id) continue;
    return {node.items_in > 0 ? node.items_in : node.items_out, node.firings};
  }
  return {};
}

}  // namespace penstock::conform
