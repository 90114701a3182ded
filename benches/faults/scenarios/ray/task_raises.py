"""
fault = "one of 10 tasks raises ValueError: negative grid spacing"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "negative grid spacing" }]
subject = ["task refine"]
shows = "9 of 10"
"""
import fault_ray as fr
import ray


@ray.remote
def refine(n):
    if n == 7:
        raise ValueError("negative grid spacing")
    return n


with fr.session():
    fr.answers([refine.remote(n) for n in range(10)])
