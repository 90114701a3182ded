const fs = require("fs"), http = require("http");
const out = fs.openSync("coordinator.log", "w");
const log = (text) => fs.writeSync(out, `${new Date().toISOString()} coordinator info: ${text}\n`);
const todo = Array.from({ length: 60 }, (_, n) => n + 1), done = {};
let lease = 300;

const server = http.createServer((req, res) => {
  const url = new URL(req.url, "http://c"), host = url.searchParams.get("host"), part = Number(url.searchParams.get("part"));
  if (url.pathname === "/take") {
    if (!todo.length) return res.end(JSON.stringify({ end: count() === 60 }));
    const given = { lease: ++lease, part: todo.shift(), until: new Date(Date.now() + 60000).toISOString() };
    log(`lease ${given.lease}: part ${given.part} to ${host}`);
    res.end(JSON.stringify(given));
  } else if (url.pathname === "/back") {
    todo.push(part);
    log(`part ${part} back from ${host}`);
    res.end("{}");
  } else {
    done[host] = (done[host] || 0) + 1;
    log(`part ${part} done by ${host}, ${count()} of 60`);
    res.end("{}");
    if (count() === 60) {
      for (const name of ["n1", "n2", "n3", "n4"]) log(`${name} share: ${done[name] || 0} done`);
      setTimeout(() => process.exit(0), 1500);
    }
  }
});
const count = () => Object.values(done).reduce((a, b) => a + b, 0);
server.listen(0, "127.0.0.1", () => {
  fs.writeFileSync("../port", String(server.address().port));
  log("listening, 60 parts, lease time 60 s");
});
