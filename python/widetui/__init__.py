"""Answers of widetui about the logs of a workflow, as data frames.

>>> import widetui
>>> run = widetui.open("runinfo")
>>> run.entities("parsl.task")
>>> run.events(where="parsl.task = 24")
>>> run.spans("parsl.try", by="parsl.app")

Every method runs the command ``widetui`` and reads what it prints as an Arrow stream (as JSON lines where the command was built
without Arrow), so the answers are those of the command line and of the explorer. Frames are pandas (with pyarrow), Polars or pyarrow
tables, whichever is installed, or as ``open(..., frames=...)`` asks; without any of them they are lists of dictionaries.

Times are UTC with nanoseconds. Columns that end in ``_s`` are seconds. Integers are 64-bit integers, in pandas ``Int64``, also where
some are missing; in dictionaries those beyond 2^53 are strings. ``KEY.all`` lists all values of a key where records have several;
``KEY`` is null there.

What the command says about an answer (a file that is damaged, values that were left out) is a ``WidetuiWarning``.
"""

import html as _html
import io as _io
import json as _json
import os as _os
import shutil as _shutil
import subprocess as _subprocess
import sys as _sys
import sysconfig as _sysconfig
import tempfile as _tempfile
import warnings as _warnings
from collections.abc import Iterable as _Iterable
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Union

__all__ = ["Run", "WidetuiError", "WidetuiWarning", "open"]

#: Version of the package, which is that of the command in it.
__version__ = "0.1.0"

_Path = Union[str, "_os.PathLike[str]"]

#: Version of the fields of the command's JSON lines that this module knows.
_SCHEMA = 1


class WidetuiError(RuntimeError):
    """The command failed; the text is what it wrote to standard error."""


class WidetuiWarning(UserWarning):
    """The command answered, and wrote this text to standard error."""


def open(*paths: _Path, frames: Optional[str] = None, **options: Any) -> "Run":
    """A run: folders, files or archives of logs.

    ``frames`` is ``"pandas"``, ``"polars"``, ``"arrow"`` or ``"rows"`` (lists of dictionaries). Other keyword arguments are options
    of the command line: ``open("runinfo", tz="America/Chicago", no_join=["block"])``. Nothing is read before a method asks.
    """
    return Run(paths, frames, options)


