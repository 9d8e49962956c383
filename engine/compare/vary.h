#pragma once
/// `--vary KEY=VALUES`: a --set with several values. All pure; mistakes are thrown as BadRequest.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

/// Runs that one request may ask for.
inline constexpr size_t kMostValues = 256;

struct Vary {
  std::string key;  ///< as for --set
  std::vector<std::string> values;
};

/// "nodes.decode.concurrency=1,2,4..16:*2". Values stand apart by commas outside of brackets and
/// quotes. A range LOW..HIGH counts up by 1, LOW..HIGH:STEP by STEP, LOW..HIGH:*FACTOR multiplies;
/// both ends belong to it where the steps meet the upper one. Its numbers may carry one unit
/// ("1ms..8ms:*2").
Vary parse_vary(const std::string& text);

/// Whether the key says how work is done (slots, queues, order, threads, memory) and not what work:
/// then costs measured with one value speak for the others too.
bool is_setting(std::string_view key);

/// The number that a value begins with, in its unit's base ("8ms" -> 8e6, "2KiB" -> 2048), so that
/// values of one key can be put on an axis. Nothing for what is no number.
std::optional<double> number_of(std::string_view value);

/// One run of a sweep.
struct SweepRow {
  bool serial = false;  ///< `workers: 0`
  /// In the order of the keys; nothing: a setting, which a serial run has no use for.
  std::vector<std::optional<std::string>> values;

  /// "KEY=VALUE" as for --set.
  std::vector<std::string> sets(const std::vector<Vary>& keys) const;
};

/// Every combination of the values, the last key's changing fastest; keys that are no settings
/// change slowest. Each combination of those begins with a serial run. Throws BadRequest for a key
/// that comes twice and for more than kMostValues runs.
std::vector<SweepRow> sweep_rows(const std::vector<Vary>& keys);

}  // namespace penstock
