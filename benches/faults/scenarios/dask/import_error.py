"""
fault = "a task imports a module that is not installed"
kind = "import"
outcome = "failed"
cause = [{ file = "**/*", text = "gridtools9" }]
subject = [{ class = "task", file = "worker*.log", text = "Key: +(regrid-[0-9a-f]+)" }]
on = ["dask-2026.8.0", "dask-2022.12.1"]
shows = "0 of 6"
"""
import fault_dask as fd


def regrid(n):
    import gridtools9
    return gridtools9.regrid(n)


def main(client):
    fd.answers(client.map(regrid, range(6)))


if __name__ == "__main__":
    fd.run(main)
