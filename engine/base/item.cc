#include "penstock/item.h"

namespace penstock {

std::string ErrorInfo::describe() const {
  std::string text;
  if (!where.empty()) text += where + ": ";
  if (!node.empty()) text += node + ": ";
  text += message;
  if (node.empty()) return text;  // an error of the run, not of a sample
  text += " (sample " + std::to_string(origin.position);
  for (uint32_t i = 0; i < origin.depth && i < Origin::kMaxDepth; ++i) {
    text += "." + std::to_string(origin.child[i]);
  }
  if (!key.empty()) text += ", key " + key;
  text += ", epoch " + std::to_string(origin.epoch);
  if (!shapes.empty()) text += "; " + shapes;
  return text + ")";
}

}  // namespace penstock
