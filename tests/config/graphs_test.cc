#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "config/load.h"

namespace penstock {

namespace fs = std::filesystem;

TEST_CASE("every pipeline in graphs/ loads without a word and resolves to itself") {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(PENSTOCK_SOURCE_DIR "/graphs")) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    CAPTURE(entry.path().string());
    std::vector<Diagnostic> diagnostics;
    const auto spec = load_file(entry.path().string(), {}, &diagnostics);
    CHECK(format_text(diagnostics) == "");
    REQUIRE(spec);
    const std::string text = resolved_yaml(*spec);
    const auto again = load_text(text, "<string>", "", {}, &diagnostics);
    REQUIRE(again);
    CHECK(resolved_yaml(*again) == text);
  }
  CHECK(files >= 7);
}

}  // namespace penstock
