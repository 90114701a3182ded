from flask import Flask

app = Flask("users")


@app.get("/health")
def health():
    return {"service": "users"}
