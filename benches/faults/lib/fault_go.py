"""What the scenarios in Go share: building and running one program that stands in the home."""

import os
import subprocess

import fault


def built(name):
    """The path of a program, built with Debian's packages of Go libraries."""
    variables = os.environ | {"GOPATH": "/usr/share/gocode", "GO111MODULE": "off", "GOFLAGS": "", "GOCACHE": str(fault.ENVIRONMENTS / "go-cache")}
    subprocess.run(["go", "build", "-o", f"../{name}.bin", f"../{name}.go"], env=variables, check=True)
    return f"../{name}.bin"


def run(name, *arguments):
    """The status with which a program ends."""
    return subprocess.run([built(name), *arguments]).returncode
