#include "penstock/diagnostic.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <string_view>
#include <tuple>

namespace penstock {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

int count_characters(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), starts_character));
}

// Blanks as wide as the first `characters` characters of the line; tabs stay tabs.
std::string blanks_like(const std::string& line, int characters) {
  std::string blanks;
  for (const char c : line) {
    if (!starts_character(c)) continue;
    if (static_cast<int>(blanks.size()) == characters) break;
    blanks += c == '\t' ? '\t' : ' ';
  }
  return blanks;
}

std::string picture(const Diagnostic& diagnostic) {
  const std::string& line = diagnostic.source_line;
  const std::string number = std::to_string(diagnostic.at.line);
  std::string text = "  " + number + " | " + line + "\n";
  if (diagnostic.at.column <= 0) return text;
  const int before = std::min(diagnostic.at.column - 1, count_characters(line));
  const int room = std::max(1, count_characters(line) - before);
  const int length = std::clamp(diagnostic.at.length, 1, room);
  text += "  " + std::string(number.size(), ' ') + " | " + blanks_like(line, before) + "^";
  return text + std::string(static_cast<size_t>(length - 1), '~') + "\n";
}

// Lower case, '-' as '_': what people mix up most is not an edit.
std::string folded(const std::string& word) {
  std::string result = word;
  for (char& c : result) {
    c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

// Damerau-Levenshtein distance (optimal string alignment).
size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

auto order_key(const Diagnostic& d) {
  return std::tie(d.at.file, d.at.line, d.at.column, d.severity, d.code, d.message, d.help);
}

}  // namespace

std::string Position::text() const {
  std::string result = file;
  if (line > 0) {
    if (!result.empty()) result += ":";
    result += std::to_string(line);
    if (column > 0) result += ":" + std::to_string(column);
  }
  return result;
}

void sort_diagnostics(std::vector<Diagnostic>* diagnostics) {
  std::stable_sort(
      diagnostics->begin(), diagnostics->end(),
      [](const Diagnostic& a, const Diagnostic& b) { return order_key(a) < order_key(b); });
  const auto same = [](const Diagnostic& a, const Diagnostic& b) {
    return order_key(a) == order_key(b);
  };
  diagnostics->erase(std::unique(diagnostics->begin(), diagnostics->end(), same),
                     diagnostics->end());
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) {
    return d.severity == Diagnostic::Severity::kError;
  });
}

std::string printable(const std::string& text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string result;
  const auto escape = [&](unsigned char byte) {
    result += byte == '\n'   ? "\\n"
              : byte == '\t' ? "\\t"
              : byte == '\r' ? "\\r"
                             : std::string("\\x") + kHex[byte >> 4U] + kHex[byte & 15U];
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {  // U+0080 to U+009F
      escape(next);
      ++i;
    } else if (byte < 0x20 || byte == 0x7F) {
      escape(byte);
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string format_text(const Diagnostic& diagnostic) {
  std::string text = printable(diagnostic.at.text());
  if (!text.empty()) text += ": ";
  text += diagnostic.severity == Diagnostic::Severity::kError ? "error" : "warning";
  text += "[" + diagnostic.code + "]: " + printable(diagnostic.message) + "\n";
  if (!diagnostic.source_line.empty() && diagnostic.at.line > 0) text += picture(diagnostic);
  if (!diagnostic.help.empty()) text += "  help: " + printable(diagnostic.help) + "\n";
  return text;
}

std::string format_text(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += format_text(diagnostic);
  return text;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const size_t limit = word.size() / 3;
  size_t best_distance = std::numeric_limits<size_t>::max();
  std::string best;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(folded(word), folded(candidate));
    if (distance > limit || distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

}  // namespace penstock
