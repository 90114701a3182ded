r"""
fault = "none: a search of hyperparameters; trials that diverge raise and are dropped, bad ones are stopped early, as the search is meant to do"
kind = "healthy-failures"
outcome = "healthy"
shows = "best trial"
"""
import fault
import ray
import rayrun


@ray.remote(max_retries=0)
def trial(n, rate):
    import random
    import time
    loss = 2.3
    for epoch in range(6):
        time.sleep(0.1)
        loss *= 1 - rate if rate < 0.6 else 1 + 8 * rate
        print(f"trial {n:02} epoch {epoch} loss {loss:.4g}", flush=True)
        if loss > 90:
            raise FloatingPointError(f"trial {n:02}: loss is nan or too large ({loss:.3g})")
        if epoch == 2 and loss > 2.2:
            return n, loss, "stopped early"
    return n, loss, "complete"


with rayrun.Session():
    log = rayrun.logger("search", "[%(asctime)s] %(levelname)-7s %(name)s | %(message)s")
    rates = [0.001, 0.9, 0.05, 0.3, 0.002, 0.7, 0.12, 0.4, 0.0005, 0.2, 0.75, 0.33]
    runs = [trial.remote(n, rate) for n, rate in enumerate(rates)]
    scores = []
    for n, run in enumerate(runs):
        try:
            scores.append(ray.get(run))
            log.info("trial %02d %s: %.4f", *scores[-1][:1], scores[-1][2], scores[-1][1])
        except ray.exceptions.RayTaskError as error:
            log.warning("trial %02d dropped: %s", n, error.cause)
    best = min(scores, key=lambda s: s[1])
    log.info("%d trials, %d dropped", len(runs), len(runs) - len(scores))
    print(f"best trial {best[0]:02} with loss {best[1]:.4f}")
