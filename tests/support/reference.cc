#include "support/reference.h"

#include <algorithm>
#include <utility>

namespace penstock::testing {
namespace {

using List = std::vector<Entry>;
using Inputs = std::vector<const List*>;

bool same_places(const Entry& a, const Entry& b) {
  return std::equal(a.samples.begin(), a.samples.end(), b.samples.begin(), b.samples.end(),
                    [](const Origin& x, const Origin& y) { return x.same_place(y); });
}

/// One node over one epoch.
class NodeEpoch {
 public:
  NodeEpoch(const GraphCase& graph, int node, uint32_t epoch, const Inputs& in, uint32_t source)
      : graph_(graph),
        spec_(graph.nodes[static_cast<size_t>(node)]),
        node_(node),
        epoch_(epoch),
        source_(source),
        in_(in) {}

  List run() {
    switch (spec_.step) {
      case Step::kSource:
        source();
        break;
      case Step::kMap:
      case Step::kFilter:
      case Step::kState:
      case Step::kSink:
        map();
        break;
      case Step::kTake:
        take();
        break;
      case Step::kCollate:
        collate();
        break;
      case Step::kZip:
        zip();
        break;
      case Step::kMerge:
        merge();
        break;
      case Step::kExpand:
        expand();
        break;
    }
    return std::move(out_);
  }

 private:
  struct Place {
    bool open = false;
    Entry parent;
    int next = 0;
  };

  /// Passes a body's result on, or what the policy makes of its failure. True: it succeeded.
  bool emit(Entry entry) {
    const bool failed = body_fails(graph_, node_, key_of(entry.samples.front()));
    if (failed) {
      ++failures_;
      const bool error = spec_.on_fail == OnFail::kFail ||
                         (spec_.on_fail == OnFail::kMaxCount && failures_ > spec_.max_count);
      entry.kind = error ? Entry::Kind::kError : Entry::Kind::kTombstone;
      entry.values.clear();
      entry.error_node = node_;
    }
    out_.push_back(std::move(entry));
    return !failed;
  }

  void source() {
    const int count = spec_.sizes[epoch_ % spec_.sizes.size()];
    for (int i = 0; i < count; ++i) {
      Origin origin;
      origin.source = source_;
      origin.epoch = epoch_;
      origin.position = origin.index = static_cast<uint64_t>(i);
      emit({Entry::Kind::kItem, {origin}, {source_value(node_, key_of(origin))}, -1});
    }
  }

  void map() {
    int64_t state = 1;
    for (const Entry& entry : *in_[0]) {
      if (entry.kind != Entry::Kind::kItem) {
        out_.push_back(entry);
        continue;
      }
      Entry result = entry;
      const uint64_t key = key_of(entry.samples.front());
      if (body_fails(graph_, node_, key)) {
        emit(std::move(result));
        continue;
      }
      if (spec_.step == Step::kFilter && body_drops(graph_, node_, key)) {
        result.kind = Entry::Kind::kTombstone;
        result.values.clear();
        out_.push_back(std::move(result));
        continue;
      }
      for (int64_t& value : result.values) {
        if (spec_.step != Step::kSink) value = map_value(node_, value);
        if (spec_.step == Step::kState) value = state = state_value(state, value);
      }
      emit(std::move(result));
    }
  }

  void take() {
    int taken = 0;
    for (const Entry& entry : *in_[0]) {
      if (taken == spec_.limit) return;
      if (entry.kind == Entry::Kind::kItem) ++taken;
      out_.push_back(entry);
    }
  }

  void flush(Entry* group) {
    if (group->samples.empty()) return;
    emit(std::move(*group));
    *group = Entry();
  }

