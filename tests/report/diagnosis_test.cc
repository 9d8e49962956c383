#include "report/diagnosis.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace penstock {
namespace {

TEST_CASE("samples that a diagnosis's runs skipped are told: rates are of other work then") {
  Diagnosis diagnosis;
  diagnosis.serial.emplace().errors_by_node = {{"decode", 2}};
  diagnosis.steady.emplace().errors_by_node = {{"decode", 7}, {"read", 1}};
  diagnosis.steady->verdict.emplace();
  TrialRecord& record = diagnosis.trials.emplace_back();
  record.trial.set = "nodes.decode.concurrency=2";
  record.before.emplace().skipped = 16;
  record.after.emplace().skipped = 20;
  record.result.emplace().text = "It holds.";
  const std::string text = format_markdown(diagnosis);
  CHECK(text.find("Samples were skipped (on_error): 2 (2 in decode) by the serial run, 8 (7 in "
                  "decode, 1 in read) by the run as it is.") != std::string::npos);
  CHECK(text.find("It holds. Skipped samples: 16 in the runs before, 20 after.") !=
        std::string::npos);
  CHECK(format_text(diagnosis).find("Samples were skipped") != std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(format_json(diagnosis));
  CHECK(json["trials"][0]["after"]["skipped"] == 20);
}

}  // namespace
}  // namespace penstock
