#pragma once
/// The sequential reference: what the consumer and every Sink of a GraphCase must receive in each
/// epoch, in order, and where an error comes. It works on whole lists, one node after the other: no
/// slots, no edges, no threads, so that nothing of the runtime's reasoning is in it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/graph_case.h"
#include "support/graph_ops.h"

namespace penstock::testing {

/// What travels: an item, the place of a skipped sample, or an error.
struct Entry {
  enum class Kind : uint8_t { kItem, kTombstone, kError } kind = Kind::kItem;
  std::vector<Origin> samples;
  std::vector<int64_t> values;
  int error_node = -1;
};
using EntryEpochs = std::vector<std::vector<Entry>>;

struct ExpectedError {
  int node = -1;
  Origin origin;
  uint32_t epoch = 0;
};

struct Expected {
  Epochs consumer;        ///< up to the error or the stop; an epoch that was begun is there
  bool complete = false;  ///< every epoch came to its end
  std::optional<ExpectedError> error;  ///< what next() throws
  bool stopped = false;                ///< the consumer stopped before the end
  uint32_t epoch_ends = 0;             ///< how often next() says that an epoch is complete
  /// Errors that a Sink may report at the end of a run whose consumer stopped.
  std::vector<ExpectedError> late_errors;
  /// An epoch without a batch, which is an error when only `batches` was given.
  bool empty_epoch_error = false;
  std::map<int, Epochs> sinks;  ///< of the whole run, as if nobody had stopped it
  /// Epochs that every Sink gets in full: all, or those before the error's or the stop's.
  uint32_t full_epochs = 0;
  /// Entries of each node in each epoch, for counters.
  std::vector<EntryEpochs> entries;
};

/// Evaluates the graph; an endless one as far as the consumer reads.
Expected evaluate(const GraphCase& graph);

}  // namespace penstock::testing
