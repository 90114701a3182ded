from flask import Flask

from outlines import simplify

app = Flask("maps")


@app.get("/health")
def health():
    return {"service": "maps", "points": len(simplify([(0, 0), (1, 1), (2, 2)]))}
