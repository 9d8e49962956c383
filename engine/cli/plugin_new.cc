#include <fmt/core.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "cli/plugin.h"
#include "cli/plugin_templates.h"
#include "plugin/loader.h"

namespace penstock::cli {
namespace {

namespace fs = std::filesystem;

bool is_operator_name(const std::string& name) {
  if (name.empty() || std::islower(static_cast<unsigned char>(name[0])) == 0) return false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::islower(byte) == 0 && std::isdigit(byte) == 0 && c != '_') return false;
  }
  return name.back() != '_';
}

/// Why an operator, or a target of CMake, cannot be called so, or "".
std::string taken_by(const std::string& name) {
  static const std::set<std::string> kTargets = {
      "all",     "clean",          "depend",     "edit_cache",    "help", "install",
      "package", "package_source", "preinstall", "rebuild_cache", "test"};
  if (kTargets.count(name) > 0) return "it is a target that every build of CMake has";
  static const std::set<std::string> kNoTexts = {"null", "true", "false", "yes", "no", "on", "off"};
  if (kNoTexts.count(name) > 0) return "readers of YAML take it for a value that is no text";
  std::vector<Diagnostic> ignored;
  const Registry registry = load_default_registry({}, &ignored);
  const Registry::Entry* known = registry.find(name);
  return known == nullptr ? "" : "there is one of that name already, from " + known->origin;
}

/// "blur_edges" -> "BlurEdges".
std::string class_name(const std::string& name) {
  std::string result;
  bool start = true;
  for (const char c : name) {
    if (c != '_') {
      result += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    }
    start = c == '_';
  }
  return result + "Operator";
}

std::string filled(std::string text, const std::string& word, const std::string& value) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    text.replace(at, word.size(), value);
    at += value.size();
  }
  return text;
}

/// The file that a template of this kind becomes, or "" for one of another kind.
std::string target_of(const std::string& path, const NewPluginFlags& flags) {
  const size_t slash = path.find('/');
  if (slash != std::string::npos && path.substr(0, slash) != flags.kind) return "";
  std::string file = path.substr(slash == std::string::npos ? 0 : slash + 1);
  file.resize(file.size() - std::strlen(".in"));
  if (file == "operator.cc") return flags.name + ".cc";
  if (file == "test.cc") return flags.name + "_test.cc";
  return file == "gitignore" ? ".gitignore" : file;
}

void write_file(const fs::path& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    throw std::runtime_error(
        fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)));
  }
}

void write_project(const NewPluginFlags& flags) {
  for (const PluginTemplate& each : plugin_templates()) {
    const std::string file = target_of(each.path, flags);
    if (file.empty()) continue;
    const std::string text = filled(each.text, "@NAME@", flags.name);
    write_file(fs::path(flags.name) / file, filled(text, "@CLASS@", class_name(flags.name)));
  }
}

}  // namespace

int new_plugin(const NewPluginFlags& flags) {
  if (!is_operator_name(flags.name)) {
    throw UsageError(fmt::format("'{}' cannot be an operator's name", flags.name),
                     "a name has small letters, digits and '_', and begins with a letter");
  }
  if (const std::string why = taken_by(flags.name); !why.empty()) {
    throw UsageError(fmt::format("'{}' cannot be the operator's name: {}", flags.name, why),
                     "choose another one");
  }
  std::error_code error;
  if (!fs::create_directory(flags.name, error)) {
    throw UsageError(fmt::format("cannot make the folder '{}': {}", flags.name,
                                 error ? error.message() : "it is there already"));
  }
  try {
    write_project(flags);
  } catch (...) {
    fs::remove_all(flags.name, error);  // half a project is none
    throw;
  }
  write_result(
      fmt::format("{0}/: an operator '{0}', its tests and a pipeline\n"
                  "  cd {0} && cmake -B build && cmake --build build && ctest --test-dir build\n"
                  "  penstock run pipeline.yaml --plugin build/{0}.so\n",
                  flags.name));
  return kOk;
}

}  // namespace penstock::cli
