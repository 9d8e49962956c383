#pragma once
/// `penstock plugin new` and `penstock plugin check`, for `penstock plugin`.

#include <string>
#include <vector>

#include "cli/common.h"

namespace penstock::cli {

struct NewPluginFlags {
  std::string name, kind = "map";
};
int new_plugin(const NewPluginFlags& flags);

struct CheckPluginFlags {
  CommonOptions common;  ///< `set` are "OPERATOR.PARAM=VALUE"
  std::string file;
};
int check_plugin(const CheckPluginFlags& flags);

}  // namespace penstock::cli
