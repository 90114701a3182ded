r"""
fault = "the nightly encoding of six videos is sent to the queue of the thumbnails and takes both processes of the worker, so that thumbnails that take 0.1 s wait for 12 s"
kind = "starvation"
outcome = "slow"
cause = [{ file = "web.log", text = "thumbnail \\d+ after (9|1\\d)\\.\\d s" }, { file = "media.log", text = "transcode\\[.*(received|succeeded in [3-9])|2 passes" }, { file = "web.log", text = "6 videos" }]
subject = ["task transcode", "worker media"]
innocent = ["task thumbnail"]
shows = "all there"
"""
import logging
import time

import fault
import queueing

logging.basicConfig(filename="web.log", level=logging.INFO, format="%(asctime)s.%(msecs)03d %(name)-5s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("web")
logging.getLogger("kombu").setLevel(logging.WARNING)
queueing.application("media", '''
@app.task
def transcode(video):
    logging.getLogger("media").info("%s: 2 passes, h264 main", video)
    time.sleep(4)
    return video

@app.task
def thumbnail(n):
    time.sleep(0.1)
    return n
''', queue="media")
worker = queueing.worker("media", "media", ["--concurrency", "2", "-n", "media@%h"])
client = queueing.Client("media", "media")


def wait(pending):
    while pending:
        for name, (result, sent) in list(pending.items()):
            if result.ready():
                log.info("%s after %.1f s", name, time.time() - sent)
                del pending[name]
        time.sleep(0.1)


for n in range(8):
    wait({f"thumbnail {n}": (client.send("thumbnail", n), time.time())})
videos = {f"video {v}": (client.send("transcode", v), time.time()) for v in ("a17.mov", "b02.mov", "c33.mov", "c34.mov", "d01.mov", "d08.mov")}
log.info("6 videos of the day sent")
time.sleep(1)
pending = dict(videos)
for n in range(8, 16):
    pending[f"thumbnail {n}"] = client.send("thumbnail", n), time.time()
    time.sleep(0.1)
wait(pending)
log.info("all there")
queueing.end(worker)
