"""
fault = "none: two agents in processes of their own over an HTTP exchange; 3 actions"
kind = "healthy"
outcome = "healthy"
shows = "3 of 3"
"""
import fault_academy as fa


async def main(manager):
    counters = [await manager.launch(fa.Counter, name=f"counter{n}") for n in range(2)]
    await fa.answers([counters[n % 2].add(n) for n in range(3)])


if __name__ == "__main__":
    fa.run(main)
