import random
import sys
import time

from mpi4py import MPI

comm = MPI.COMM_WORLD
night = sys.argv[1]
say = lambda text: sys.stdout.write(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} mosaic: {text}\n")


def exposures():
    """Exposures of the night by field; fields are dealt out to ranks."""
    rolls = random.Random(night)
    fields = {f"F{n:03}": rolls.randint(2, 5) for n in range(11, 41) if n % 6 != 0}
    return {f: n for f, n in fields.items() if (int(f[1:]) - 3) % comm.size == comm.rank}


def main():
    mine = exposures()
    if not mine:
        say(f"night {night}: no exposures in my fields")
        return
    say(f"night {night}: {len(mine)} fields, {sum(mine.values())} exposures")
    for field, count in mine.items():
        sky = []
        for n in range(count):
            time.sleep(random.uniform(0.1, 0.25))
            sky.append(random.gauss(21.3, 0.2))
        say(f"field {field}: {count} exposures stacked, sky {sum(sky) / count:.2f} mag")
    say("waiting for all before the mosaic")
    comm.Barrier()
    if comm.rank == 0:
        say("writing mosaic.fits")
    say("finished")


say(f"rank {comm.rank} of {comm.size} starts")
main()
