import asyncio
import logging
import sys
import time

import aiohttp

market = sys.argv[1]
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(levelname)s board %(message)s")


async def main():
    seen, until = [], time.time() + 32
    async with aiohttp.ClientSession() as session:
        while time.time() < until:
            async with session.ws_connect(f"http://127.0.0.1:8202/prices/{market}") as socket:
                logging.info("%s: connected", market)
                while time.time() < until:
                    try:
                        message = await socket.receive(timeout=max(until - time.time(), 0.1))
                    except TimeoutError:
                        break
                    if message.type != aiohttp.WSMsgType.TEXT:
                        logging.info("%s: socket closed (%s), connecting again in 3 s", market, socket.close_code)
                        break
                    trade = message.json()
                    seen.append(trade["n"])
                    logging.info("%s: trade %d at %.2f", market, trade["n"], trade["price"])
            await asyncio.sleep(3)
    last = max(seen, default=0)
    logging.info("%s: end of session, %d trades seen, last number %d", market, len(seen), last)


asyncio.run(main())