  void collate() {
    Entry group;
    int count = 0;
    for (const Entry& entry : *in_[0]) {
      if (entry.kind == Entry::Kind::kError) out_.push_back(entry);
      if (entry.kind != Entry::Kind::kItem) continue;
      group.samples.insert(group.samples.end(), entry.samples.begin(), entry.samples.end());
      group.values.insert(group.values.end(), entry.values.begin(), entry.values.end());
      if (++count == spec_.batch) {
        flush(&group);
        count = 0;
      }
    }
    if (!spec_.drop_last) flush(&group);
  }

  void zip() {
    size_t rows = in_[0]->size();
    for (const List* list : in_) rows = std::min(rows, list->size());
    for (size_t row = 0; row < rows; ++row) {
      std::vector<const Entry*> heads;
      for (const List* list : in_) heads.push_back(&(*list)[row]);
      zip_row(heads);
    }
  }

  void zip_row(const std::vector<const Entry*>& heads) {
    const auto is = [](Entry::Kind kind) {
      return [kind](const Entry* head) { return head->kind == kind; };
    };
    const auto error = std::find_if(heads.begin(), heads.end(), is(Entry::Kind::kError));
    Entry result = error == heads.end() ? *heads[0] : **error;
    if (error != heads.end()) {
      out_.push_back(std::move(result));
    } else if (!std::all_of(heads.begin(), heads.end(),
                            [&](const Entry* head) { return same_places(*heads[0], *head); })) {
      result.kind = Entry::Kind::kError;
      result.error_node = node_;
      out_.push_back(std::move(result));
    } else if (std::any_of(heads.begin(), heads.end(), is(Entry::Kind::kTombstone))) {
      result.kind = Entry::Kind::kTombstone;
      result.values.clear();
      out_.push_back(std::move(result));
    } else {
      for (size_t j = 1; j < heads.size(); ++j) {
        for (size_t i = 0; i < result.values.size(); ++i) {
          result.values[i] = zip_value(result.values[i], heads[j]->values[i]);
        }
      }
      emit(std::move(result));
    }
  }

  void merge() {
    std::vector<size_t> next(in_.size(), 0);
    size_t left = 0;
    for (const List* list : in_) left += list->size();
    for (size_t turn = 0; left > 0; turn = (turn + 1) % in_.size()) {
      if (next[turn] == in_[turn]->size()) continue;
      out_.push_back((*in_[turn])[next[turn]++]);
      --left;
    }
  }

  void expand() {
    std::vector<Place> places(static_cast<size_t>(spec_.cycle));
    const List& parents = *in_[0];
    size_t next = 0;
    for (size_t turn = 0;; ++turn) {
      Place& place = places[turn % places.size()];
      while (!place.open && next < parents.size()) {
        const Entry& entry = parents[next++];
        if (entry.kind == Entry::Kind::kItem) {
          place = {true, entry, 0};
        } else {
          out_.push_back(entry);
        }
      }
      const auto open = [](const Place& other) { return other.open; };
      if (std::none_of(places.begin(), places.end(), open)) return;
      if (place.open) chunk(&place);
    }
  }

  void chunk(Place* place) {
    const Origin& parent = place->parent.samples.front();
    const int children = child_count(graph_, node_, key_of(parent));
    for (int i = 0; i < spec_.chunk && place->open; ++i) {
      if (place->next == children) {
        place->open = false;
        return;
      }
      const Origin child = child_of(parent, static_cast<uint32_t>(place->next++));
      const int64_t value = child_value(place->parent.values.front(), key_of(child));
      place->open = emit({Entry::Kind::kItem, {child}, {value}, -1});
    }
  }

  const GraphCase& graph_;
  const CaseNode& spec_;
  const int node_;
  const uint32_t epoch_, source_;
  const Inputs& in_;
  List out_;
  int failures_ = 0;
};

std::vector<EntryEpochs> evaluate_nodes(const GraphCase& graph, uint32_t epochs) {
  std::vector<EntryEpochs> lists(graph.nodes.size(), EntryEpochs(epochs));
  uint32_t sources = 0;
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    const uint32_t source = graph.nodes[node].step == Step::kSource ? sources++ : 0;
    for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
      Inputs in;
      for (int from : graph.nodes[node].from)
        in.push_back(&lists[static_cast<size_t>(from)][epoch]);
      lists[node][epoch] = NodeEpoch(graph, static_cast<int>(node), epoch, in, source).run();
    }
  }
  return lists;
}