class Run:
    """A run, and the questions that can be asked about it. Each method reads the logs anew."""

    def __init__(self, paths: Sequence[_Path], frames: Optional[str], options: Dict[str, Any]):
        if not paths:
            raise ValueError("no path is given: open('runinfo')")
        if frames not in (None, "pandas", "polars", "arrow", "rows"):
            raise ValueError("frames is 'pandas', 'polars', 'arrow' or 'rows'")
        self._paths = [_os.fspath(path) for path in paths]
        self._frames = frames
        self._options = options

    def __repr__(self) -> str:
        return "widetui.open({})".format(", ".join(map(repr, self._paths)))

    def _repr_html_(self) -> str:
        """Table of the runs in the paths, for notebooks."""
        rows = self._rows(["runs"], {})
        names = [name for name in (rows[0] if rows else {}) if any(row.get(name) not in (None, "", [], {}) for row in rows)]

        def cells(tag: str, texts: Iterable[Any]) -> str:
            shown = ("" if text is None else _html.escape(str(text)) for text in texts)
            return "<tr>{}</tr>".format("".join("<{0}>{1}</{0}>".format(tag, text) for text in shown))

        body = "".join(cells("td", (row.get(name) for name in names)) for row in rows)
        return "<table><caption>{}</caption>{}{}</table>".format(_html.escape(repr(self)), cells("th", names), body)

    def events(
        self,
        where: Optional[str] = None,
        keys: Union[str, Iterable[str], None] = None,
        limit: Optional[int] = None,
        **options: Any,
    ) -> Any:
        """Records in time order: ``time`` (UTC, ns), ``source``, ``level``, ``message``, ``template``, and one column per key.

        ``where`` is an expression (``"task = 24 and level >= warning"``), ``keys`` is the key or the keys to return (all), ``limit`` is
        the number of records. Other options as on the command line: ``same="task=24"``, ``since="01:44"``, ``until=...``.
        """
        names = ",".join(_several(keys)) if keys is not None else None
        return self._ask(["events"], where=where, keys=names, limit=limit, **options)

    def records(
        self,
        where: Optional[str] = None,
        keys: Union[str, Iterable[str], None] = None,
        follow: bool = False,
        **options: Any,
    ) -> Iterator[Dict[str, Any]]:
        """Records one by one, as dictionaries with ``time`` (RFC 3339, UTC), in memory that does not grow with the run.

        With ``follow`` the iterator waits for records of a run that is still written, until it is closed.
        """
        names = ",".join(_several(keys)) if keys is not None else None
        options = {"where": where, "keys": names, "follow": follow, **options}
        with _tempfile.TemporaryFile() as said, _subprocess.Popen(
            self._command_line(["events"], options, "jsonl"), stdout=_subprocess.PIPE, stderr=said
        ) as command:
            assert command.stdout is not None
            try:
                for number, line in enumerate(command.stdout):
                    row = _json.loads(line)
                    if number == 0:
                        _check_schema(row)
                    yield row
                status = command.wait()
            finally:
                # The rest is not wanted.
                command.terminate()
            said.seek(0)
            _report(status, said.read())

    def trace(self, instance: str, **options: Any) -> Any:
        """All records of one instance in time order, as :meth:`events`: ``"parsl.task=24"``, or the start of an id that only one
        instance has. Times are UTC."""
        frames = self._frames or _installed()
        # The command writes traces as lines only.
        rows = self._rows(["trace", instance], options)
        return rows if frames == "rows" else _frame_of_rows(rows, frames, _TIMES[:1])

    def sources(self, **options: Any) -> Any:
        """Files that were read: format, records, bytes, first and last time, problems, zone."""
        return self._ask(["sources"], **options)

    def keys(self, key: Optional[str] = None, **options: Any) -> Any:
        """Keys of the records with their numbers of records and values; with ``key`` the values of one, counted."""
        return self._ask(["keys"], key=key, **options)

    def entities(self, of: Optional[str] = None, **options: Any) -> Any:
        """Entities of the run (tasks, workers, blocks ...) with their numbers of instances; with ``of`` the instances of one, with
        ``state``, ``start`` and ``end`` (UTC, ns) and ``duration_s`` (seconds)."""
        return self._ask(["entities"], of=of, **options)

    def spans(self, entity: str, by: Optional[str] = None, **options: Any) -> Any:
        """Start, end and duration of each instance: ``start``, ``end`` (UTC, ns), ``duration_s`` (seconds), ``open`` (not ended:
        no end and no duration), ``lost``, and in ``group`` the value of the key ``by``."""
        return self._ask(["spans"], of=entity, by=by, **options)

    def states(self, entity: str, **options: Any) -> Any:
        """Number of instances in each state, at each change: ``time`` (UTC, ns), ``state``, ``count``, which holds until the next
        row of the same state."""
        return self._ask(["states"], of=entity, **options)

    def concurrency(self, entity: str, **options: Any) -> Any:
        """Number of instances that run at once, at each change: ``time`` (UTC, ns), ``count``, which holds until the next row."""
        return self._ask(["spans"], of=entity, concurrency=True, **options)

    def throughput(self, entity: str, by: Optional[str] = None, **options: Any) -> Any:
        """Number of instances that have ended so far: ``time`` (UTC, ns), ``count``, ``group`` (the value of the key ``by``)."""
        return self._ask(["throughput"], of=entity, by=by, **options)

    def latency(self, entity: str, **options: Any) -> Any:
        """Steps in the life of an entity: ``template``, ``instances`` that have the step, and statistics in seconds of the time
        since the first step (``offset_..._s``) and since the previous one (``step_..._s``)."""
        return self._ask(["latency"], of=entity, **options)

    def series(self, key: str, **options: Any) -> Any:
        """A number of the logs over time: ``time`` (UTC, ns), ``value`` (in the unit of the log), ``group``."""
        return self._ask(["series"], key=key, **options)

    def flow(self, **options: Any) -> Any:
        """Messages between actors: ``from``, ``to``, ``sent``, ``received``, ``answered`` (UTC, ns), ``latency_s`` and
        ``round_trip_s`` (seconds), ``status``."""
        return self._ask(["flow"], **options)

    def runs(self, **options: Any) -> Any:
        """One row per run: ``start``, ``end`` (UTC, ns), ``status``, ``mean_s`` and ``p95_s`` of its work (seconds)."""
        return self._ask(["runs"], **options)

    def utilisation(self, entity: str, **options: Any) -> Any:
        """Each resource (worker, node ...) on which an entity runs, with its share of busy time; times are UTC, durations
        seconds."""
        return self._ask(["utilisation"], of=entity, **options)

    def joins(self, **options: Any) -> Any:
        """Joins: which keys imply which, with the numbers of groups, widened records and conflicts."""
        return self._ask(["joins"], **options)

    def check(self, **options: Any) -> Any:
        """Rules of the definitions with their numbers of violations."""
        return self._ask(["check"], **options)

    def contrast(self, of: str, **options: Any) -> Any:
        """Values that are more frequent among the records that match the expression ``of`` than among all others."""
        return self._ask(["contrast"], of=of, **options)

    def compare(self, other: Union[_Path, "Run", None] = None, **options: Any) -> Any:
        """Differences that explain most of the time or of the failures, in sentences (``text``) with numbers in seconds: to
        ``other``, another run, or between selections of this one: ``compare(failed=True)``, ``compare(a="...", b="...")``."""
        paths = other._paths if isinstance(other, Run) else [] if other is None else [_os.fspath(other)]
        return Run(self._paths + paths, self._frames, self._options)._ask(["compare"], **options)

    def export(self, file: _Path, **options: Any) -> None:
        """Writes all records to a file: ``.parquet``, ``.jsonl``, ``.csv`` (also ``.gz``, ``.zst``), ``trace.json`` for Perfetto, or
        with ``plot="states:parsl.task"`` a picture (``.svg``). With ``force=True`` a file that exists is replaced."""
        self._run(["export", "-o", _os.fspath(file)], options, None)

    def report(self, file: _Path, **options: Any) -> None:
        """Writes the report of the run as a page (``.html``) or as Markdown (``.md``); ``force=True`` as in :meth:`export`."""
        self._run(["report", "-o", _os.fspath(file)], options, None)

    def hung(self, **options: Any) -> List[Dict[str, Any]]:
        """Unfinished work, silent sources and idle resources as dictionaries, with ``since`` (RFC 3339, UTC) and ``age_s``
        (seconds); the last one (``kind`` is ``summary``) is in words."""
        return self._rows(["hung"], options)

    def diagnose(self, **options: Any) -> List[Dict[str, Any]]:
        """Findings as dictionaries, the most important first: ``severity``, ``title``, ``text``, ``first`` and ``last`` (RFC 3339,
        UTC), ``evidence`` (records), ``next``; the last one (``kind`` is ``summary``) is in words."""
        return self._rows(["diagnose"], options)

    def _ask(self, command: List[str], **options: Any) -> Any:
        frames = self._frames or _installed()
        if frames == "rows":
            return self._rows(command, options)
        if not _has_arrow():
            rows = self._rows(command, options)
            return _frame_of_rows(rows, frames, *((_TIMES[:1], options["keys"]) if command == ["events"] else (_TIMES,)))
        stream = self._run(command, options, "arrow")
        if frames == "polars":
            import polars

            return polars.read_ipc_stream(_io.BytesIO(stream)) if stream else polars.DataFrame()
        import pyarrow
        import pyarrow.ipc

        table = pyarrow.ipc.open_stream(stream).read_all() if stream else pyarrow.table({})
        if frames == "arrow":
            return table
        import pandas

        # Without the type, a column with a missing integer would be of floats, which are not exact.
        return table.to_pandas(types_mapper={pyarrow.int64(): pandas.Int64Dtype()}.get)

    def _rows(self, command: List[str], options: Dict[str, Any]) -> List[Dict[str, Any]]:
        rows = [_json.loads(line) for line in self._run(command, options, "jsonl").splitlines()]
        if rows:
            _check_schema(rows[0])
        return rows

    def _command_line(self, command: List[str], options: Dict[str, Any], form: Optional[str]) -> List[str]:
        arguments = [_command()] + command
        for name, value in {**self._options, **options, "format": form}.items():
            arguments += _option(name, value)
        return arguments + ["--"] + self._paths

    def _run(self, command: List[str], options: Dict[str, Any], form: Optional[str]) -> bytes:
        done = _subprocess.run(
            self._command_line(command, options, form), stdout=_subprocess.PIPE, stderr=_subprocess.PIPE
        )
        _report(done.returncode, done.stderr)
        return done.stdout


