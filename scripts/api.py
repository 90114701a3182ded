#!/usr/bin/env python3
"""Writes docs/src/python.md: the functions and classes of the Python module, from its docstrings.

With --check it writes nothing, and exits with 1 if the page is out of date.
"""

import ast
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODULE = os.path.join(ROOT, "python", "widetui", "__init__.py")
PAGE = os.path.join(ROOT, "docs", "src", "python.md")


def text(node):
    """The docstring of a function, a class or the module, as Markdown."""
    found = ast.get_docstring(node)
    found = re.sub(r"(:\w+:)?`(`?)([^`]+)`\2", r"`\3`", found)
    # Examples of the interpreter.
    return re.sub(r"^(>>> .*\n)+", lambda lines: "```python\n" + lines[0].replace(">>> ", "") + "```\n", found, flags=re.MULTILINE)


def signature(node, source):
    """Names and defaults of the arguments of a function."""
    own = node.args
    defaults = [None] * (len(own.args) - len(own.defaults)) + own.defaults
    listed = [(arg.arg, default) for arg, default in zip(own.args, defaults) if arg.arg != "self"]
    listed += [("*" + own.vararg.arg, None)] if own.vararg else []
    listed += [(arg.arg, default) for arg, default in zip(own.kwonlyargs, own.kw_defaults)]
    listed += [("**" + own.kwarg.arg, None)] if own.kwarg else []
    shown = (name + ("=" + ast.get_source_segment(source, default) if default else "") for name, default in listed)
    return "{}({})".format(node.name, ", ".join(shown))


def page():
    with open(MODULE, encoding="utf-8") as file:
        source = file.read()
    module = ast.parse(source)
    public = next(ast.literal_eval(n.value) for n in module.body if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
    out = ["# Python", "<!-- scripts/api.py writes this page. -->", text(module), "[Notebooks](recipes/notebooks.md) has examples."]
    kinds = (ast.FunctionDef, ast.ClassDef)
    members = {node.name: node for node in module.body if isinstance(node, kinds) and node.name in public}
    # As users meet them: `open`, what it returns, what either may raise.
    for node in sorted(members.values(), key=lambda node: (node.name != "open", node.name != "Run")):
        if isinstance(node, ast.FunctionDef):
            out += [f"## `widetui.{signature(node, source)}`", text(node)]
            continue
        out += [f"## `widetui.{node.name}`", text(node)]
        methods = (n for n in node.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_"))
        for method in methods:
            out += [f"### `{signature(method, source)}`", text(method)]
    return "\n\n".join(out) + "\n"


def main():
    if sys.argv[1:] == ["--check"]:
        with open(PAGE, encoding="utf-8") as file:
            sys.exit(None if file.read() == page() else f"{PAGE} is out of date: run scripts/api.py")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page())


if __name__ == "__main__":
    main()
