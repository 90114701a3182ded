import asyncio
import logging
import sys

from aiohttp import web

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")


async def page(request):
    n = int(request.match_info["n"])
    if n % 13 == 0:
        raise web.HTTPNotFound()
    if n % 17 == 0:
        raise web.HTTPGone()
    if n % 19 == 0:
        raise web.HTTPForbidden()
    if n == 23:
        raise web.HTTPServiceUnavailable()
    if n in (29, 31):
        await asyncio.sleep(4)
    return web.Response(text=f"page {n}\n")


app = web.Application()
app.router.add_get("/page/{n}", page)
web.run_app(app, host="127.0.0.1", port=8261, print=None)
