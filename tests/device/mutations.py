#!/usr/bin/env python3
"""Takes one wait for an event out of operators/device/device_ring.cc at a time, builds test_device
and runs it: each of them must make a test fail. The file is put back as it was.

    python3 tests/device/mutations.py [BUILD_FOLDER]     default: build

Prints the wait and the test cases that found it missing; exit code 1 where none did.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "operators/device/device_ring.cc"
WAIT = re.compile(r"runtime_->(?:wait|synchronize)\(.*\);")


def places(text):
    """(line number, what is there) of every wait."""
    return [(i, line.strip()) for i, line in enumerate(text.splitlines())
            if WAIT.search(line) and "origin_" not in line]  # that one sets a clock, and orders nothing


def without(text, line):
    lines = text.splitlines(keepends=True)
    lines[line] = WAIT.sub("{}", lines[line])
    return "".join(lines)


def failing_tests(build):
    made = subprocess.run(["ninja", "-C", build, "test_device"], capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit("does not build:\n" + made.stdout[-2000:])
    try:
        run = subprocess.run([f"{build}/bin/test_device"], cwd=ROOT, capture_output=True, text=True,
                             timeout=300)
    except subprocess.TimeoutExpired:
        return ["(hangs)"]
    if run.returncode == 0:
        return []
    found = re.findall(r"TEST CASE:  (.*)", run.stdout)
    return list(dict.fromkeys(found)) or ["(ends with code %d)" % run.returncode]


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build")
    text = SOURCE.read_text()
    if failing_tests(build):
        sys.exit("the tests fail as it is")
    missed = 0
    try:
        for line, what in places(text):
            SOURCE.write_text(without(text, line))
            failing = failing_tests(build)
            missed += not failing
            print(f"{SOURCE.name}:{line + 1}: {what}")
            for test in failing or ["NOT FOUND BY ANY TEST"]:
                print(f"    {test}")
    finally:
        SOURCE.write_text(text)
        subprocess.run(["ninja", "-C", build, "test_device"], capture_output=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
