#include "penstock/diagnostic.h"

#include <doctest/doctest.h>

namespace penstock {
namespace {

Diagnostic typo() {
  return {.code = "unknown-param",
          .message = "random_resized_crop has no parameter 'szie'",
          .at = {"train.yaml", 14, 14, 4},
          .source_line = "    params: {szie: [224, 224]}",
          .help = "did you mean 'size'?"};
}

TEST_CASE("a mistake is shown with its line and carets under it") {
  CHECK(format_text(typo()) ==
        "train.yaml:14:14: error[unknown-param]: random_resized_crop has no parameter 'szie'\n"
        "  14 |     params: {szie: [224, 224]}\n"
        "     |              ^~~~\n"
        "  help: did you mean 'size'?\n");
}

TEST_CASE("only what is known is shown") {
  CHECK(format_text(Diagnostic{.code = "no-nodes", .message = "nothing"}) ==
        "error[no-nodes]: nothing\n");
  CHECK(format_text(Diagnostic{.severity = Diagnostic::Severity::kWarning,
                               .code = "a",
                               .message = "b",
                               .at = {"x.yaml", 0, 0, 1}}) == "x.yaml: warning[a]: b\n");
  Diagnostic diagnostic = typo();
  diagnostic.at.column = 0;
  diagnostic.help.clear();
  CHECK(format_text(diagnostic) ==
        "train.yaml:14: error[unknown-param]: random_resized_crop has no parameter 'szie'\n"
        "  14 |     params: {szie: [224, 224]}\n");
}

TEST_CASE("carets count characters, keep tabs and end with the line") {
  Diagnostic diagnostic{.code = "c", .message = "m", .at = {"p", 3, 7, 99}};
  diagnostic.source_line = "\tpäth: datén";
  CHECK(format_text(diagnostic) ==
        "p:3:7: error[c]: m\n"
        "  3 | \tpäth: datén\n"
        "    | \t     ^~~~~~\n");
  diagnostic.at.column = 99;
  CHECK(format_text(diagnostic) ==
        "p:3:99: error[c]: m\n"
        "  3 | \tpäth: datén\n"
        "    | \t           ^\n");
}

TEST_CASE("diagnostics are sorted by place, and each is there once") {
  std::vector<Diagnostic> list = {typo(), typo(), typo()};
  list[1].at.line = 9;
  list[2].at.file = "a.yaml";
  list.push_back(typo());
  sort_diagnostics(&list);
  REQUIRE(list.size() == 3);
  CHECK(list[0].at.file == "a.yaml");
  CHECK(list[1].at.line == 9);
  CHECK(has_errors(list));
  CHECK_FALSE(has_errors({}));
}

TEST_CASE("JSON has one object a diagnostic, whatever bytes a text holds") {
  Diagnostic diagnostic = typo();
  diagnostic.message = "a \"b\" \xff";
  CHECK(format_json({diagnostic}) == R"({
  "diagnostics": [
    {
      "severity": "error",
      "code": "unknown-param",
      "message": "a \"b\" )"
                                     "\xEF\xBF\xBD"
                                     R"(",
      "file": "train.yaml",
      "line": 14,
      "column": 14,
      "length": 4,
      "help": "did you mean 'size'?"
    }
  ]
}
)");
  CHECK(format_json({}) == "{\n  \"diagnostics\": []\n}\n");
}

TEST_CASE("the nearest name is suggested, but not a far one") {
  const std::vector<std::string> names = {"size", "scale", "batch_size", "drop_last", "shuffle"};
  CHECK(did_you_mean("szie", names) == "size");
  CHECK(did_you_mean("batchsize", names) == "batch_size");
  CHECK(did_you_mean("shufle", names) == "shuffle");
  CHECK(did_you_mean("Drop-Last", names) == "drop_last");
  CHECK(did_you_mean("colour", names) == "");
  CHECK(did_you_mean("", names) == "");
  CHECK(did_you_mean("size", {}) == "");
}

TEST_CASE("control characters do not reach a terminal as they are") {
  CHECK(printable("päth данные") == "päth данные");
  CHECK(printable("a\nb\tc\r\x1b[31m\x7f") == "a\\nb\\tc\\r\\x1b[31m\\x7f");
  CHECK(printable("\xC2\x9B") == "\\x9b");  // the same as ESC [ for some
  CHECK(printable("\xC2") == "\xC2");
  Diagnostic diagnostic{.code = "bad", .message = "no file 'a\nb'", .at = {.file = "\x1b.yaml"}};
  diagnostic.help = "rename\x07";
  CHECK(format_text(diagnostic) ==
        "\\x1b.yaml: error[bad]: no file 'a\\nb'\n  help: rename\\x07\n");
}

}  // namespace
}  // namespace penstock
