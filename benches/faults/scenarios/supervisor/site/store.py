import signal
import socket
import sys
import time

say = lambda text: print(f"{time.strftime('%b %d %H:%M:%S')} store: {text}")
signal.signal(signal.SIGTERM, lambda *_: (say("closing"), sys.exit(0)))
say("reading snapshot, 1.2 M keys")
time.sleep(4)
say("snapshot read")
with socket.create_server(("127.0.0.1", 8271)) as server:
    say("listening on 8271")
    while True:
        client, _ = server.accept()
        with client:
            client.recv(100)
            client.sendall(b"ok\n")
