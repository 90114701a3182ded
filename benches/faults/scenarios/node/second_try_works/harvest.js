const fs = require("fs"), http = require("http");
const out = fs.openSync("harvest.log", "w");
const log = (level, message, meta = {}) =>
  fs.writeSync(out, JSON.stringify({ level, message, ...meta, timestamp: new Date().toISOString() }) + "\n");
const sleep = (ms) => new Promise((end) => setTimeout(end, ms));

let calls = 0;
const server = http.createServer(async (req, res) => {
  calls++;
  if (calls % 9 === 4) return res.writeHead(429, { "retry-after": "1" }).end();
  if (calls % 13 === 7) return req.socket.destroy();
  await sleep(40 + Math.random() * 80);
  res.end(JSON.stringify({ records: 100 }));
});

async function page(base, catalogue, number) {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await fetch(`${base}/${catalogue}?page=${number}`);
      if (answer.status === 429) {
        log("warn", "429 Too Many Requests", { catalogue, page: number, wait: answer.headers.get("retry-after") });
        await sleep(400);
        continue;
      }
      const { records } = await answer.json();
      log("info", "page harvested", { catalogue, page: number, records, attempt });
      return records;
    } catch (error) {
      log(attempt < 5 ? "warn" : "error", `fetch failed: ${error.cause?.code || error.message}`, { catalogue, page: number, attempt });
      if (attempt === 5) throw error;
      await sleep(200 * attempt);
    }
  }
}

server.listen(0, "127.0.0.1", async () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  log("info", "harvest started", { catalogues: 4 });
  let records = 0;
  for (const catalogue of ["maps", "prints", "letters", "scores"]) {
    for (let number = 1; number <= 10; number++) records += await page(base, catalogue, number);
    log("info", "catalogue done", { catalogue, records });
  }
  log("info", "harvest complete, 40 pages", { records, lost: 0 });
  server.close();
});
