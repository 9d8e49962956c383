"""The profile of the training example: its trace has the five named ranges, in their places.

    profile_check.py EXAMPLE_TRAIN
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

STEPS = 30


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        subprocess.run([sys.argv[1], "graphs/train.yaml", str(STEPS), path], check=True,
                       env=dict(os.environ, DEVICE="simulated"), stdout=subprocess.DEVNULL)
        with open(path) as file:
            events = [event for event in json.load(file) if event["ph"] == "X"]
    count = collections.Counter(event["name"] for event in events)
    for name in ("data_wait", "forward", "backward", "optimizer"):
        assert count[name] == STEPS, (name, count)
    # A copy that is not known to be over when the trace ends is not in it.
    assert STEPS - 3 <= count["host_to_device"] <= STEPS + 4, count
    work = [event for event in events if event["name"] == "work"]
    for name in ("forward", "backward", "optimizer"):
        for event in events:
            if event["name"] != name or event is events[-1]:
                continue
            inside = any(step["ts"] <= event["ts"] and
                         event["ts"] + event["dur"] <= step["ts"] + step["dur"] for step in work)
            last = event["ts"] >= max(step["ts"] + step["dur"] for step in work)
            assert inside or last, event


if __name__ == "__main__":
    main()
