"""What the scenarios in Java share: compiling and running one class that stands in the home."""

import os
import subprocess

LOGBACK = "logback-classic logback-core slf4j-api"
LOG4J = "log4j-api log4j-core"


def compiled(name, jars=""):
    """The command of a class, compiled."""
    path = os.pathsep.join(["../classes", "..", *(f"/usr/share/java/{jar}.jar" for jar in jars.split())])
    subprocess.run(["javac", "-d", "../classes", "-cp", path, f"../{name}.java"], check=True)
    return ["java", "-Xmx128m", "-XX:-UsePerfData", "-cp", path, name]


def run(name, jars=""):
    """The status with which a class ends."""
    return subprocess.run(compiled(name, jars)).returncode
