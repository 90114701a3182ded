import logging
import sys
import time

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s | %(levelname)s | orders | %(message)s")
logging.info("1 poster ordered, 0 delivered")
while True:
    time.sleep(3)
    logging.info("posters waiting: 1 (number 17)")
