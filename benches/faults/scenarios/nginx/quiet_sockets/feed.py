import asyncio
import logging
import random
import sys

from aiohttp import web

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(levelname)s feed %(message)s")
EVERY = {"gold": 0.7, "wheat": 7.3, "maize": 9.1}
listeners = {market: set() for market in EVERY}


async def prices(request):
    market = request.match_info["market"]
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    listeners[market].add(socket)
    logging.info("%s: %d boards", market, len(listeners[market]))

    async def beat():
        while True:
            await asyncio.sleep(20)
            await socket.ping()

    beating = asyncio.create_task(beat())
    async for message in socket:
        pass
    beating.cancel()
    listeners[market].discard(socket)
    logging.info("%s: %d boards", market, len(listeners[market]))
    return socket


async def trade(market):
    n = 0
    while True:
        await asyncio.sleep(EVERY[market])
        n += 1
        price = random.uniform(180, 220)
        logging.info("%s trade %d at %.2f", market, n, price)
        for socket in list(listeners[market]):
            await socket.send_json({"n": n, "price": price})


async def begin(app):
    app["trades"] = [asyncio.create_task(trade(market)) for market in EVERY]
    logging.info("markets %s, heartbeat every 20 s", " ".join(EVERY))


app = web.Application()
app.on_startup.append(begin)
app.router.add_get("/prices/{market}", prices)
web.run_app(app, host="127.0.0.1", port=8201, print=None, access_log=None)
