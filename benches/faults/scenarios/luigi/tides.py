r"""
fault = "none: a second run goes on from what is there, with two worker processes; some targets are complete, one task yields others while it runs"
kind = "healthy"
outcome = "healthy"
shows = "This progress looks :\\)"
"""
import logging
import random
import time
from pathlib import Path

import luigi

log = logging.getLogger("luigi-interface")


class Gauge(luigi.Task):
    name = luigi.Parameter()

    def output(self):
        return luigi.LocalTarget(f"../gauges/{self.name}.txt")

    def run(self):
        time.sleep(random.uniform(0.2, 0.5))
        log.info("gauge %s: 10 of 720 values missing, interpolated", self.name)
        with self.output().open("w") as file:
            file.write("0.41\n" * 720)


class Constituents(luigi.Task):
    name = luigi.Parameter()

    def output(self):
        return luigi.LocalTarget(f"../constituents/{self.name}.txt")

    def run(self):
        source = yield Gauge(self.name)
        time.sleep(0.2)
        log.info("%s: M2 %.2f m, residual error %.3f m", self.name, random.uniform(0.3, 2), random.uniform(0.01, 0.04))
        with self.output().open("w") as file:
            file.write(source.open().read()[:50])


class Table(luigi.Task):
    names = luigi.ListParameter()

    def requires(self):
        return [Constituents(n) for n in self.names]

    def output(self):
        return luigi.LocalTarget("../table.txt")

    def run(self):
        with self.output().open("w") as file:
            file.write("\n".join(self.names))


if __name__ == "__main__":
    for name in ("cuxhaven", "emden"):
        path = Path(f"../gauges/{name}.txt")
        path.parent.mkdir(exist_ok=True)
        path.write_text("0.40\n" * 720)
    luigi.build([Table(["cuxhaven", "emden", "borkum", "husum", "wismar", "kiel"])], local_scheduler=True, workers=2, log_level="INFO")
