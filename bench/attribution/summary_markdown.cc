#include <fmt/format.h>

#include "attribution/summary.h"

namespace penstock::bench::attribution {
namespace {

using Json = nlohmann::ordered_json;

std::string percent(const Json& value) {
  return value.is_null() ? "-" : fmt::format("{:.1f} %", value.get<double>() * 100);
}

std::string points(const Json& value) {
  return value.is_null() ? "-" : fmt::format("{:.1f}", value.get<double>() * 100);
}

std::string overall(const Json& summary) {
  const Json& sure = summary["confident"];
  const Json& gain = summary["gain"];
  std::string text = "| figure | value |\n|---|---|\n";
  const auto row = [&text](const std::string& name, const std::string& value) {
    text += fmt::format("| {} | {} |\n", name, value);
  };
  row("pipelines that count",
      fmt::format("{} of {} ({} planted none or consumer, {} found so)", summary["counting"].dump(),
                  summary["pipelines"].dump(), summary["planted_none_or_consumer"].dump(),
                  summary["counting_none_or_consumer"].dump()));
  row("answers as good as the best, mean",
      summary["tie_set_mean"].is_null()
          ? "-"
          : fmt::format("{:.2f}", summary["tie_set_mean"].get<double>()));
  row("right (no answer counts as wrong)", percent(summary["right"]));
  row("right by the single changes alone", percent(summary["right_alone"]));
  row("gave an answer", percent(summary["answered"]));
  row("right where there is an answer", percent(summary["right_where_answered"]));
  row(fmt::format("right with confidence of {} or more", sure["threshold"].dump()),
      fmt::format("{} of {}", percent(sure["right"]), percent(sure["coverage"])));
  row("false names on none and consumer", percent(summary["false_names"]));
  row("regret, mean, points", points(summary["regret_mean"]));
  if (!gain.is_null()) {
    row("gain predicted against measured, median error", percent(gain["median_error"]));
    row("... 95 % of errors below", percent(gain["p95_error"]));
    row("... measured in the predicted interval", percent(gain["in_interval"]));
  }
  return text;
}

std::string classes(const Json& summary) {
  std::string text =
      "| planted | pipelines | right | no answer | regret, points | verdicts |\n"
      "|---|---|---|---|---|---|\n";
  for (const auto& [name, of] : summary["classes"].items()) {
    std::string limits;
    for (const auto& [limit, count] : of["limits"].items()) {
      limits += fmt::format("{}{} {}", limits.empty() ? "" : ", ", limit, count.dump());
    }
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", name, of["count"].dump(),
                    percent(of["right"]), percent(of["abstains"]), points(of["regret"]), limits);
  }
  return text;
}

std::string baselines(const Json& summary) {
  std::string text = "| rule | right | right where something limits |\n|---|---|---|\n";
  for (const auto& [rule, of] : summary["baselines"].items()) {
    text += fmt::format("| {} | {} | {} |\n", rule, percent(of["right"]),
                        percent(of["right_where_limited"]));
  }
  return text;
}

std::string list(const Json& names) {
  std::string text;
  for (const Json& name : names) {
    text += (text.empty() ? "" : ", ") + name.get<std::string>();
  }
  return text;
}

std::string misses(const Json& summary) {
  std::string text =
      "| seed | planted | verdict | confidence | its gain | best | best gain |\n"
      "|---|---|---|---|---|---|---|\n";
  const auto gain = [](const Json& value) {
    return value.is_null() ? "-" : fmt::format("{:.2f}", value.get<double>());
  };
  for (const Json& of : summary["wrong"]) {
    const std::string limit = of["limit"].get<std::string>(), named = list(of["named"]);
    text +=
        fmt::format("| {} | {} | {} | {:.2f} | {} | {} | {} |\n", of["seed"].dump(),
                    of["planted"].get<std::string>(),
                    named.empty() || named == limit ? limit : fmt::format("{}: {}", limit, named),
                    of["confidence"].get<double>(), gain(of["measured"]), list(of["best"]),
                    gain(of["best_gain"]));
  }
  return text;
}

}  // namespace

std::string markdown_of(const Json& summary) {
  return overall(summary) + "\n" + classes(summary) + "\n" + baselines(summary) + "\n" +
         misses(summary);
}

}  // namespace penstock::bench::attribution
