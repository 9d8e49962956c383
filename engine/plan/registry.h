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

  /// Libraries that were loaded into this registry, for the loader: `identity` is the same for a
  /// file and a link to it.
  struct Library {
    std::string name, path;
    std::string torch;  ///< version of libtorch that it uses, or empty
  };
  void add_library(const std::string& identity, Library library);
  bool has_library(const std::string& identity) const { return libraries_.count(identity) > 0; }
  /// The path of the library with that name, or null.
  const std::string* library_named(const std::string& name) const;
  /// A library that uses libtorch, or null.
  const Library* library_with_torch() const;

 private:
  std::map<std::string, Entry> entries_;
  std::map<std::string, Library> libraries_;  ///< by identity
};

}  // namespace penstock
