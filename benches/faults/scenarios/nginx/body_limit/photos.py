import logging
import sys

from aiohttp import web

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")


async def put(request):
    size = len(await request.read())
    logging.getLogger("photos").info("photo %s stored, %d bytes", request.match_info["n"], size)
    return web.Response(status=201)


app = web.Application(client_max_size=30_000_000)
app.router.add_put("/album/{n}", put)
logging.getLogger("photos").info("limit 30000000 bytes")
web.run_app(app, host="127.0.0.1", port=8222, print=None)
