"""What scenarios of Academy share: a manager whose agents run in this process, and its log."""

import asyncio

import fault_academy as fa
from academy.exchange import LocalExchangeFactory
from academy.logging.configs.jsonpool import JSONPoolLogging
from academy.logging.configs.multi import MultiLogging
from academy.logging.recommended import recommended_logging
from academy.manager import Manager


def run(main, exchange="local", pool=False, logfile=None):
    async def whole():
        factory = fa.http_exchange() if exchange == "http" else LocalExchangeFactory()
        log = recommended_logging(color=False, extra=2, logfile=logfile)
        if pool:
            log = MultiLogging([log, JSONPoolLogging()])
        async with await Manager.from_exchange_factory(factory, None, log_config=log) as manager:
            await main(manager)

    asyncio.run(whole())
