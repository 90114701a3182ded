r"""
fault = "five trainers are to meet before each all-reduce (world size 5), but the program has started four; killed after 14 s"
kind = "barrier"
outcome = "hangs"
cause = [{ file = "train.log", text = "world size|trainers? started|rank [0-3] at" }, { file = "ray/worker-*.out", text = "4 of 5" }]
subject = ["rank 4"]
innocent = ["rank 0", "rank 1", "rank 2", "rank 3"]
stop = "KILL"
seconds = 14
"""
import asyncio

import fault
import ray
import rayrun


@ray.remote(num_cpus=0)
class Meeting:
    def __init__(self, size):
        self.size, self.waiting, self.sum = size, [], 0.0

    async def join(self, rank, epoch, value):
        done = asyncio.get_running_loop().create_future()
        self.waiting.append((rank, value, done))
        print(f"epoch {epoch}: rank {rank} here, {len(self.waiting)} of {self.size}", flush=True)
        if len(self.waiting) == self.size:
            mean = sum(v for _, v, _ in self.waiting) / self.size
            for _, _, future in self.waiting:
                future.set_result(mean)
            self.waiting = []
        return await done


@ray.remote(num_cpus=0.2)
class Trainer:
    def __init__(self, rank, meeting):
        self.rank, self.meeting = rank, meeting

    def load(self):
        import time
        time.sleep(0.2 * self.rank)
        print(f"rank {self.rank}: 12500 images", flush=True)
        return 12500

    def train(self, epochs):
        import random
        import time
        for epoch in range(epochs):
            time.sleep(random.uniform(0.3, 0.6))
            loss = 2.3 / (epoch + 1)
            print(f"rank {self.rank}: epoch {epoch} loss {loss:.3f}", flush=True)
            ray.get(self.meeting.join.remote(self.rank, epoch, loss))
        return self.rank


with rayrun.Session():
    log = rayrun.logger("train")
    log.info("world size 5, batch 64, lr 0.1")
    meeting = Meeting.remote(5)
    trainers = [Trainer.remote(rank, meeting) for rank in range(4)]
    images = ray.get([t.load.remote() for t in trainers])
    log.info("%d trainers started, %d images", len(trainers), sum(images))
    fault.begun()
    runs = [t.train.remote(3) for t in trainers]
    while runs:
        done, runs = ray.wait(runs, timeout=4)
        log.info("%d trainers running", len(runs))