std::optional<ExpectedError> first_error(const EntryEpochs& epochs) {
  for (uint32_t epoch = 0; epoch < epochs.size(); ++epoch) {
    for (const Entry& entry : epochs[epoch]) {
      if (entry.kind == Entry::Kind::kError) {
        return ExpectedError{entry.error_node, entry.samples.front(), epoch};
      }
    }
  }
  return std::nullopt;
}

Epochs items(const EntryEpochs& epochs) {
  Epochs result(epochs.size());
  for (size_t epoch = 0; epoch < epochs.size(); ++epoch) {
    for (const Entry& entry : epochs[epoch]) {
      if (entry.kind == Entry::Kind::kItem) {
        result[epoch].push_back({entry.samples, entry.values});
      }
    }
  }
  return result;
}

/// What the consumer sees of its list when it reads to the end or to the first error.
class Consumer {
 public:
  Consumer(const GraphCase& graph, Expected* expected) : graph_(graph), out_(*expected) {}

  void read(const EntryEpochs& epochs) {
    for (uint32_t epoch = 0; epoch < epochs.size(); ++epoch) {
      out_.consumer.emplace_back();
      out_.full_epochs = epoch;
      for (const Entry& entry : epochs[epoch]) {
        if (!take(entry, epoch)) return;
      }
      if (graph_.stop_after >= 0 && graph_.stop == Stop::kEndless && out_.consumer[epoch].empty()) {
        out_.empty_epoch_error = true;
        return;
      }
      out_.full_epochs = epoch + 1;
      if (const auto error = sink_error(epoch)) {
        out_.error = error;
        return;
      }
      out_.epoch_ends = epoch + 1;
    }
    out_.complete = true;
  }

 private:
  bool take(const Entry& entry, uint32_t epoch) {
    if (entry.kind == Entry::Kind::kError) {
      out_.error = ExpectedError{entry.error_node, entry.samples.front(), epoch};
      return false;
    }
    if (entry.kind == Entry::Kind::kTombstone) return true;
    out_.consumer.back().push_back({entry.samples, entry.values});
    if (++delivered_ != graph_.stop_after) return true;
    out_.stopped = true;
    return false;
  }

  /// The first in plan order that a Sink kept in this epoch.
  std::optional<ExpectedError> sink_error(uint32_t epoch) const {
    for (const auto& [node, epochs] : out_.sinks) {
      const auto error = first_error(out_.entries[static_cast<size_t>(node)]);
      if (error && error->epoch == epoch) return error;
    }
    return std::nullopt;
  }

  const GraphCase& graph_;
  Expected& out_;
  int64_t delivered_ = 0;
};

}  // namespace

Expected evaluate(const GraphCase& graph) {
  const bool endless = graph.stop_after >= 0 && graph.stop == Stop::kEndless;
  const uint32_t epochs = endless ? static_cast<uint32_t>(graph.stop_after) + 1 : graph.epochs;
  Expected expected;
  expected.entries = evaluate_nodes(graph, epochs);
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    if (graph.nodes[node].step != Step::kSink) continue;
    expected.sinks[static_cast<int>(node)] = items(expected.entries[node]);
  }
  Consumer(graph, &expected).read(expected.entries[static_cast<size_t>(graph.consumer)]);
  if (expected.stopped) {
    if (graph.stop == Stop::kBatches) expected.full_epochs = epochs;
    for (const auto& [node, list] : expected.sinks) {
      const auto error = first_error(expected.entries[static_cast<size_t>(node)]);
      if (error) expected.late_errors.push_back(*error);
    }
  }
  return expected;
}

}  // namespace penstock::testing
