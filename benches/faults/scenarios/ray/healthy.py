"""
fault = "none: 20 tasks and an actor"
kind = "healthy"
outcome = "healthy"
shows = "21 of 21"
"""
import fault_ray as fr
import ray


@ray.remote
def square(n):
    return n * n


@ray.remote
class Counter:
    def count(self):
        return 1


with fr.session():
    counter = Counter.remote()
    fr.answers([square.remote(n) for n in range(20)] + [counter.count.remote()])
