"""schema_check.py PENSTOCK SOURCE: what `penstock schema` prints is a valid schema, every shipped
pipeline and every golden one that `penstock check` takes follows it, and those whose mistakes can be
told from the file alone do not."""
import json
import pathlib
import re
import subprocess
import sys

import jsonschema
import yaml

# Codes of mistakes that a schema can tell.
TOLD = {"unknown-key", "unknown-op", "unknown-param", "missing-param", "missing-key", "wrong-type",
        "bad-param"}


class Loader(yaml.SafeLoader):
    """YAML as the engine reads it: no dates, no octal numbers, yes and no are texts."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers
            if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"),
                             "tf")


def loaded(path):
    """The document, or None where it cannot be read at all."""
    try:
        return yaml.load(path.read_text(), Loader)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError):
        return None


def mistakes(penstock, path):
    """Codes of the errors that `penstock check` finds."""
    said = subprocess.run([penstock, "check", path, "--format", "json"], capture_output=True)
    return {each["code"] for each in json.loads(said.stdout)["diagnostics"]
            if each["severity"] == "error" and each["file"] == str(path)}


def main(penstock, source):
    schema = json.loads(subprocess.run([penstock, "schema"], capture_output=True, check=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults, good, bad = [], 0, 0
    for path in sorted(source.glob("graphs/**/*.yaml")) + sorted(source.glob("plugins/**/*.yaml")):
        good += 1
        for error in validator.iter_errors(loaded(path)):
            faults.append(f"{path}: {error.json_path}: {error.message}")
    for path in sorted(source.glob("tests/golden/*/*.yaml")):
        document, codes = loaded(path), mistakes(penstock, path)
        if not isinstance(document, dict) or "${env" in path.read_text():
            continue  # other readers do not take it, or take something else out of it
        valid = validator.is_valid(document)
        if not codes:
            good += 1
            if not valid:
                faults.append(f"{path} is refused: {next(validator.iter_errors(document)).message}")
        elif codes & TOLD and "duplicate-key" not in codes:
            bad += 1
            if valid:
                faults.append(f"{path} is taken, and has mistakes: {codes}")
    for name, text in {
            "unknown_op": "nodes: [{id: a, op: synthetc}]", "no_nodes": "name: x",
            "param_type": "nodes: [{id: a, op: synthetic, params: {items: many}}]",
            "param_range": "nodes: [{id: a, op: synthetic, params: {items: -1}}]",
            "param_name": "nodes: [{id: a, op: synthetic, params: {itmes: 1}}]",
            "param_missing": "nodes: [{id: a, op: collate}]",
            "unit": "nodes: [{id: a, op: sleep, params: {time: 8}}]",
            "concurrency": "nodes: [{id: a, op: synthetic, concurrency: 0}]",
            "both": "nodes: [{id: a, op: synthetic}]\nconsumer: {spin: 1ms, sleep: 1ms}"}.items():
        bad += 1
        if validator.is_valid(yaml.load("penstock: 1\n" + text, Loader)):
            faults.append(f"{name} is taken")
    print(f"{good} good pipelines, {bad} bad ones")
    if faults or good < 15 or bad < 15:
        sys.exit("\n".join(faults) or "too few pipelines were looked at")


main(sys.argv[1], pathlib.Path(sys.argv[2]))
