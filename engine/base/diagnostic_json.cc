#include <nlohmann/json.hpp>

#include "penstock/diagnostic.h"

namespace penstock {

std::string format_json(const std::vector<Diagnostic>& diagnostics) {
  auto list = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    const bool error = diagnostic.severity == Diagnostic::Severity::kError;
    list.push_back({{"severity", error ? "error" : "warning"},
                    {"code", diagnostic.code},
                    {"message", diagnostic.message},
                    {"file", diagnostic.at.file},
                    {"line", diagnostic.at.line},
                    {"column", diagnostic.at.column},
                    {"length", diagnostic.at.length},
                    {"help", diagnostic.help}});
  }
  const nlohmann::ordered_json all = {{"diagnostics", std::move(list)}};
  // Texts of users may hold bytes that are no UTF-8.
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace penstock
