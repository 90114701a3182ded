import itertools
import logging
import random
import sys
import time

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s | %(levelname)s | thumbs | %(message)s")
for n in itertools.count(1):
    time.sleep(random.uniform(0.5, 1.0))
    logging.info("picture %d: 3 sizes", n)
