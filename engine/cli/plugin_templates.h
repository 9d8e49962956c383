#pragma once
/// The files of plugins/template, which the build puts into the program (cmake/templates.cmake).

#include <vector>

namespace penstock::cli {

struct PluginTemplate {
  const char* path;  ///< "map/operator.cc.in"
  const char* text;  ///< with @NAME@ and @CLASS@ to fill in
};
const std::vector<PluginTemplate>& plugin_templates();

}  // namespace penstock::cli
