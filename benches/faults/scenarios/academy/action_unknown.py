r"""
fault = "an action is called that the agent does not have"
kind = "misspelt"
outcome = "failed"
cause = [{ file = "**/*", text = "subtract" }]
subject = [
    "agent counter",
    "agent AgentId<counter>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='counter'" },
    "action subtract",
]
shows = "1 of 2"
"""
import fault_academy as fa


async def main(manager):
    counter = await manager.launch(fa.Counter, name="counter")
    await fa.answers([counter.add(1), counter.subtract(1)])


if __name__ == "__main__":
    fa.run(main)
