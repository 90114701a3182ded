"""
fault = "the process that writes monitoring.db is killed while tasks run"
kind = "killed"
outcome = "hangs"
cause = [{ file = "**/*", text = "[Dd]atabase|dbm|DBM|[Mm]onitoring.*(died|exit|lost)" }]
shows = "."
seconds = 25
stop = "KILL"
"""
import fault
from parsl import python_app
from parsl.monitoring import MonitoringHub


@python_app
def work(n):
    import time
    time.sleep(1)
    return n


if __name__ == "__main__":
    with fault.load(monitoring=MonitoringHub(resource_monitoring_interval=1)):
        fault.results([work(n) for n in range(3)])
        import multiprocessing, os, signal
        for child in multiprocessing.active_children():
            if "atabase" in child.name or "dbm" in child.name.lower() or "DB" in child.name:
                os.kill(child.pid, signal.SIGKILL)
                fault.injected(child.name)
        fault.results([work(n) for n in range(6)])
