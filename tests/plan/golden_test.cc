// Walks tests/golden/plan: NAME.yaml must give NAME.txt, the exact text of all diagnostics and,
// where there is a plan, its nodes with their in-edges and fields. The operators are those of
// support/plain_operators.h and the one below. PENSTOCK_UPDATE_GOLDEN=1 writes the texts anew; read
// the difference before you commit it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "config/load.h"
#include "plan/plan.h"
#include "support/plain_operators.h"
#include "support/plan_builder.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;

/// A map with a parameter of each type that says no to some values.
class Strict : public Operator {
 public:
  explicit Strict(const Params& params) : params_(params) {
    const std::string& where = params.text("where");
    if (where.ends_with("gone/away")) {
      throw ParamError("where", "there is no such folder", "make the folder");
    }
    if (params.text("mode") == "boom") throw std::runtime_error("the machine has no such unit");
  }
  void infer(FieldTable& fields) override {
    fields.require(params_.text("field"), "field");
    for (const std::string& name : params_.texts("names")) fields.add({.name = name});
  }

 private:
  Params params_;
};

OperatorDef strict() {
  Schema schema("strict", Kind::kMap, "Takes all types.");
  schema.param({.name = "flag", .type = ParamType::kBool, .doc = "-", .default_value = false})
      .param({.name = "ratio",
              .type = ParamType::kFloat,
              .doc = "-",
              .default_value = 0.5,
              .low = 0,
              .high = 1})
      .param({.name = "share", .type = ParamType::kFloat, .doc = "-"})
      .param({.name = "size", .type = ParamType::kBytes, .doc = "-", .default_value = int64_t{0}})
      .param({.name = "time",
              .type = ParamType::kDuration,
              .doc = "-",
              .default_value = int64_t{0},
              .high = 1e9})
      .param({.name = "mode",
              .type = ParamType::kChoice,
              .doc = "-",
              .default_value = std::string("linear"),
              .choices = {"linear", "nearest", "boom"}})
      .param({.name = "dtype",
              .type = ParamType::kDType,
              .doc = "-",
              .default_value = std::string("uint8")})
      .param({.name = "pair",
              .type = ParamType::kIntList,
              .doc = "-",
              .default_value = std::vector<int64_t>{1, 1},
              .min_items = 1,
              .max_items = 2})
      .param({.name = "names",
              .type = ParamType::kStringList,
              .doc = "-",
              .default_value = std::vector<std::string>{}})
      .param({.name = "where",
              .type = ParamType::kPath,
              .doc = "-",
              .default_value = std::string("/")})
      .param({.name = "field",
              .type = ParamType::kString,
              .doc = "-",
              .default_value = std::string("value")})
      .param({.name = "label",
              .type = ParamType::kString,
              .doc = "-",
              .default_value = std::string(),
              .deprecated = "names"});
  return {std::move(schema), [](const Params& params) { return std::make_unique<Strict>(params); }};
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string edge_text(const Plan& plan, int index) {
  const PlanEdge& edge = plan.edges()[static_cast<size_t>(index)];
  return plan.nodes()[static_cast<size_t>(edge.from)].id + " (" + std::to_string(edge.capacity) +
         ")";
}

std::string plan_text(const Plan& plan) {
  std::string text = "plan " + plan.fingerprint() + "\n";
  for (const PlanNode& node : plan.nodes()) {
    text += node.id + ":";
    for (const int edge : node.in_edges) text += " <- " + edge_text(plan, edge);
    text += " " + std::string(name_of(node.kind)) + " x " + std::to_string(node.concurrency) +
            ", depth " + std::to_string(node.depth) + ", gives " + node.fields.names() + "\n";
  }
  return text + "consumer: <- " + edge_text(plan, plan.consumer_edge()) + "\n";
}

std::string golden_text(const fs::path& path, const Registry& registry) {
  std::vector<Diagnostic> diagnostics;
  std::optional<GraphSpec> partial;
  auto spec = load_text(read_text(path), path.filename().string(), path.parent_path().string(), {},
                        &diagnostics, &partial);
  std::shared_ptr<const Plan> plan;
  if (!spec) spec = partial;
  if (spec) plan = make_plan(*spec, registry, &diagnostics);
  sort_diagnostics(&diagnostics);
  std::string text = format_text(diagnostics);
  if (plan != nullptr) text += plan_text(*plan);
  return text;
}

TEST_CASE("each pipeline of tests/golden/plan gives its text") {
  Registry registry = plain_registry();
  REQUIRE(registry.add(strict(), "tests") == "");
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(PENSTOCK_SOURCE_DIR "/tests/golden/plan")) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  REQUIRE(paths.size() > 10);
  for (const fs::path& path : paths) {
    CAPTURE(path.filename().string());
    const std::string text = golden_text(path, registry);
    const fs::path expected = fs::path(path).replace_extension(".txt");
    if (std::getenv("PENSTOCK_UPDATE_GOLDEN") != nullptr) std::ofstream(expected) << text;
    CHECK(text == read_text(expected));
  }
}

TEST_CASE("bounds of whole numbers are exact where doubles are not") {
  OperatorDef def = strict();
  def.schema.param({.name = "n", .type = ParamType::kInt, .doc = "-", .high = 0x1p53});
  Registry registry = plain_registry();
  REQUIRE(registry.add(std::move(def), "tests") == "");
  const auto errors = [&registry](int64_t n) {
    return plan_errors(
        PlanBuilder().node("a", "numbers").node("b", "strict").param("share", "1").param("n", n),
        registry);
  };
  CHECK(errors(int64_t{1} << 53) == "");
  CHECK(errors((int64_t{1} << 53) + 1).find("must be at most") != std::string::npos);
}

}  // namespace
}  // namespace penstock
