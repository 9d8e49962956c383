#include "config/env.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "config/mistakes.h"
#include "config/source.h"

namespace penstock::config {
namespace {

constexpr std::string_view kHelp =
    "write ${env:NAME} or ${env:NAME:-default}; $${ stands for a plain ${";

bool is_name(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c == '_' || (c < 0x80 && std::isalnum(c) != 0);
  });
}

/// One scalar on its way from the written to the final text.
class Substitution {
 public:
  Substitution(const Value& value, std::vector<Diagnostic>* diagnostics)
      : value_(value), text_(value.text), diagnostics_(diagnostics) {}

  std::optional<std::string> run() {
    std::string result;
    size_t i = 0;
    while (i < text_.size()) {
      const std::string_view rest = text_.substr(i);
      if (rest.starts_with("$${")) {
        result += "${";
        i += 3;
      } else if (rest.starts_with("${")) {
        const size_t end = rest.find('}');
        if (end == std::string_view::npos) return fail("'${' is not closed");
        const auto replacement = look_up(rest.substr(2, end - 2));
        if (!replacement) return std::nullopt;
        result += *replacement;
        i += end + 1;
      } else {
        result += text_[i++];
      }
    }
    return result;
  }

 private:
  std::nullopt_t fail(const std::string& message) {
    diagnostics_->push_back(mistake("env-syntax", message, value_, std::string(kHelp)));
    return std::nullopt;
  }

  std::optional<std::string> look_up(std::string_view reference) {
    const std::string whole = "'${" + std::string(reference) + "}'";
    if (!reference.starts_with("env:")) return fail(whole + " is no reference to the environment");
    reference.remove_prefix(4);
    const size_t separator = reference.find(":-");
    const std::string name(reference.substr(0, separator));
    if (!is_name(name)) return fail(whole + " names no environment variable");
    const char* found = std::getenv(name.c_str());
    const bool has_default = separator != std::string_view::npos;
    if (has_default && (found == nullptr || *found == '\0')) {
      return std::string(reference.substr(separator + 2));
    }
    if (found != nullptr && !check_encoding(Source("", found))) return found;
    const std::string problem = found == nullptr ? "is not set" : "is not UTF-8 text";
    diagnostics_->push_back(mistake("env-unset", "environment variable '" + name + "' " + problem,
                                    value_,
                                    "set it, or give a default: ${env:" + name + ":-default}"));
    return std::nullopt;
  }

  const Value& value_;
  std::string_view text_;
  std::vector<Diagnostic>* diagnostics_;
};

bool is_null_text(const std::string& text) {
  return text == "null" || text == "Null" || text == "NULL" || text == "~";
}

}  // namespace

bool is_plain_safe(const std::string& text) {
  if (text.empty() || is_null_text(text)) return false;
  const auto fits = [](unsigned char c) {
    return c >= 0x80 || std::isalnum(c) != 0 ||
           std::string_view("_./+-").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!std::all_of(text.begin(), text.end(), fits)) return false;
  return text != "-" && !text.starts_with("---") && !text.starts_with("...");
}

void substitute_env(Value* value, std::vector<Diagnostic>* diagnostics) {
  for (Value& item : value->items) substitute_env(&item, diagnostics);
  for (auto& [key, entry] : value->entries) substitute_env(&entry, diagnostics);
  if (value->kind != Value::Kind::kScalar || value->text.find("${") == std::string::npos) return;
  auto text = Substitution(*value, diagnostics).run();
  if (!text) return;
  value->text = std::move(*text);
  value->quoted = value->quoted || !is_plain_safe(value->text);
}

}  // namespace penstock::config
