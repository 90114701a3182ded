"""What the scenarios of Academy share: an exchange, a manager, an agent."""

import asyncio
import os
import signal
import socket
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import fault
from academy.agent import Agent, action
from academy.exchange import HttpExchangeFactory, LocalExchangeFactory
from academy.logging.configs.jsonpool import JSONPoolLogging
from academy.logging.configs.multi import MultiLogging
from academy.logging.recommended import recommended_logging
from academy.manager import Manager


class Counter(Agent):
    """An agent without a fault."""

    def __init__(self):
        self.count = 0

    @action
    async def add(self, n):
        self.count += n
        return self.count

    @action
    async def pid(self):
        return os.getpid()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def http_exchange():
    """A started exchange server, as of another terminal; its log is exchange.log."""
    port = free_port()
    Path("../exchange.toml").write_text(f'host = "127.0.0.1"\nport = {port}\n[logger]\nlevel = "INFO"\n')
    fault.start("exchange", [sys.executable, "-m", "academy.exchange.cloud", "--config", "../exchange.toml"], start_new_session=True)
    fault.wait_for("listening", "exchange.log")
    return HttpExchangeFactory(f"http://127.0.0.1:{port}", request_timeout_s=10)


def kill_exchange(signal_name="KILL"):
    return fault.send(signal_name, r"academy\.exchange\.cloud")


def kill(pid):
    fault.injected(f"KILL {pid}")
    os.kill(pid, signal.SIGKILL)


async def ready(*handles):
    """Waits until agents answer; from then on the seconds of a run that is to be stopped count."""
    for handle in handles:
        await handle.ping()
    fault.begun()


async def answers(calls):
    """Waits for all answers; an exception is printed, and the program goes on."""
    given = await asyncio.gather(*calls, return_exceptions=True)
    for answer in given:
        if isinstance(answer, BaseException):
            print(f"{type(answer).__name__}: {answer}", file=sys.stderr)
    print(f"{sum(not isinstance(a, BaseException) for a in given)} of {len(given)} answers")


def run(main, exchange="http", processes=True):
    """Runs `main(manager)` with an exchange, agents in processes of their own or in this one."""

    async def whole():
        if exchange == "http":
            factory = http_exchange()
        elif exchange == "nowhere":
            factory = HttpExchangeFactory(f"http://127.0.0.1:{free_port()}", request_timeout_s=10)
        else:
            factory = LocalExchangeFactory()
        log = MultiLogging([recommended_logging(color=False, extra=2), JSONPoolLogging()])
        pool = ProcessPoolExecutor(3, mp_context=get_context("spawn")) if processes else None
        async with await Manager.from_exchange_factory(factory, pool, log_config=log) as manager:
            await main(manager)

    asyncio.run(whole())
