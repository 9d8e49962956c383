#include "conform/subject.h"

#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/heap_context.h"
#include "config/load.h"
#include "plan/complaints.h"
#include "plan/parameters.h"
#include "report/sample.h"

namespace penstock::conform {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSubject = "subject";
constexpr size_t kMostTries = 400;

/// The subject's place in its pipeline is nobody else's.
std::string without_place(std::string text) {
  for (const char* place : {"nodes.subject.params.", "nodes.subject: "}) {
    for (size_t at = text.find(place); at != std::string::npos; at = text.find(place)) {
      text.erase(at, std::strlen(place));
    }
  }
  return text;
}

std::string text_of(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Diagnostic::Severity::kError) continue;
    text += (text.empty() ? "" : "; ") + without_place(diagnostic.message);
    if (!diagnostic.help.empty()) text += " (" + diagnostic.help + ")";
  }
  return text;
}

bool is_set(const std::vector<std::string>& set, const std::string& name) {
  return std::any_of(set.begin(), set.end(),
                     [&](const std::string& text) { return text.starts_with(name + "="); });
}

NodeSpec feed_node(const std::string& id) {
  NodeSpec node;
  node.id = id;
  node.op = "conform_feed";
  return node;
}

FromSpec from(const std::string& node, const std::string& name) {
  FromSpec spec;
  spec.node = node;
  spec.name = name;
  return spec;
}

}  // namespace

Subject::Subject(const Registry& registry, const std::string& op,
                 const std::vector<std::string>& set)
    : registry_(registry), entry_(*registry.find(op)) {
  node_.id = kSubject;
  node_.op = op;
  fault_ = read_example(set);
  replace_paths(set);
  if (fault_.empty()) fault_ = fault_of_params();
}

Subject::~Subject() {
  std::error_code error;
  if (!folder_.empty()) fs::remove_all(folder_, error);
}

std::string Subject::read_example(const std::vector<std::string>& set) {
  std::string example = schema().example();
  if (example.empty()) example = "{op: " + schema().name() + "}";
  if (example.front() != '{') return "its example is no mapping in braces: " + example;
  const std::string text = "penstock: 1\nnodes:\n  - {id: subject, " + example.substr(1) + "\n";
  std::vector<std::string> sets;
  for (const std::string& assignment : set) sets.push_back("nodes.subject.params." + assignment);
  std::vector<Diagnostic> found;
  const auto spec = load_text(text, "example", "", sets, &found);
  if (!spec) return "its example cannot be read: " + text_of(found);
  if (spec->nodes[0].op != schema().name()) return "its example is of another operator";
  node_ = spec->nodes[0];
  node_.from.clear();
  node_.from_given = false;
  // The engine's own choice of records is not what is checked.
  std::erase_if(node_.params, [](const auto& param) { return param.first.text == "shuffle"; });
  return "";
}

// Parameters that are paths, unless the caller knows better.
void Subject::replace_paths(const std::vector<std::string>& set) {
  for (const Param& param : schema().params()) {
    if (param.type != ParamType::kPath || is_set(set, param.name)) continue;
    const auto written =
        std::find_if(node_.params.begin(), node_.params.end(),
                     [&](const auto& each) { return each.first.text == param.name; });
    if (written == node_.params.end() && !param.required) continue;
    if (folder_.empty()) folder_ = make_folder();
    if (written != node_.params.end()) node_.params.erase(written);
    node_.params.emplace_back(Value::scalar(param.name), Value::scalar(folder_, true));
    made_paths_.push_back(param.name);
  }
}

std::string Subject::fault_of_params() const {
  std::vector<Diagnostic> found;
  Complaints say(&found);
  check_params(node_, schema(), &say);
  const std::string text = text_of(found);
  return text.empty() ? "" : "the parameters of its example: " + text;
}

std::string Subject::make_folder() {
  std::string path = (fs::temp_directory_path() / "penstock-check-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make a folder in " + path);
  const std::vector<uint8_t> picture = small_picture();
  for (int i = 0; i < 8; ++i) {
    const fs::path folder = fs::path(path) / (i % 2 == 0 ? "a" : "b");
    fs::create_directories(folder);
    std::ofstream(folder / (std::to_string(i) + ".png"), std::ios::binary)
        .write(reinterpret_cast<const char*>(picture.data()),
               static_cast<std::streamsize>(picture.size()));
  }
  return path;
}

