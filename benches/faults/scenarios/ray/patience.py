r"""
fault = "the program waits 2 s for simulations, throws away those that are not ready and submits them again; the large ones need 3 s, so that they never end; killed after 20 s"
kind = "livelock"
outcome = "hangs"
cause = [{ file = "sweep.log", text = "(again|resubmitted).*case 7|case 7.*again" }, { file = "sweep.log", text = "round \\d+: 3 submitted|open: 7 8 9" }]
subject = ["case 7", "case 8", "case 9"]
innocent = ["case 0", "case 1"]
stop = "KILL"
seconds = 20
"""
import fault
import ray
import rayrun


@ray.remote(max_retries=0)
def simulate(case, cells):
    import time
    print(f"case {case}: {cells} cells", flush=True)
    time.sleep(cells / 100_000)
    return cells * 3.1e-6


with rayrun.Session(cpus=3):
    log = rayrun.logger("sweep", "%(asctime)s,%(levelname)s,%(message)s")
    cells = {case: 20_000 + 5_000 * case if case < 7 else 300_000 + case for case in range(10)}
    ray.get([simulate.remote(-1, 100) for _ in range(3)])
    log.info("10 cases, %d cells", sum(cells.values()))
    fault.begun()
    open_, drag, turn = list(cells), {}, 0
    while open_:
        turn += 1
        running = {simulate.remote(case, cells[case]): case for case in open_}
        log.info("round %d: %d submitted", turn, len(running))
        ready, late = ray.wait(list(running), num_returns=len(running), timeout=2)
        for ref in ready:
            drag[running[ref]] = ray.get(ref)
            log.info("case %d: drag %.3f", running[ref], drag[running[ref]])
        for ref in late:
            ray.cancel(ref, force=True)
            log.info("case %d again", running[ref])
        open_ = [case for case in cells if case not in drag]
        log.info("%d of 10 done, open: %s", len(drag), " ".join(map(str, open_)))
