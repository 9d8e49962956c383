"""write_blocks.py PAGE FOLDER: the code blocks of a page whose first line is a comment with a file's
name ("// brighten.cc", "# CMakeLists.txt") become these files. Blocks of C and C++ must have one, so
that no code of the page goes uncompiled."""
import pathlib
import re
import sys

page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
for language, code in re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.M | re.S):
    name = re.match(r"(?://|#) ([\w.]+\.(?:cc|c|txt|yaml|py))$", code.splitlines()[0])
    if name:
        pathlib.Path(folder, name.group(1)).write_text(code)
    elif language in {"c", "cpp", "cmake", "python"}:
        sys.exit(f"{page}: a block has no file's name in its first line: {code.splitlines()[0]}")
