#include "report/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "penstock/diagnostic.h"

namespace penstock {
namespace {

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// Three digits: "0.41", "4.12", "41.2", "412".
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

}  // namespace

std::string duration_text(double ms) {
  if (ms <= 0) return "0 ms";
  if (ms < 0.1) return three_digits(ms * 1e3) + " us";
  if (ms < 1e4) return three_digits(ms) + " ms";
  return three_digits(ms / 1e3) + " s";
}

std::string bytes_text(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  while (value >= 1023.95 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value == std::floor(value) ? 0 : 1, kUnits[unit]);
}

std::string percent_text(double share) {
  const double percent = share * 100;
  if (percent <= 0) return "0 %";
  if (percent < 0.1) return "<0.1 %";
  return fmt::format("{:.1f} %", percent);
}

std::string rate_text(double per_second) {
  if (per_second >= 1000 || per_second == 0) return fmt::format("{:.0f}", per_second);
  if (per_second >= 10) return fmt::format("{:.1f}", per_second);
  return fmt::format("{:.3f}", per_second);
}

std::string count_text(uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string fit(std::string_view given, size_t width) {
  const std::string text = printable(std::string(given));
  std::string result;
  const bool cut = width_of(text) > width;
  const size_t keep = cut ? width - std::min<size_t>(2, width) : width;
  size_t columns = 0;
  for (const char c : text) {
    if (starts_code_point(c) && columns++ == keep) break;
    result += c;
  }
  if (cut) result.append(std::min<size_t>(2, width), '.');
  return result;
}

std::string wrap(std::string_view text, size_t indent, size_t width) {
  const std::string margin(indent, ' ');
  std::string result, line;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && indent + width_of(line) + 1 + width_of(word) > width) {
      result += margin + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  return line.empty() ? result : result + margin + line + "\n";
}

size_t Table::width() const {
  const std::string lines = text();
  size_t widest = 0;
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = lines.find('\n', begin);
    widest = std::max(widest, width_of(std::string_view(lines).substr(begin, end - begin)));
    begin = end + 1;
  }
  return widest;
}

std::string Table::text() const {
  std::vector<size_t> widths(columns_.size(), 0);
  for (const auto& cells : rows_) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], width_of(cells[i]));
  }
  std::string result;
  for (const auto& cells : rows_) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - width_of(cells[i]), ' ');
      if (i > 0) line += "  ";
      line += columns_[i] == Align::kLeft ? cells[i] + padding : padding + cells[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  }
  return result;
}

std::string Table::markdown() const {
  std::string result;
  for (const auto& cells : rows_) {
    for (const std::string& cell : cells) {
      result += "| ";
      for (const char c : cell) result += c == '|' ? std::string("\\|") : std::string(1, c);
      result += " ";
    }
    result += "|\n";
    if (&cells != &rows_.front()) continue;
    for (const Align column : columns_) result += column == Align::kLeft ? "|---" : "|---:";
    result += "|\n";
  }
  return result;
}

}  // namespace penstock
