#pragma once
/// Libraries that lie beside this one and are opened only where they are needed, because what they
/// link may not be on the machine.

#include <string>

namespace penstock::operators {

struct Beside {
  void* entry = nullptr;  ///< a function; null: not to be had
  std::string reason;     ///< then, in words
};

/// The function `entry` of `library`. `missing`: the reason where the file is not there. It stays
/// open for good.
Beside find_beside(const std::string& library, const char* entry, const std::string& missing);

}  // namespace penstock::operators
