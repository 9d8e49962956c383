#include "conform/observe.h"

#include <algorithm>
#include <chrono>

#include "conform/subject.h"
#include "penstock/pipeline.h"
#include "report/declared.h"
#include "report/digest.h"

namespace penstock::conform {
namespace {

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
      if (seen) add_untrue(subject.fields, next.batch.item(), &result.untrue);
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
