#pragma once
/// What foreign code threw, in words.

#include <string>

namespace penstock {

/// Within a handler: the message of what is being handled, never empty.
std::string thrown_text();

}  // namespace penstock
