#pragma once
/// Verdicts in words that a newcomer understands, with the arithmetic. All pure.

#include <string>
#include <vector>

#include "diagnose/bounds.h"
#include "diagnose/costs.h"

namespace penstock::words {

/// "3.10 ms", "0.41 ms", "12.0 us": three digits.
std::string ms(double value);
/// "1828", "41.2": three digits at least.
std::string number(double value);
/// "decode, crop and flip".
std::string list(const std::vector<std::string>& names);
/// "1 slot", "2 slots".
std::string count(double number, const std::string& one);
/// What limits, in a few words: "CPU saturated by decode, consumer", "the consumer", "decode".
std::string headline(const std::string& limit, const std::vector<std::string>& nodes);
/// Why a resource allows no more, and what the run had: "decode needs 2 x 3.10 ms a sample ...".
std::string reason(const Costs& costs, const Bound& bound);
/// The largest demands on the CPU with their parts: ids of nodes, "consumer", "engine".
struct Demand {
  std::string name;
  double ms = 0;  ///< a batch
};
std::vector<Demand> cpu_demands(const Costs& costs);
/// That the consumer's work takes longer than alone; empty where it does not or is not known.
std::string slowed_consumer(const Costs& costs);

}  // namespace penstock::words
