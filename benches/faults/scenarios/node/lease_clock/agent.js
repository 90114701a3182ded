const fs = require("fs");
const [, , host, port] = process.argv;
const out = fs.openSync(`${host}.log`, "w");
const log = (text) => fs.writeSync(out, `${new Date().toISOString()} ${host} info: ${text}\n`);
const ask = async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).json();
const sleep = (ms) => new Promise((end) => setTimeout(end, ms));

async function main() {
  log("agent 1.9.0 ready");
  for (;;) {
    const given = await ask(`/take?host=${host}`);
    if (given.end) break;
    if (!given.lease) {
      await sleep(700);
      continue;
    }
    log(`lease ${given.lease}: part ${given.part} until ${given.until}`);
    if (new Date(given.until) < new Date()) {
      log(`lease ${given.lease}: over, part ${given.part} handed back`);
      await ask(`/back?host=${host}&part=${given.part}`);
      await sleep(600);
      continue;
    }
    await sleep(500 + Math.random() * 500);
    log(`lease ${given.lease}: part ${given.part} encoded, ${Math.floor(2e6 + Math.random() * 9e5)} bytes`);
    await ask(`/done?host=${host}&part=${given.part}`);
  }
  log("nothing left, ending");
}
main();
