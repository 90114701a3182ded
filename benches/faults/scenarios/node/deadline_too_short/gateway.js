const fs = require("fs"), http = require("http");

function logger(name, bindings = {}) {
  const file = fs.openSync(`${name}.log`, "w");
  return (msg, fields = {}) =>
    fs.writeSync(file, JSON.stringify({ level: 30, time: Date.now(), pid: process.pid, name, ...bindings, ...fields, msg }) + "\n");
}
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function service(name, low, high) {
  const log = logger(name);
  const server = http.createServer(async (req, res) => {
    const begun = Date.now();
    await sleep(low + Math.random() * (high - low));
    res.end(JSON.stringify({ [name]: Math.floor(Math.random() * 100) }));
    log("request completed", { url: req.url, statusCode: 200, responseTime: Date.now() - begun });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  log("listening", { workers: 1 });
  return { name, url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

async function main() {
  const log = logger("gateway");
  const services = [await service("stock", 20, 90), await service("pricing", 450, 700), await service("reviews", 60, 240)];
  log("started", { services: services.map((s) => s.name), deadline: 400 });
  let bare = 0;
  for (let page = 1; page <= 36; page++) {
    const begun = Date.now();
    const parts = await Promise.all(
      services.map(async ({ name, url }) => {
        try {
          return await (await fetch(`${url}/articles/${4000 + page}`, { signal: AbortSignal.timeout(400) })).json();
        } catch {
          return null;
        }
      }),
    );
    const blocks = services.filter((_, n) => parts[n]).map((s) => s.name);
    if (!blocks.includes("pricing")) bare++;
    log("page served", { article: 4000 + page, statusCode: 200, blocks, took: Date.now() - begun });
  }
  await sleep(800);
  log("daily report", { pages: 36, withoutPrice: bare });
  console.log(`${bare} of 36 pages without price, shop window check not passed`);
  services.forEach((s) => s.close());
  process.exit(bare ? 1 : 0);
}
main();
