r"""
fault = "the first run was ended by its time limit in the middle of writing spectrum-3.csv (370 of 1000 rows); the second run finds the file, takes the task for complete and sums up a part"
kind = "partial-write"
outcome = "failed"
cause = [
    { file = "run1.log", text = "spectrum-3.csv: \\d+ of 1000 rows", which = "last" },
    { file = "run2.log", text = "spectrum-3.csv: \\d+ rows" },
    { file = "run2.log", text = "Informed scheduler that task +Extract_3_.* DONE" },
]
subject = ["spectrum-3.csv", "spectrum 3", { class = "task", file = "run2.log", text = "task +(Extract_3_\\w+) " }]
innocent = ["spectrum-4.csv"]
shows = "total \\d+ of 8000"
"""
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = '''
import logging
import sys
import time

import luigi

log = logging.getLogger("luigi-interface.spectra")


class Extract(luigi.Task):
    number = luigi.IntParameter()

    def output(self):
        return luigi.LocalTarget(f"../data/spectrum-{self.number}.csv")

    def run(self):
        self.output().makedirs()
        with open(self.output().path, "w", buffering=1) as file:
            for row in range(1000):
                file.write(f"{4000 + row},{row % 17}\\n")
                if row % 200 == 0:
                    log.info("spectrum-%d.csv: %d of 1000 rows", self.number, row)
                time.sleep(0.0012)
        log.info("spectrum-%d.csv: written", self.number)


class Total(luigi.Task):
    def requires(self):
        return [Extract(n) for n in range(8)]

    def output(self):
        return luigi.LocalTarget("../data/total.txt")

    def run(self):
        total = 0
        for source in self.input():
            rows = sum(1 for _ in open(source.path))
            log.info("%s: %d rows", source.path.rpartition("/")[2], rows)
            total += rows
        with self.output().open("w") as file:
            file.write(str(total))
        log.info("total %d of 8000", total)


luigi.build([Total()], local_scheduler=True, workers=1, log_level="INFO")
'''
Path("../sum_spectra.py").write_text(PROGRAM)


def run(name):
    return subprocess.Popen([sys.executable, "../sum_spectra.py"], stdout=open(f"{name}.log", "w"), stderr=subprocess.STDOUT)


print(time.strftime("%F %T"), "run 1")
first = run("run1")
part = Path("../data/spectrum-3.csv")
while not part.exists() or part.read_text().count("\n") < 370:
    time.sleep(0.02)
first.kill()
first.wait()
time.sleep(2)
print(time.strftime("%F %T"), "run 2")
run("run2").wait()
total = int(Path("../data/total.txt").read_text())
print(time.strftime("%F %T"), f"total {total} of 8000")
sys.exit(total != 8000)
