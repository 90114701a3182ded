"""
fault = "nothing listens at the address of the exchange"
kind = "refused"
outcome = "failed"
cause = [{ file = "**/*", text = "Cannot connect to host|ClientConnectorError|Connect call failed|Connection ?[Rr]efused" }]
"""
import fault_academy as fa


async def main(manager):
    counter = await manager.launch(fa.Counter, name="counter")
    await fa.answers([counter.add(1)])


if __name__ == "__main__":
    fa.run(main, exchange="nowhere")
