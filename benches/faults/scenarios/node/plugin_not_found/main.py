r"""
fault = "The plugin for contour lines requires the module simplify-rings, which is not installed; the tile server ends at start."
kind = "import"
outcome = "failed"
cause = [
  { file = "*", text = "Cannot find module 'simplify-rings'", which = "all" },
]
subject = ["module simplify-rings", "plugin contours"]
shows = 'Cannot find module'
needs = ["node"]
program = "node 20"
"""

import sys
from pathlib import Path

import fault_node

plugins = Path("../plugins")
plugins.mkdir()
for name in ("roads", "water", "woods", "labels", "contours", "hillshade"):
    need = 'const rings = require("simplify-rings");\n' if name == "contours" else ""
    (plugins / f"{name}.js").write_text(need + f'exports.layers = ["{name}-low", "{name}-high"];\n')
sys.exit(fault_node.run("../tiles.js"))
