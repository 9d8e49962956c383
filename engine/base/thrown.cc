#include "base/thrown.h"

#include <exception>

namespace penstock {

std::string thrown_text() {
  try {
    throw;
  } catch (const std::exception& error) {
    return *error.what() == '\0' ? "an error without a message" : error.what();
  } catch (...) {
    return "something that is no std::exception was thrown";
  }
}

}  // namespace penstock
