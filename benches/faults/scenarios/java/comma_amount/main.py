r"""
fault = "A row of the statement of branch 0312 has a decimal comma; the parser throws a NumberFormatException and the import ends."
kind = "exception"
outcome = "failed"
cause = [
  { file = "import.log", text = 'NumberFormatException', which = "all" },
]
subject = ["branch 0312", "statement-0312.csv"]
shows = 'NumberFormatException'
needs = ["javac"]
program = "java 17, java.util.logging"
"""

import random
import sys
from pathlib import Path

import fault_java

Path("../statements").mkdir()
for branch in ("0107", "0215", "0312", "0488", "0519", "0603"):
    rows = [f"2024-05-{day:02};{random.choice(['fees', 'cash', 'card', 'transfer'])};{random.uniform(-900, 900):.2f}" for day in range(1, 31)]
    if branch == "0312":
        rows[16] = "2024-05-17;transfer;1284,50"
    Path(f"../statements/statement-{branch}.csv").write_text("\n".join(rows) + "\n")
sys.exit(fault_java.run("Statements"))
