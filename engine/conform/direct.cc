#include "conform/direct.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <vector>

#include "conform/fire.h"
#include "conform/subject.h"
#include "report/digest.h"

namespace penstock::conform {
namespace {

constexpr uint64_t kSamples = 16;

std::vector<std::string> names_of(const FieldTable& table) {
  std::vector<std::string> names;
  for (const FieldInfo& field : table.all()) names.push_back(field.name);
  return names;
}

std::string digest_of(const std::vector<std::string>& names, const Item& item) {
  Item there;
  std::vector<std::string> named;
  there.origin = item.origin;
  for (size_t i = 0; i < item.fields.size() && i < names.size(); ++i) {
    const auto* tensor = std::get_if<Tensor>(&item.fields[i]);
    if (tensor != nullptr && !tensor->defined()) continue;
    there.fields.push_back(item.fields[i]);
    named.push_back(names[i]);
  }
  BatchDigest digest;
  digest.add(named, there);
  return digest.value();
}

/// A fresh object, called once: all that it gives.
std::vector<Item> call(const PlanNode& node, const std::vector<Item>& items) {
  std::vector<const Item*> in;
  for (const Item& item : items) in.push_back(&item);
  return fire(*make_operator(node), node, in, items.front().origin);
}

/// The same, to compare.
std::string outcome(const PlanNode& node, const std::vector<Item>& items) {
  std::string digests;
  for (const Item& item : call(node, items)) digests += digest_of(names_of(node.fields), item);
  return digests;
}

/// The same elements, none beside the next.
Tensor strided(const Tensor& dense) {
  if (dense.numel() < 2) return dense;
  const int dims = dense.dims();
  std::vector<int64_t> blown, strides(static_cast<size_t>(dims));
  for (int d = dims; d-- > 0;) blown.push_back(dense.size(d));
  blown.push_back(2);
  const Tensor memory = Tensor::empty(blown, dense.dtype());
  int64_t step = 2;
  for (int d = 0; d < dims; ++d) {
    strides[static_cast<size_t>(d)] = step;
    step *= dense.size(d);
  }
  const size_t size = size_of(dense.dtype());
  auto* to = static_cast<uint8_t*>(const_cast<void*>(memory.data()));
  std::memset(to, 0, memory.nbytes());
  for (int64_t i = 0; i < dense.numel(); ++i) {
    int64_t place = 0;
    for (int64_t rest = i, d = dims; d-- > 0;) {
      place += rest % dense.size(static_cast<int>(d)) * strides[static_cast<size_t>(d)];
      rest /= dense.size(static_cast<int>(d));
    }
    std::memcpy(to + static_cast<size_t>(place) * size,
                dense.bytes().data() + static_cast<size_t>(i) * size, size);
  }
  Tensor view(memory.owner(), to, dense.dtype(), dense.shape(), dense.layout());
  view.set_strides(strides);
  return view;
}

Item strided(const Item& item) {
  Item out = item;
  for (Field& field : out.fields) {
    if (auto* tensor = std::get_if<Tensor>(&field)) *tensor = strided(*tensor);
  }
  return out;
}

void note_written(const FieldTable& table, const Item& item, std::vector<std::string>* written) {
  for (size_t f = 0; f < item.fields.size(); ++f) {
    const auto* tensor = std::get_if<Tensor>(&item.fields[f]);
    const std::string& name = table.at(static_cast<int>(f)).name;
    if (tensor != nullptr && !tensor->defined()) continue;
    if (std::count(written->begin(), written->end(), name) == 0) written->push_back(name);
  }
}

/// Items of a firing.
size_t inputs_of(const PlanNode& node) { return node.kind == Kind::kCollate ? 2 : 1; }

}  // namespace

bool makes_outputs(Kind kind) {
  return kind == Kind::kMap || kind == Kind::kExpand || kind == Kind::kCollate;
}

std::string changed_input(const std::shared_ptr<const Plan>& plan) {
  const PlanNode& node = Subject::node_of(*plan);
  const std::vector<std::string> names = names_of(plan->nodes().front().fields);
  for (uint64_t i = 0; i < kSamples; ++i) {
    const std::vector<Item> given(inputs_of(node), Subject::input_of(*plan, i));
    const Item before = Subject::input_of(*plan, i);
    try {
      call(node, given);
    } catch (const std::exception&) {
      // A sample's error; the other checks look at those.
    }
    for (size_t f = 0; f < names.size(); ++f) {
      const auto only = [&](const Item& item) {
        Item one;
        one.fields = {item.fields[f]};
        return digest_of({names[f]}, one);
      };
      if (only(before) != only(given[0])) {
        return "it changes its input, which other nodes may share: field '" + names[f] +
               "' is another one after the body";
      }
    }
  }
  return "";
}

std::vector<std::string> written_fields(const std::shared_ptr<const Plan>& plan) {
  const PlanNode& node = Subject::node_of(*plan);
  std::vector<std::string> written;
  if (!makes_outputs(node.kind)) return written;
  for (uint64_t i = 0; i < kSamples; ++i) {
    const std::vector<Item> given(inputs_of(node), Subject::input_of(*plan, i));
    try {
      for (const Item& out : call(node, given)) note_written(node.fields, out, &written);
    } catch (const std::exception&) {
      // A sample's error; the other checks look at those.
    }
  }
  return written;
}

Strided try_strided(const std::shared_ptr<const Plan>& plan) {
  const PlanNode& node = Subject::node_of(*plan);
  const size_t count = inputs_of(node);
  const std::vector<std::string> names = names_of(plan->nodes().front().fields);
  Strided result;
  for (uint64_t i = 0; i < kSamples; ++i) {
    const Item dense = Subject::input_of(*plan, i);
    std::string expected;
    try {
      expected = outcome(node, std::vector<Item>(count, dense));
    } catch (const std::exception&) {
      continue;  // nothing to compare with
    }
    const Item given = strided(dense);
    const std::string before = digest_of(names, given);
    std::optional<std::string> actual;
    try {
      actual = outcome(node, std::vector<Item>(count, given));
    } catch (const std::exception&) {
      ++result.refused;
    }
    result.changes_input = result.changes_input || digest_of(names, given) != before;
    if (!actual) continue;
    if (*actual == expected) {
      ++result.same;
      continue;
    }
    result.wrong = "position " + std::to_string(i);
    return result;
  }
  return result;
}

}  // namespace penstock::conform
