from flask import Flask

app = Flask("search")


@app.get("/health")
def health():
    return {"service": "search"}
