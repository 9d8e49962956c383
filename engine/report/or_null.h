#pragma once
/// What is not known is null in JSON.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace penstock {

template <typename T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  if (!value) return nullptr;
  return *value;
}

/// An empty text is none.
inline nlohmann::ordered_json or_null(const std::string& text) {
  if (text.empty()) return nullptr;
  return text;
}

}  // namespace penstock
