#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "config/load.h"
#include "config/need.h"

namespace penstock {

namespace fs = std::filesystem;

TEST_CASE("every pipeline in graphs/ loads without a word and resolves to itself") {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(PENSTOCK_SOURCE_DIR "/graphs")) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    CAPTURE(entry.path().string());
    std::vector<Diagnostic> diagnostics;
    auto spec = load_file(entry.path().string(), {}, &diagnostics);
    CHECK(format_text(diagnostics) == "");
    const std::string text = resolved_yaml(need(std::move(spec), diagnostics));
    CHECK(resolve_again(text) == text);
  }
  CHECK(files >= 18);
}

}  // namespace penstock
