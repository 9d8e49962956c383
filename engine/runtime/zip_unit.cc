#include <algorithm>

#include "runtime/kinds.h"
#include "runtime/run_core.h"

namespace penstock {
namespace {

bool same_places(const Item& a, const Item& b) {
  if (a.samples.size() != b.samples.size()) return false;
  if (a.samples.empty()) return a.origin.same_place(b.origin);
  return std::equal(a.samples.begin(), a.samples.end(), b.samples.begin(),
                    [](const Origin& x, const Origin& y) { return x.same_place(y); });
}

std::string place_text(const Item& item) {
  std::string text = "position " + std::to_string(item.origin.position);
  for (uint32_t i = 0; i < item.origin.depth; ++i) {
    text += "/" + std::to_string(item.origin.child[i]);
  }
  text += " of source " + std::to_string(item.origin.source);
  if (item.is_batch()) text += " (a batch of " + std::to_string(item.samples.size()) + ")";
  return text;
}

}  // namespace

// One side has ended: the others' rest of the epoch is not wanted.
Unit::Step ZipUnit::end_all(Worker& worker) {
  int64_t stamp = 0;
  int last = 0;
  uint64_t enabler = 0;
  for (size_t i = 0; i < in_.size(); ++i) {
    Edge& edge = *in_[i];
    if (!edge.lacking && edge.front().kind == EntryKind::kEpochEnd) {
      stamp = edge.front().stamp;
      last = static_cast<int>(i);
      enabler = edge.front().firing;
      pop(edge, worker);
    }
    set_done(edge, epoch_, worker);
  }
  end_epoch(stamp, last, enabler, worker);
  return Step::kAgain;
}

Unit::Step ZipUnit::start_one(Worker& worker) {
  bool all = true;
  for (Edge* edge : in_) {
    if (edge->lacking) {
      all = false;
    } else if (edge->front().kind == EntryKind::kEpochEnd) {
      return end_all(worker);
    }
  }
  if (!all) return Step::kIdle;
  int64_t stamp = 0;
  int last = 0;
  uint64_t enabler = 0;
  int error = -1;
  bool tombstone = false;
  const Item* differs = nullptr;
  const Item* first = in_[0]->front().item;
  for (size_t i = 0; i < in_.size(); ++i) {
    const Entry& front = in_[i]->front();
    if (front.stamp >= stamp) {
      stamp = front.stamp;
      last = static_cast<int>(i);
      enabler = front.firing;
    }
    if (front.kind == EntryKind::kError && error < 0) error = static_cast<int>(i);
    tombstone = tombstone || front.kind == EntryKind::kTombstone;
    if (front.kind != EntryKind::kError && !same_places(*first, *front.item)) {
      differs = front.item;
    }
  }
  Item* mismatch = nullptr;
  if (error < 0 && differs != nullptr) {
    mismatch = run_.make_error_item(node_, first->origin,
                                    "its inputs do not belong together: " + place_text(*first) +
                                        " came with " + place_text(*differs));
    count_error();
  }
  SmallVector<Item*, 2> heads;
  for (Edge* edge : in_) heads.push_back(pop(*edge, worker));
  if (error < 0 && mismatch == nullptr && !tombstone) {
    Slot& slot = take_slot(epoch_, stamp, last, enabler);
    slot.inputs.swap(heads);
    count_in(1);
    make_ready(slot, worker);
    return Step::kAgain;
  }
  Item* kept = mismatch;
  EntryKind kind = EntryKind::kError;
  if (error >= 0) {
    kept = std::exchange(heads[static_cast<size_t>(error)], nullptr);
  } else if (mismatch == nullptr) {
    kind = EntryKind::kTombstone;
    kept = std::exchange(heads[0], nullptr);
    kept->fields.clear();
    kept->bytes = 0;
  }
  for (Item* item : heads) {
    if (item != nullptr) worker.items.give(item);
  }
  pass_through(kept, kind, epoch_, stamp, last, enabler, worker);
  return Step::kAgain;
}

void ZipUnit::body(Slot& slot, Worker& worker) {
  Item& joined = *slot.inputs[0];
  std::vector<Field> fields(static_cast<size_t>(node_.input_fields.size()));
  for (size_t i = 0; i < slot.inputs.size(); ++i) {
    const std::vector<int>& places = node_.join[i];
    for (size_t j = 0; j < places.size() && j < slot.inputs[i]->fields.size(); ++j) {
      if (places[j] < 0) continue;
      fields[static_cast<size_t>(places[j])] = std::move(slot.inputs[i]->fields[j]);
    }
  }
  joined.fields = std::move(fields);
  joined.bytes = 0;
  Unit::body(slot, worker);
}

}  // namespace penstock
