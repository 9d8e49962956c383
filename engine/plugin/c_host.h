#pragma once
/// The engine's side of the C form: what stands behind the functions of PenstockHost.

#include <exception>
#include <optional>
#include <string>

#include "penstock/c_plugin.h"
#include "penstock/operator.h"

/// What the library sees as an opaque structure. What a function of the host threw waits in `cause`
/// until the library's function has returned.
struct PenstockSetup {
  const penstock::Params* params = nullptr;
  penstock::FieldTable* fields = nullptr;
  std::exception_ptr cause = nullptr;
};

struct PenstockFiring {
  penstock::Context* context = nullptr;
  std::exception_ptr cause = nullptr;
};

namespace penstock {

/// The one table; lives for ever.
const PenstockHost& c_host();

}  // namespace penstock
