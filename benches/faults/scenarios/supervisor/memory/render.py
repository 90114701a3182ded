import logging
import sys
import time

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s | %(levelname)s | render | %(message)s")
logging.info("poster 17, 40 tiles of 2 MB")
tiles = []
for n in range(1, 41):
    tiles.append(b"\1" * 2_000_000)
    time.sleep(0.35)
    if n % 4 == 0:
        logging.info("poster 17: tile %d of 40", n)
logging.info("poster 17 written, %d MB", sum(map(len, tiles)) // 1_000_000)
