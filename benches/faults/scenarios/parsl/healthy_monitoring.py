"""
fault = "none: monitoring with resource records"
kind = "healthy"
outcome = "healthy"
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
shows = "6 of 6"
"""
import fault
from parsl import python_app
from parsl.monitoring import MonitoringHub


@python_app
def work(n):
    import time
    time.sleep(0.5)
    return n


if __name__ == "__main__":
    hub = MonitoringHub(hub_address="127.0.0.1", resource_monitoring_interval=1)
    with fault.load(monitoring=hub):
        fault.results([work(n) for n in range(6)])