def _report(status: int, stderr: bytes) -> None:
    """Raises the error of a command that failed; what it wrote besides is a warning."""
    text = stderr.decode("utf-8", "replace").strip()
    # 1: nothing matched.
    if status not in (0, 1):
        raise WidetuiError(text)
    if text:
        _warnings.warn(text, WidetuiWarning, stacklevel=_depth_of_caller())


def _check_schema(first: Dict[str, Any]) -> None:
    """Takes the version of the fields off the first row."""
    if first.pop("_schema", _SCHEMA) > _SCHEMA:
        raise WidetuiError("the command writes fields of a later version than this module knows: upgrade the package widetui")


#: Columns of times. Of records the first alone is one: the others may be keys of a log.
_TIMES = ("time", "start", "end", "first", "last", "since", "sent", "received", "answered", "most_at")


def _frame_of_rows(rows: List[Dict[str, Any]], frames: str, times: Sequence[str], keys: Optional[str] = None) -> Any:
    """Frame of rows: several values of a key stand in ``KEY.all``; objects and lists are texts of JSON. ``times`` are columns of times,
    ``keys`` those that are there also without values."""
    columns: Dict[str, List[Any]] = {}
    for at, row in enumerate(rows):
        for name, value in row.items():
            if name.startswith("_"):
                continue
            if isinstance(value, list):
                columns.setdefault(name, [None] * len(rows))
                name += ".all"
            if isinstance(value, (dict, list)):
                value = _json.dumps(value)
            columns.setdefault(name, [None] * len(rows))[at] = value
    for name in keys.split(",") if keys else []:
        columns.setdefault(name, [None] * len(rows))
    for name, values in columns.items():
        kinds = {type(value) for value in values if value is not None}
        if kinds == {int, str} and all(_is_large(value) for value in values if isinstance(value, str)):
            columns[name] = [None if value is None else int(value) for value in values]
        elif str in kinds and len(kinds) > 1:
            # A key may have texts in some records and numbers in others.
            columns[name] = [None if value is None else str(value) for value in values]
    moments = [name for name in times if name in columns]
    if frames == "polars":
        import polars

        frame = polars.DataFrame(columns, strict=False, infer_schema_length=None)
        texts = (polars.col(name).cast(polars.String) for name in moments)
        return frame.with_columns(text.str.to_datetime("%Y-%m-%dT%H:%M:%S%.fZ", time_unit="ns", time_zone="UTC") for text in texts)
    if frames == "arrow":
        import pyarrow

        typed = {name: pyarrow.array(columns[name], pyarrow.string()).cast(pyarrow.timestamp("ns", "UTC")) for name in moments}
        return pyarrow.table({**columns, **typed})
    import pandas

    whole = {name for name, values in columns.items() if all(value is None or type(value) is int for value in values)}
    frame = pandas.DataFrame({name: pandas.array(values, dtype="Int64") if name in whole else values for name, values in columns.items()})
    return frame.assign(**{name: pandas.to_datetime(frame[name], utc=True).astype("datetime64[ns, UTC]") for name in moments})


