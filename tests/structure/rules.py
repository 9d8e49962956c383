"""The rules of who may include what, and how long a file may be (docs/building.md)."""
import pathlib
import re

# Room of engine/ -> the rooms that it may include besides itself and the public headers.
# api composes them, cli is on top; the table has no cycle.
ROOMS = {
    "base": set(),
    "measure": set(),
    "plan": {"base"},
    "config": {"base", "plan"},
    "plugin": {"base", "plan"},
    "runtime": {"base", "measure", "plan"},
    "diagnose": {"base", "measure", "plan"},
    "compare": {"base", "diagnose", "measure", "plan"},
    "report": {"base", "compare", "diagnose", "measure", "plan"},
}
ROOMS["testing"] = {"base"}
ROOMS["api"] = set(ROOMS) - {"testing"}
ROOMS["conform"] = ROOMS["api"] | {"api"}
ROOMS["cli"] = set(ROOMS) - {"testing"}

TBB = re.compile(r"(oneapi/)?tbb(/|\.h$)")
YAML = re.compile(r"yaml-cpp/")
TORCH = re.compile(r"(torch|ATen|c10|caffe2)/")
CUDA = re.compile(r"(cuda|nvtx)")
STANDARD = re.compile(r"([a-z_0-9]+|std(int|def)\.h)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
SOURCES = {".h", ".cc", ".cu", ".cuh"}
MAX_LINES = 500


def files(root, *folders, suffixes=SOURCES):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match.group(1)


def engine_fault(root, path, target):
    """Why a file of engine/ may not include this header, or None."""
    parts = path.relative_to(root / "engine").parts
    room = parts[0]
    if room == "include":
        if target.startswith("penstock/") or STANDARD.match(target):
            return None
        if path.name == "torch.h" and TORCH.match(target):
            return None
        return "public headers include the standard library and penstock/ only"
    if room not in ROOMS:
        return f"no room '{room}' in tests/structure/rules.py"
    if TBB.match(target) and room != "runtime":
        return "TBB is included in engine/runtime only"
    if YAML.match(target) and room != "config":
        return "yaml-cpp is included in engine/config only"
    if TORCH.match(target) or target == "penstock/torch.h":
        return "the engine includes no torch header"
    other = target.split("/")[0] if "/" in target else None
    if not (root / "engine" / target).is_file() or other == room:
        return None
    if other not in ROOMS[room]:
        return f"{room} may not include {other}"
    if room == "config" and target in {"plan/plan.h", "plan/registry.h"}:
        return "config knows the GraphSpec, not the plan"
    return None


def operators_fault(root, path, target):
    """Why an operator or a kernel may not include this header, or None."""
    room, *folders = path.relative_to(root / "operators").parts[:-1] or [""]
    if room == "kernels" and target.startswith("penstock/"):
        return "kernels compute on spans and know no engine type"
    if (TORCH.match(target) or target == "penstock/torch.h") and folders != ["torch"]:
        return "libtorch is for operators/device/torch only"
    if CUDA.match(target) and folders != ["cuda"]:
        return "CUDA is for operators/device/cuda only"
    return outsider_fault(root, target)


def outsider_fault(root, target):
    """Why code beside the engine may not include this header, or None."""
    if TBB.match(target) or YAML.match(target):
        return "TBB and yaml-cpp are the engine's"
    if not target.startswith("penstock/") and (root / "engine" / target).is_file():
        return "only public headers (penstock/...) of the engine may be included here"
    return None


def cli_fault(target):
    return "nothing includes cli" if target.startswith("cli/") else None


def include_faults(root):
    checks = [
        ("engine", lambda path, target: engine_fault(root, path, target)),
        ("operators", lambda path, target: operators_fault(root, path, target)),
        ("plugins", lambda path, target: outsider_fault(root, target)),
        ("tests", lambda path, target: cli_fault(target)),
        ("bench", lambda path, target: cli_fault(target)),
    ]
    for folder, check in checks:
        for path in files(root, folder):
            for number, target in includes(path):
                if fault := check(path, target):
                    yield f"{path.relative_to(root)}:{number}: {target}: {fault}"


def length_faults(root):
    suffixes = SOURCES | {".py", ".sh", ".cmake"}
    folders = ["engine", "operators", "plugins", "tests", "bench", "cmake"]
    paths = list(files(root, *folders, suffixes=suffixes))
    for path in paths + [root / "CMakeLists.txt", root / "dev"]:
        count = len(path.read_text().splitlines()) if path.is_file() else 0
        if count > MAX_LINES:
            yield f"{path.relative_to(root)}: {count} lines, {MAX_LINES} at most"


def faults(root):
    root = pathlib.Path(root)
    return list(include_faults(root)) + list(length_faults(root))
