r"""
fault = "The first attempt to publish release 3.8 fails since the signing key is past its date, which is logged at DEBUG; all later attempts fail since the draft exists already."
kind = "retries"
outcome = "failed"
cause = [
  { file = "publish.log", text = 'attempt 1 .*expired', which = "all" },
]
subject = ["package maplib-tiles", "key 9C41"]
shows = 'giving up after 5 attempts'
"""

import json
import logging
import random
import sys
import time

logging.basicConfig(filename="publish.log", level=logging.DEBUG, format="%(asctime)s;%(levelname)s;%(name)s;%(message)s")
log = logging.getLogger("publish")
PACKAGES = ["core", "io", "proj", "draw", "tiles", "fonts", "cli", "docs"]
KEYS = {"tiles": {"id": "9C41", "until": "2024-02-29"}}


class Registry:
    def __init__(self):
        self.drafts = set()

    def publish(self, package, version):
        if (package, version) in self.drafts:
            raise FileExistsError(f"409 conflict: draft {package} {version} already exists")
        self.drafts.add((package, version))
        time.sleep(random.uniform(0.2, 0.5))
        key = KEYS.get(package, {"id": "A07F", "until": "2027-12-31"})
        if key["until"] < "2024-06-01":
            raise PermissionError(f"signature rejected: key {key['id']} expired {key['until']}")
        return {"url": f"https://packages.example.org/maplib-{package}/{version}"}


def publish(registry, package):
    wait = 0.4
    last = None
    for attempt in range(1, 6):
        try:
            answer = registry.publish(package, "3.8.0")
            log.info("maplib-%s 3.8.0 published: %s", package, json.dumps(answer))
            return True
        except OSError as error:
            last = error
            log.log(logging.DEBUG if attempt == 1 else logging.WARNING, "maplib-%s: attempt %d of 5 failed, next in %.1f s: %s", package, attempt, wait, error)
            time.sleep(wait)
            wait *= 1.6
    log.error("maplib-%s: giving up after 5 attempts: %s", package, last)
    return False


def main():
    registry, good = Registry(), 0
    log.info("release 3.8.0, %d packages", len(PACKAGES))
    for package in PACKAGES:
        for step in ("build", "test", "pack"):
            time.sleep(random.uniform(0.05, 0.2))
            log.info("maplib-%s: %s done in %.2f s", package, step, random.uniform(1, 9))
        log.debug("maplib-%s: signing with %s", package, KEYS.get(package, {"id": "A07F"})["id"])
        good += publish(registry, package)
    log.info("%d of %d packages published", good, len(PACKAGES))
    return 0 if good == len(PACKAGES) else 1


sys.exit(main())
