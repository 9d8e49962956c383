"""The tree follows the rules of rules.py, and the rules notice what breaks them."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import rules  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]


def faults_of(files):
    """Faults of a made-up tree, given as {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return rules.faults(folder)


class Structure(unittest.TestCase):
    def test_this_tree_has_no_fault(self):
        self.assertEqual(rules.faults(ROOT), [])

    def test_there_is_something_to_check(self):
        self.assertTrue(list(rules.files(ROOT, "engine")))

    def test_allowed_arrows_pass(self):
        self.assertEqual(faults_of({
            "engine/plan/plan.h": "#include <vector>\n",
            "engine/measure/clock.h": "",
            "engine/runtime/run.cc": '#include <tbb/flow_graph.h>\n#include "plan/plan.h"\n'
                                     '#include "measure/clock.h"\n#include "runtime/run.h"\n',
            "engine/cli/main.cc": '#include "plan/plan.h"\n',
            "operators/read/a.cc": '#include <penstock/item.h>\n#include "read/a.h"\n',
        }), [])

    def test_each_forbidden_include_is_one_fault(self):
        headers = {f"engine/{name}": "" for name in
                   ["plan/plan.h", "runtime/run.h", "cli/flags.h", "report/text.h"]}
        for path, line in [
            ("engine/plan/x.cc", '#include "runtime/run.h"'),
            ("engine/plan/x.cc", "#include <oneapi/tbb/task_arena.h>"),
            ("engine/plan/x.cc", "#include <yaml-cpp/yaml.h>"),
            ("engine/config/x.cc", '#include "plan/plan.h"'),
            ("engine/diagnose/x.cc", '#include "report/text.h"'),
            ("engine/report/x.cc", '#include "cli/flags.h"'),
            ("engine/runtime/x.cc", "#include <ATen/core/Tensor.h>"),
            ("engine/runtime/x.cc", "#  include <penstock/torch.h>"),
            ("engine/novel/x.cc", "#include <vector>"),
            ("engine/include/penstock/x.h", "#include <tbb/tbb.h>"),
            ("engine/include/penstock/x.h", '#include "plan/plan.h"'),
            ("operators/read/x.cc", '#include "plan/plan.h"'),
            ("operators/read/x.cc", "#include <torch/torch.h>"),
            ("operators/kernels/x.cc", "#include <penstock/item.h>"),
            ("plugins/one/x.cc", '#include "runtime/run.h"'),
            ("tests/cli/x_test.cc", '#include "cli/flags.h"'),
        ]:
            with self.subTest(path=path, line=line):
                self.assertEqual(len(faults_of({**headers, path: f"// first\n{line}\n"})), 1)

    def test_a_file_of_501_lines_is_a_fault(self):
        self.assertEqual(faults_of({"bench/a.cc": "\n" * 500}), [])
        self.assertEqual(len(faults_of({"bench/a.cc": "\n" * 501})), 1)


if __name__ == "__main__":
    unittest.main()
