import logging
import sys
import time

from shopwork import mail, thumb, weekly

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s,%(msecs)03d INFO site.%(funcName)s: %(message)s", datefmt="%Y-%m-%d %H:%M:%S")


def main():
    for n in range(12):
        job = thumb.delay(f"lamp-{n:02}")
        logging.info("thumb lamp-%02d sent to queue thumbs, %s", n, job.id)
        if n % 3 == 0:
            logging.info("mail sent to queue default, %s", mail.delay(f"guest{n}@example.org").id)
        time.sleep(0.2)
    reports = [weekly.delay(week) for week in (44, 45, 46)]
    for week, report in zip((44, 45, 46), reports):
        logging.info("weekly %d sent to queue reports, %s", week, report.id)
    while not all(report.ready() for report in reports):
        logging.info("reports: %s", ", ".join(report.state for report in reports))
        time.sleep(2)
    logging.info("reports are ready")


main()
