#include "config/yaml_tree.h"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include "config/mistakes.h"
#include "config/token.h"
#include "config/tree_builder.h"

namespace penstock::config {
namespace {

struct Wording {
  std::string_view theirs, code, ours, help;
};

/// yaml-cpp's messages in words that say what to do; null if there is nothing better.
const Wording* find_wording(const std::string& message) {
  static const Wording kWordings[] = {
      {YAML::ErrorMsg::TAB_IN_INDENTATION, "yaml-tab", "tab used for indentation",
       "indent with spaces"},
      {YAML::ErrorMsg::MAP_VALUE, "yaml-syntax", "a ':' is not allowed here",
       "check the indentation, or put quotes around a text that contains ': '"},
      {YAML::ErrorMsg::MAP_KEY, "yaml-syntax", "a key is not allowed here",
       "check the indentation"},
      {YAML::ErrorMsg::BLOCK_ENTRY, "yaml-syntax", "a '-' entry is not allowed here",
       "check the indentation"},
      {YAML::ErrorMsg::END_OF_MAP, "yaml-syntax", "this does not continue the mapping above it",
       "check the indentation"},
      {YAML::ErrorMsg::END_OF_SEQ, "yaml-syntax", "this does not continue the list above it",
       "check the indentation"},
      {YAML::ErrorMsg::END_OF_MAP_FLOW, "yaml-syntax", "',' or '}' is missing here", ""},
      {YAML::ErrorMsg::END_OF_SEQ_FLOW, "yaml-syntax", "',' or ']' is missing here", ""},
      {YAML::ErrorMsg::FLOW_END, "yaml-syntax", "this bracket was not opened", ""},
      {YAML::ErrorMsg::UNKNOWN_TOKEN, "yaml-syntax", "a value cannot begin with this character",
       "put quotes around it"},
      {YAML::ErrorMsg::UNKNOWN_ANCHOR, "yaml-alias", "this alias has no anchor above it",
       "define it with '&name' before its use"},
      {YAML::ErrorMsg::EOF_IN_SCALAR, "yaml-syntax", "the closing quote of this text is missing",
       ""},
  };
  const auto* found = std::find_if(std::begin(kWordings), std::end(kWordings),
                                   [&](const Wording& w) { return message.starts_with(w.theirs); });
  return found == std::end(kWordings) ? nullptr : found;
}

/// Whether a tab stands among the blanks in front: the parser blames what comes behind it.
bool is_behind_tab(const Source& source, size_t offset) {
  const std::string& text = source.text();
  const size_t blank = text.find_last_not_of(" \t", offset == 0 ? 0 : offset - 1);
  const bool first = offset > 0 && (blank == std::string::npos || text[blank] == '\n');
  return first && text.find('\t', blank == std::string::npos ? 0 : blank) < offset;
}

/// Whether the line has a `${`: unquoted, it ends a plain text inside brackets.
bool has_open_substitution(const Source& source, size_t offset) {
  return source.line_at(offset).find("${") != std::string::npos;
}

Diagnostic translate(const YAML::Exception& error, const Source& source, const Value* open) {
  const size_t offset = source.offset(error.mark.line, error.mark.column);
  Value at;
  at.at = source.position(offset);
  at.source_line = source.line_at(offset);
  Diagnostic result = mistake("yaml-syntax", "not YAML: " + error.msg, at);
  const Wording* wording = find_wording(
      is_behind_tab(source, offset) ? std::string(YAML::ErrorMsg::TAB_IN_INDENTATION) : error.msg);
  if (wording != nullptr) {
    result = mistake(std::string(wording->code), std::string(wording->ours), at,
                     std::string(wording->help));
  }
  if (result.code == "yaml-alias") {
    result.at = source.position(offset, alias_extent(source.text(), offset).size);
  }
  const bool bracket =
      error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW || error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW;
  const bool at_end = source.text().find_first_not_of(" \t\r\n", offset) == std::string::npos;
  if (bracket && open != nullptr && (at_end || at.at == open->at)) {
    result = mistake("yaml-syntax", "this bracket is never closed", *open);
  }
  if (has_open_substitution(source, offset)) {
    result.help = "put quotes around a value with ${...}";
  }
  return result;
}

}  // namespace

std::optional<Value> parse_tree(const Source& source, std::vector<Diagnostic>* diagnostics) {
  if (auto bad = check_encoding(source)) {
    diagnostics->push_back(std::move(*bad));
    return std::nullopt;
  }
  TreeBuilder builder(source, diagnostics);
  std::istringstream stream(source.text());
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const ParseStopped& stopped) {
    diagnostics->push_back(stopped.diagnostic);
    return std::nullopt;
  } catch (const YAML::Exception& error) {
    diagnostics->push_back(translate(error, source, builder.open()));
    return std::nullopt;
  }
  if (builder.has_root()) return builder.take();
  Value at;
  at.at = source.position(0);
  diagnostics->push_back(mistake("empty-file", "the file holds nothing", at));
  return std::nullopt;
}

}  // namespace penstock::config