def _is_large(text: str) -> bool:
    """True for an integer beyond 2^53, which JSON lines have as a text."""
    return text.lstrip("-").isdecimal() and abs(int(text)) > 2**53


def _has_arrow() -> bool:
    """True if the command writes Arrow: it names its features."""
    path = _command()
    if path not in _FEATURES:
        said = _subprocess.run([path, "--version"], stdout=_subprocess.PIPE).stdout.decode("utf-8", "replace")
        _FEATURES[path] = "features: none" not in said
    return _FEATURES[path]


#: Commands that were asked for their features.
_FEATURES: Dict[str, bool] = {}


def _option(name: str, value: Any) -> List[str]:
    """An option as the command line has it: ``no_join=["a", "b"]`` is ``--no-join=a --no-join=b``."""
    option = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    return ["{}={}".format(option, value) for value in _several(value)]


def _several(value: Any) -> Iterable[Any]:
    """The values of an iterable; a text, or any other value, is one."""
    return value if isinstance(value, _Iterable) and not isinstance(value, (str, bytes)) else [value]


def _depth_of_caller() -> int:
    """Number of frames of this module above the function that calls, as ``warnings`` counts them."""
    depth = 1
    while _sys._getframe(depth).f_globals is globals():
        depth += 1
    return depth


def _installed() -> str:
    """The kind of frames for which packages are installed."""

    def has(name: str) -> bool:
        from importlib.util import find_spec

        return find_spec(name) is not None

    if has("pyarrow"):
        return "pandas" if has("pandas") else "arrow"
    return "polars" if has("polars") else "rows"


def _command() -> str:
    """The command that was installed with this module, else that of this environment or of the ``PATH``."""
    # In each scheme of pip (an environment, --user, --prefix, conda: PREFIX/lib/pythonX/site-packages; --target: the folder
    # itself) `bin` stands beside a folder above the module.
    above = _os.path.dirname(_os.path.abspath(__file__))
    folders = []
    for _ in range(4):
        above = _os.path.dirname(above)
        folders.append(_os.path.join(above, "bin"))
    folders.append(_sysconfig.get_path("scripts"))
    own = (_os.path.join(folder, "widetui") for folder in folders)
    found = next((path for path in own if _os.access(path, _os.X_OK)), None) or _shutil.which("widetui")
    if found is None:
        raise WidetuiError("the command widetui is neither in this environment nor on the PATH")
    return found
