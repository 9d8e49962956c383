#include "report/skipped.h"

#include "report/words.h"

namespace penstock {

void add_skipped(const Report& run, SkippedByNode* skipped) {
  for (const auto& [node, count] : run.errors_by_node) (*skipped)[node] += count;
}

SkippedByNode skipped_in(const std::vector<Report>& runs) {
  SkippedByNode skipped;
  for (const Report& run : runs) add_skipped(run, &skipped);
  return skipped;
}

uint64_t count_of(const SkippedByNode& skipped) {
  uint64_t count = 0;
  for (const auto& [node, of_node] : skipped) count += of_node;
  return count;
}

std::string skipped_text(const SkippedByNode& skipped) {
  std::string text = std::to_string(count_of(skipped));
  const char* separator = " (";
  for (const auto& [node, count] : skipped) {
    text += separator + std::to_string(count) + " in " + fit(node, 40);
    separator = ", ";
  }
  return skipped.empty() ? text : text + ")";
}

}  // namespace penstock
