"""
fault = "the database of monitoring is to be in a folder that does not exist"
kind = "config"
outcome = "failed"
cause = [{ file = "**/*", text = "unable to open database file" }]
shows = "."
"""
import fault
from parsl import python_app
from parsl.monitoring import MonitoringHub


@python_app
def work(n):
    return n


if __name__ == "__main__":
    hub = MonitoringHub(logging_endpoint="sqlite:////no_such_folder/monitoring.db", resource_monitoring_enabled=False)
    with fault.load(monitoring=hub):
        fault.results([work(n) for n in range(4)])
