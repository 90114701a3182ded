"""
fault = "an actor raises in its constructor: all its methods fail with it"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "license of MATGEN" }]
subject = ["actor Mesher"]
shows = "0 of 3"
"""
import fault_ray as fr
import ray


@ray.remote
class Mesher:
    def __init__(self):
        raise OSError("license of MATGEN has expired")

    def mesh(self, n):
        return n


with fr.session():
    mesher = Mesher.remote()
    fr.answers([mesher.mesh.remote(n) for n in range(3)])
