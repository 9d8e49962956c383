// Operators that throw what nobody expects, where nobody expects it: an error in words each time.

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "penstock/pipeline.h"

namespace penstock {
namespace {

using What = std::string;

/// Ten samples of one float; throws a number where `rude` says.
class RudeSource : public Source {
 public:
  explicit RudeSource(What rude) : rude_(std::move(rude)) {}
  void infer(FieldTable& fields) override {
    field_ = fields.add({"x", false, DType::kFloat32, std::vector<int64_t>{1}});
  }
  uint64_t size(uint32_t) const override {
    if (rude_ == "size") throw 3;
    return 10;
  }
  std::string key(uint64_t) const override {
    if (rude_ == "key") throw 3;
    return "k";
  }
  void process(Context& ctx) override {
    if (rude_ == "key") throw std::runtime_error("this is why");
    ctx.output(field_, {1}, DType::kFloat32).mutable_data_as<float>()[0] = 1;
  }

 private:
  What rude_;
  int field_ = -1;
};

class RudeMap : public Operator {
 public:
  explicit RudeMap(What rude) : rude_(std::move(rude)) {}
  void infer(FieldTable& fields) override {
    field_ = fields.require("x", "");
    if (rude_ == "infer") throw 3;
  }
  void process(Context& ctx) override {
    if (rude_ == "number") throw 3;
    if (rude_ == "silence") throw std::runtime_error("");
    if (rude_ == "input") ctx.tensor(field_, 5);
  }

 private:
  What rude_;
  int field_ = -1;
};

class RudeCollate : public Collate {
 public:
  explicit RudeCollate(What rude) : rude_(std::move(rude)) {}
  size_t batch_size() const override { return rude_ == "zero" ? 0 : 2; }
  bool drop_last() const override { return false; }
  void process(Context& ctx) override {
    if (rude_ == "input") ctx.in(2);
  }

 private:
  What rude_;
};

template <typename Op>
OperatorDef define(const char* name, Kind kind) {
  return {
      Schema(name, kind, "Is rude.")
          .param(
              {.name = "at", .type = ParamType::kString, .doc = "Where.", .default_value = What()}),
      [](const Params& params) { return std::make_unique<Op>(params.text("at")); }};
}

/// All that the user is told of a pipeline with these places of rudeness.
std::string told(const What& source, const What& map, const What& collate, bool serial) {
  LoadOptions options;
  options.operators = {define<RudeSource>("source", Kind::kSource),
                       define<RudeMap>("map", Kind::kMap),
                       define<RudeCollate>("group", Kind::kCollate)};
  const auto node = [](const std::string& op, const What& rude) {
    return "  - {id: " + op + ", op: " + op + ", params: {at: '" + rude + "'}}\n";
  };
  const std::string yaml =
      "penstock: 1\nnodes:\n" + node("source", source) + node("map", map) + node("group", collate);
  try {
    const Pipeline pipeline = Pipeline::parse(yaml, options);
    StartOptions start;
    start.inline_run = serial;
    Run run = pipeline.start(start);
    while (run.next().kind != Next::Kind::kEnd) {
    }
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

void check_told(const std::string& text, const std::string& part) {
  CHECK_MESSAGE(text.find(part) != std::string::npos, text);
}

TEST_CASE("whatever an operator throws is told in words") {
  const std::string number = "something that is no std::exception was thrown";
  for (const bool serial : {false, true}) {
    CHECK(told("", "", "", serial) == "nothing");
    check_told(told("size", "", "", serial),
               "source: the source cannot tell its length: " + number);
    check_told(told("key", "", "", serial), "source: this is why (");
    check_told(told("", "infer", "", serial), "nodes.map: " + number);
    check_told(told("", "number", "", serial), "map: " + number + " (");
    check_told(told("", "silence", "", serial), "map: an error without a message (");
  }
}

TEST_CASE("an input that is not there, and groups of no sample, are mistakes with words") {
  check_told(told("", "input", "", false), "map: input 5 was asked for, and there are 1 (");
  check_told(told("", "", "input", false), "group: input 2 was asked for, and there are 2 (");
  check_told(told("", "", "zero", false), "nodes.group: the operator's batch_size() is 0");
}

}  // namespace
}  // namespace penstock
