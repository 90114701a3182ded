r"""
fault = "the export of one day, an external input, has not been delivered: the tasks that depend on it are not run"
kind = "missing-input"
outcome = "failed"
cause = [{ file = "pipeline.log", text = "Data for Export\\S* does not exist" }, { file = "pipeline.log", text = "missing external|1 Export\\(" }]
subject = ["day 2026-11-26", { class = "task", file = "pipeline.log", text = "Data for (Export\\S*) does not exist" }]
innocent = ["day 2026-11-25"]
shows = "does not exist"
"""
import datetime
import sys
import time
from pathlib import Path

import luigi

DAYS = [datetime.date(2026, 11, 20) + datetime.timedelta(n) for n in range(9)]


class Export(luigi.ExternalTask):
    day = luigi.DateParameter()

    def output(self):
        return luigi.LocalTarget(f"../incoming/orders-{self.day}.csv")


class Invoices(luigi.Task):
    day = luigi.DateParameter()

    def requires(self):
        return Export(self.day)

    def output(self):
        return luigi.LocalTarget(f"../out/invoices-{self.day}.csv")

    def run(self):
        time.sleep(0.2)
        with self.input().open() as orders, self.output().open("w") as file:
            file.write(orders.read().upper())


class Month(luigi.WrapperTask):
    def requires(self):
        return [Invoices(day) for day in DAYS]


Path("../incoming").mkdir()
for day in DAYS:
    if day.day != 26:
        Path(f"../incoming/orders-{day}.csv").write_text("4711;jar;3\n" * 40)
Path("../logging.conf").write_text("""
[loggers]
keys=root
[handlers]
keys=file
[formatters]
keys=line
[logger_root]
level=INFO
handlers=file
[handler_file]
class=FileHandler
formatter=line
args=("pipeline.log",)
[formatter_line]
format=%(asctime)s %(name)s[%(process)s] %(levelname)s: %(message)s
""")
done = luigi.build([Month()], local_scheduler=True, logging_conf_file="../logging.conf", detailed_summary=True)
print("month closed" if done.scheduling_succeeded and done.status.name == "SUCCESS" else "month not closed")
sys.exit(done.status.name != "SUCCESS")
