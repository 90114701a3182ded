import random
import time
from datetime import datetime, timezone

from mpi4py import MPI

comm = MPI.COMM_WORLD
log = open(f"pic.{comm.rank}.log", "w", buffering=1)


def say(message, **fields):
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    print(f"ts={now} level=info rank={comm.rank} msg=\"{message}\"", *(f"{k}={v}" for k, v in fields.items()), file=log)


low, high = comm.rank / comm.size, (comm.rank + 1) / comm.size
rolls = random.Random(17)
positions = (rolls.random() if rolls.random() < 0.45 else rolls.gauss(0.745, 0.025) for _ in range(9000))
mine = [x for x in positions if low <= x < high]
say("loaded particles", domain=f"{low:.3f}..{high:.3f}", count=len(mine))
comm.Barrier()
for step in range(1, 41):
    began = time.perf_counter()
    charge = 0.0
    for x in mine:
        charge += 1.0 / (1.0 + (x - low) ** 2)
        if len(mine) and int(x * 1e6) % 40 == 0:
            time.sleep(0.002)
    pushed = time.perf_counter()
    total = comm.allreduce(charge)
    say("step", n=step, push_ms=round(1000 * (pushed - began)), wait_ms=round(1000 * (time.perf_counter() - pushed)), charge=round(total, 1))
say("finished steps=40")
