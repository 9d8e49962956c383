#pragma once
/// The suite: pipelines of many seeds, one line of JSON each in a file that can be continued.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace penstock::bench::attribution {

/// A line's layout; lines of another one are measured again.
inline constexpr int kLayout = 4;

/// All that is measured of the pipeline of that seed.
nlohmann::ordered_json measure_pipeline(uint64_t seed);

/// "1..40" or "3,7,12": throws std::invalid_argument otherwise.
std::vector<uint64_t> seeds_from(const std::string& text);

/// Lines of a file; one that is broken off is left out.
std::vector<nlohmann::ordered_json> read_lines(const std::string& path);

/// Measures what `path` lacks and appends it, line by line.
void measure_all(const std::vector<uint64_t>& seeds, const std::string& path);

/// The arguments behind `penstock_bench attribution`.
int command(int argc, char** argv);

}  // namespace penstock::bench::attribution
