r"""
fault = "the tracker subscribes to `frame/raw`, the camera publishes to `frames/raw`: the tracker never gets a frame, and the program waits for its tracks; killed after 15 s"
kind = "misspelt"
outcome = "hangs"
cause = [{ file = "lab.log", text = "frame/raw" }, { file = "lab.log", text = "frames/raw" }]
subject = ["topic frame/raw", "topic frames/raw", "agent tracker"]
innocent = ["agent thermo", "topic stage/temperature", "topic stage/position"]
stop = "KILL"
seconds = 15
"""
import asyncio
import json
import logging
import random
import time
from collections import defaultdict

import acad
import fault_academy as fa
from academy.agent import Agent, action


class Lines(logging.Formatter):
    def format(self, record):
        return json.dumps({"ts": round(record.created, 3), "agent": record.name, "msg": record.getMessage(), **(record.args if isinstance(record.args, dict) else {})})


def log_of(name):
    log = logging.getLogger(name)
    if not log.handlers:
        handler = logging.FileHandler("lab.log")
        handler.setFormatter(Lines())
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        log.propagate = False
    return log


class Bus(Agent):
    def __init__(self):
        self.queues = defaultdict(list)

    @action
    async def subscribe(self, topic, who):
        self.queues[topic].append((who, asyncio.Queue()))
        log_of("bus").info("subscribed", {"topic": topic, "by": who})

    @action
    async def publish(self, topic, value):
        for _, queue in self.queues[topic]:
            queue.put_nowait(value)
        if value["seq"] % 4 == 0:
            log_of("bus").info("published", {"topic": topic, "seq": value["seq"]})

    @action
    async def take(self, topic, who):
        return await next(q for w, q in self.queues[topic] if w == who).get()


class Source(Agent):
    def __init__(self, bus, name, topics):
        self.bus, self.name, self.topics = bus, name, topics

    @action
    async def play(self, count):
        for seq in range(count):
            for topic in self.topics:
                await self.bus.publish(topic, {"seq": seq, "value": round(random.gauss(20, 1), 2)})
            await asyncio.sleep(0.25)
        log_of(self.name).info("played", {"count": count})


class Sink(Agent):
    def __init__(self, bus, name, topic):
        self.bus, self.name, self.topic = bus, name, topic

    @action
    async def collect(self, count):
        await self.bus.subscribe(self.topic, self.name)
        for n in range(1, count + 1):
            value = await self.bus.take(self.topic, self.name)
            if n % 4 == 0:
                log_of(self.name).info("collected", {"n": n, "last": value["value"]})
        return self.name


async def main(manager):
    bus = await manager.launch(Bus, name="bus")
    camera = await manager.launch(Source, args=(bus, "camera", ["frames/raw"]), name="camera")
    stage = await manager.launch(Source, args=(bus, "stage", ["stage/temperature", "stage/position"]), name="stage")
    sinks = [("tracker", "frame/raw"), ("thermo", "stage/temperature"), ("drift", "stage/position"), ("preview", "frames/raw")]
    sinks = [await manager.launch(Sink, args=(bus, *of), name=of[0]) for of in sinks]
    await fa.ready(bus, camera, stage, *sinks)
    collected = [asyncio.create_task(sink.collect(16)) for sink in sinks]
    await asyncio.sleep(1)
    await asyncio.gather(camera.play(20), stage.play(20))
    for done in asyncio.as_completed(collected):
        print("complete:", await done)


if __name__ == "__main__":
    acad.run(main, logfile="academy.log")
