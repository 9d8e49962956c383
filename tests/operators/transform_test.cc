#include <doctest/doctest.h>

#include <set>

#include "penstock/testing.h"

namespace penstock::testing {
namespace {

std::vector<NamedFields> numbered(int count) {
  std::vector<NamedFields> inputs;
  for (int i = 0; i < count; ++i) inputs.push_back({{"label", label_of(i)}});
  return inputs;
}

std::vector<uint64_t> kept(const std::vector<Sample>& samples) {
  std::vector<uint64_t> positions;
  for (const Sample& sample : samples) {
    if (!sample.dropped) positions.push_back(sample.origin.position);
  }
  return positions;
}

TEST_CASE("filter keeps every n-th position") {
  CHECK(kept(run_operator("filter", {{"every", 3}}, numbered(8))) ==
        std::vector<uint64_t>{0, 3, 6});
}

TEST_CASE("filter keeps about the given part, the same samples for the same seed") {
  const ParamList params{{"keep", 0.5}};
  const auto first = kept(run_operator("filter", params, numbered(1000)));
  CHECK(first.size() > 440);
  CHECK(first.size() < 560);
  CHECK(first == kept(run_operator("filter", params, numbered(1000))));
  Setup other;
  other.seed = 18;
  CHECK(first != kept(run_operator("filter", params, numbered(1000), other)));
  CHECK(kept(run_operator("filter", {{"keep", 0}}, numbered(100))).empty());
  CHECK(kept(run_operator("filter", {{"keep", 1}}, numbered(100))).size() == 100);
}

TEST_CASE("filter needs exactly one of its parameters") {
  CHECK_THROWS_WITH_AS(make_operator("filter"), "filter needs one of 'keep' and 'every'",
                       ParamError);
  CHECK_THROWS_WITH_AS(make_operator("filter", {{"keep", 0.5}, {"every", 2}}),
                       "filter needs one of 'keep' and 'every'", ParamError);
  CHECK(find_operator("filter").schema.may_drop());
}

TEST_CASE("repeat passes each item on several times, sharing its memory") {
  const auto inputs = numbered(2);
  const auto out = run_operator("repeat", {{"times", 3}}, inputs);
  REQUIRE(out.size() == 6);
  std::set<Origin> origins;
  for (const Sample& sample : out) origins.insert(sample.origin);
  CHECK(origins.size() == 6);
  CHECK(out[2].origin.position == 0);
  CHECK(out[2].origin.child[0] == 2);
  const auto* memory = std::get<Tensor>(inputs[1][0].second).data();
  CHECK(out[5].tensor("label").data() == memory);
  CHECK(run_operator("repeat", {{"times", 0}}, inputs).empty());
}

TEST_CASE("take tells its limit") {
  auto op = make_operator("take", {{"count", 5}});
  const auto* take = dynamic_cast<const Take*>(op.get());
  REQUIRE(take != nullptr);
  CHECK(take->limit() == 5);
  CHECK(find_operator("take").schema.state() == State::kSerial);
}

TEST_CASE("every built-in operator documents itself") {
  const auto names = operator_names();
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  for (const std::string& name : names) {
    CAPTURE(name);
    const Schema& schema = find_operator(name).schema;
    CHECK(!schema.doc().empty());
    CHECK(schema.example().find("op: " + name) != std::string::npos);
    for (const Param& param : schema.params()) {
      CAPTURE(param.name);
      CHECK(!param.doc.empty());
      CHECK(param.doc.back() == '.');
    }
  }
}

}  // namespace
}  // namespace penstock::testing