/// Names of the fields that it may ask for, with the words about them: those that the schema names,
/// and those that its parameters name.
std::vector<std::pair<std::string, std::string>> Subject::wanted_fields() const {
  std::vector<std::pair<std::string, std::string>> fields;
  std::string words;
  const auto add = [&](const std::string& name, const std::string& doc) {
    const bool known = std::any_of(fields.begin(), fields.end(),
                                   [&](const auto& field) { return field.first == name; });
    if (!known && !name.empty()) fields.emplace_back(name, doc);
  };
  for (const auto& [name, doc] : schema().reads()) {
    if (name == "*") continue;
    add(name, doc);
    words += doc + " ";
  }
  for (const auto& [key, value] : node_.params) {
    const Param* param = schema().find(key.text);
    if (param == nullptr) continue;
    if (param->type == ParamType::kString) add(value.text, words);
    if (param->type != ParamType::kStringList) continue;
    if (value.kind == Value::Kind::kScalar) add(value.text, words);
    for (const Value& item : value.items) add(item.text, words);
  }
  if (fields.empty()) fields = {{"x", "float32 vector"}, {"label", "int64 0-d"}, {"name", "text"}};
  return fields;
}

std::string Subject::find_inputs() {
  if (!fault_.empty()) return fault_;
  if (!has_inputs()) return try_inputs();
  const auto wanted = wanted_fields();
  std::vector<std::vector<Material>> choices;
  size_t combinations = 1;
  for (const auto& [name, doc] : wanted) {
    choices.push_back(materials_for(doc));
    combinations = std::min(combinations * choices.back().size(), kMostTries);
  }
  std::string first_reason;
  for (size_t i = 0; i < combinations; ++i) {
    inputs_.clear();
    size_t rest = i;
    for (size_t f = 0; f < wanted.size(); ++f) {
      inputs_.push_back({wanted[f].first, choices[f][rest % choices[f].size()]});
      rest /= choices[f].size();
    }
    const std::string reason = try_inputs();
    if (reason.empty()) return "";
    if (first_reason.empty()) first_reason = reason;
  }
  return "it takes none of the made-up inputs; of the likeliest it says: " + first_reason;
}

std::string Subject::try_inputs() {
  std::string reasons;
  const auto made = plan({.items = 8}, &reasons);
  if (made == nullptr && !made_paths_.empty()) {
    reasons += " (that path is made up: give one with --set " + schema().name() + "." +
               made_paths_.front() + "=PATH)";
  }
  if (made == nullptr) return reasons;
  for (const NodeSample& node : sample_plan(*made, 8)) {
    if (!node.errors.empty()) return node.errors[0].message;
  }
  return "";
}

Item Subject::input_of(const Plan& plan, uint64_t position) {
  const PlanNode& feed = plan.nodes().front();
  Origin origin;
  origin.position = origin.index = position;
  HeapContext ctx(1, 1, {}, origin);
  feed.prototype->process(ctx);
  return ctx.finish({}, static_cast<size_t>(feed.fields.size()));
}

const PlanNode& Subject::node_of(const Plan& plan) {
  const auto& nodes = plan.nodes();
  return *std::find_if(nodes.begin(), nodes.end(),
                       [](const PlanNode& node) { return node.id == kSubject; });
}

std::shared_ptr<const Plan> Subject::plan(const Setting& setting, std::string* reasons) const {
  Registry registry = registry_;
  GraphSpec spec;
  spec.seed = setting.seed;
  NodeSpec node = node_;
  node.concurrency = setting.concurrency;
  node.on_error.skip = setting.skip_errors;
  if (has_inputs()) {
    registry.add(make_feed("conform_feed", inputs_, setting.items, setting.odd_every),
                 "penstock plugin check");
    spec.nodes.push_back(feed_node("feed"));
    spec.epochs = 1;
  } else {
    spec.batches = setting.items;
  }
  const Kind kind = schema().kind();
  if (kind == Kind::kZip || kind == Kind::kMerge) {
    const bool named = kind == Kind::kZip;
    spec.nodes.push_back(feed_node("feed2"));
    node.from_given = true;
    node.from = {from("feed", named ? "left" : ""), from("feed2", named ? "right" : "")};
  }
  spec.nodes.push_back(std::move(node));
  if (kind == Kind::kSink) spec.consumer.from = "feed";
  std::vector<Diagnostic> found;
  auto plan = make_plan(spec, registry, &found);
  if (plan == nullptr) *reasons = text_of(found);
  return plan;
}

}  // namespace penstock::conform
