#pragma once
/// A --vary or --fail-if that makes no sense.

#include <stdexcept>
#include <string>

namespace penstock {

/// Thrown by the parsers of this room; help() is the remedy.
class BadRequest : public std::runtime_error {
 public:
  explicit BadRequest(const std::string& message, std::string help = "")
      : std::runtime_error(message), help_(std::move(help)) {}
  const std::string& help() const { return help_; }

 private:
  std::string help_;
};

}  // namespace penstock
