r"""
fault = "the task that writes tile 6, which is empty, returns without giving back the lock `mosaic.tif` that it took; the tiles after it wait for the lock; killed after 14 s"
kind = "lock"
outcome = "hangs"
cause = [{ file = "worker-*.log", text = "tile 6: (mosaic.tif taken|no valid)" }]
subject = ["tile 6", "lock mosaic.tif"]
innocent = ["tile 7", "tile 8"]
stop = "KILL"
seconds = 14
"""
import fault
import grid
from distributed import Client


def warp(tile):
    import time
    time.sleep(0.25)
    return 0 if tile == 6 else 256 * 256 - 31 * tile


def write(pixels, tile):
    import logging
    import time
    from distributed import Lock
    log = logging.getLogger("mosaic")
    lock = Lock("mosaic.tif")
    log.info("tile %d: wants mosaic.tif", tile)
    lock.acquire()
    log.info("tile %d: mosaic.tif taken", tile)
    if not pixels:
        log.info("tile %d: no valid pixels", tile)
        return 0
    time.sleep(0.2)
    log.info("tile %d: %d pixels written", tile, pixels)
    lock.release()
    return pixels


cluster = grid.Cluster("mosaic", workers=3)
with Client(cluster.address) as client:
    client.wait_for_workers(3, timeout=60)
    written = []
    for tile in range(12):
        written.append(client.submit(write, client.submit(warp, tile), tile, key=f"write-tile-{tile}"))
        if tile in (2, 5):
            client.gather(written)
    fault.begun()
    print(sum(client.gather(written)), "pixels")
