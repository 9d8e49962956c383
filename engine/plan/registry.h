#pragma once
/// Names of operators and where they came from. A plain object: no static registration.

#include <map>
#include <string>
#include <vector>

#include "penstock/operator.h"

namespace penstock {

class Registry {
 public:
  struct Entry {
    OperatorDef def;
    std::string origin;  ///< "penstock_operators 0.1.0" or the plugin's file and version
  };
  /// Adds an operator; on a name clash or a schema that is not complete returns the reason.
  std::string add(OperatorDef def, const std::string& origin);
  const Entry* find(const std::string& name) const;
  std::vector<std::string> names() const;  ///< sorted

 private:
  std::map<std::string, Entry> entries_;
};

}  // namespace penstock
