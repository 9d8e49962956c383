#include <doctest/doctest.h>

#include <set>

#include "support/plain_operators.h"
#include "support/plan_builder.h"

namespace penstock {
namespace {

std::string print_of(const PlanBuilder& builder) {
  return plan_or_throw(builder, plain_registry())->fingerprint();
}

PlanBuilder base() {
  return PlanBuilder()
      .seed(17)
      .node("read", "numbers")
      .param("sizes", "[10]")
      .node("noise", "noise")
      .node("batch", "group")
      .param("size", 4);
}

TEST_CASE("a fingerprint is 16 hex digits that stay what they are") {
  CHECK(print_of(base()) == "9e248a14213cbc4d");
}

TEST_CASE("how a pipeline is run is not part of its fingerprint") {
  const std::string print = print_of(base());
  CHECK(print_of(base().concurrency(3).queue(9, 1000)) == print);
  CHECK(print_of(base().threads(7).memory(1 << 20).batches(3).epochs(2)) == print);
  CHECK(print_of(base().consumer("batch", 7)) == print);
  CHECK(print_of(base().serial()) == print);
}

TEST_CASE("ids, the order of the file and the spelling of values do not count") {
  const auto renamed = PlanBuilder()
                           .seed(17)
                           .node("r", "numbers")
                           .param("sizes", "+10")
                           .node("batch", "group")
                           .from({"n"})
                           .param("drop_last", "false")
                           .param("size", 4)
                           .node("n", "noise")
                           .from({"r"})
                           .stream("noise")
                           .consumer("batch");
  CHECK(print_of(renamed) == print_of(base()));
}

TEST_CASE("whatever changes the batches changes the fingerprint") {
  std::set<std::string> prints = {print_of(base())};
  prints.insert(print_of(base().seed(18)));
  prints.insert(print_of(base().param("drop_last", "true")));
  prints.insert(print_of(base().node("more", "pass")));
  prints.insert(print_of(base().skip(3)));
  prints.insert(print_of(base().skip(4)));
  prints.insert(print_of(base().concurrency(2).any()));
  const auto source = [](const std::string& key, const std::string& value,
                         const std::string& stream) {
    return print_of(PlanBuilder()
                        .seed(17)
                        .node("read", "numbers")
                        .param(key, value)
                        .node("noise", "noise")
                        .stream(stream)
                        .node("batch", "group")
                        .param("size", 4));
  };
  prints.insert(source("sizes", "[11]", ""));
  prints.insert(source("shuffle", "true", ""));
  prints.insert(source("sizes", "[10]", "other"));
  CHECK(prints.size() == 10);
  const auto fan = [](int cycle, int chunk) {
    return print_of(PlanBuilder()
                        .node("read", "numbers")
                        .node("fan", "fan")
                        .param("cycle", cycle)
                        .param("chunk", chunk));
  };
  CHECK(fan(4, 8) != fan(3, 8));
  CHECK(fan(4, 8) != fan(4, 7));
}

TEST_CASE("the ports of a join and the names given there count") {
  const auto joined = [](const std::vector<std::string>& from) {
    return print_of(PlanBuilder()
                        .node("a", "numbers")
                        .node("b", "text")
                        .from({"a"})
                        .node("j", "pair")
                        .from(from));
  };
  CHECK(joined({"a", "b.name"}) != joined({"b.name", "a"}));
  CHECK(joined({"a.value", "b.name"}) != joined({"b.value", "b.name"}));
}

}  // namespace
}  // namespace penstock
