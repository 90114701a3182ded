r"""
fault = "The launcher gives the settings of production in an option that the service does not read; it takes the settings beside its program, which name the rehearsal bucket."
kind = "wrong-config"
outcome = "failed"
cause = [
  { file = "ingest.log", text = 'settings', which = "all" },
]
subject = []
shows = 'prod-frames: 0 objects'
"""

import os
import subprocess
import sys
import time
from pathlib import Path

SERVICE = '''
import random, sys, time, tomllib
from pathlib import Path
from loguru import logger
logger.remove()
logger.add("ingest.log", format="{time:MMM DD HH:mm:ss} {process} {level} {message}")
home = Path(__file__).parent
places = [Path.cwd() / "ingest.toml", home / "ingest.toml"]
path = next(p for p in places if p.exists())
logger.info("ingest 4.2.1 starting, arguments: {}", " ".join(sys.argv[1:]))
logger.info("settings read from {}", path)
settings = tomllib.loads(path.read_text())
for key, value in settings.items():
    logger.debug("{} = {}", key, value)
store = home.parent / "store" / settings["bucket"]
store.mkdir(parents=True, exist_ok=True)
for number in range(1, 61):
    time.sleep(random.uniform(0.02, 0.12))
    (store / f"frame-{number:03}").touch()
    logger.info("frame-{:03} stored, {} bytes, crc {:08x}", number, random.randint(80_000, 90_000), random.getrandbits(32))
logger.info("60 frames stored, 0 errors")
'''


def main():
    home = Path("..")
    for folder in ("opt/ingest", "etc", "store/prod-frames"):
        (home / folder).mkdir(parents=True)
    (home / "opt/ingest/service.py").write_text(SERVICE)
    (home / "opt/ingest/ingest.toml").write_text('bucket = "frames-rehearsal"\nworkers = 1\nretention_days = 3\n')
    (home / "etc/ingest.toml").write_text('bucket = "prod-frames"\nworkers = 8\nretention_days = 365\n')
    with open("launch.log", "w", buffering=1) as log:
        say = lambda text: log.write(time.strftime("%F %T ") + text + "\n")
        say(f"launching ingest with {(home / 'etc/ingest.toml').resolve()}")
        status = subprocess.run([sys.executable, home / "opt/ingest/service.py", "--settings", home / "etc/ingest.toml"]).returncode
        say(f"ingest ended with status {status}")
        count = len(os.listdir(home / "store/prod-frames"))
        say(f"inventory of prod-frames: {count} objects, 60 expected")
    return 0 if count == 60 else 1


sys.exit(main())
