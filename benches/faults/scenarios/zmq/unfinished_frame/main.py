r"""
fault = "The camera announces a frame 0.3 s after it began to write it; the long exposures 9 and 17 are written more slowly, and are reduced half written."
kind = "partial-write"
outcome = "failed"
cause = [
    { file = "reduce.log", text = "frame (9|17): " },
    { file = "camera.log", text = "frame (9|17) (announced|closed)" },
]
subject = ["frame 9", "frame 17"]
on = ["services"]
shows = "frame 17: "
limit = 80
program = "pyzmq 27.3"
"""

from pathlib import Path

from fault_services import python

Path("../frames").mkdir()
reduce, camera = python("reduce", "reduce.py"), python("camera", "camera.py")
camera.wait()
reduce.wait()
