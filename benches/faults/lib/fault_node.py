"""What the scenarios in Node share: running one program that stands in the home."""

import subprocess


def run(*arguments, **more):
    """The status with which a program ends."""
    return subprocess.run(["node", *arguments], **more).returncode
