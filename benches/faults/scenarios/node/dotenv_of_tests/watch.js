const fs = require("fs"), path = require("path");
const out = fs.openSync("run/watch.log", "w");
const log = (scope, text) => fs.writeSync(out, `[${new Date().toLocaleString("sv")}] ${scope.padEnd(8)} ${text}\n`);
const sleep = (ms) => new Promise((end) => setTimeout(end, ms));

async function main() {
  log("boot", `watch 7.0.3, node ${process.version}`);
  const file = path.resolve(".env");
  const env = Object.fromEntries(fs.readFileSync(file, "utf8").trim().split("\n").map((line) => line.split("=")));
  log("boot", `env: ${Object.keys(env).length} values from ${file}`);
  log("boot", `limits: ${env.PRESSURE_MAX} bar, ${env.TEMPERATURE_MAX} degrees, site ${env.SITE}`);
  const over = {};
  for (let round = 1; round <= 12; round++) {
    for (let pump = 1; pump <= 6; pump++) {
      await sleep(40 + Math.random() * 60);
      const pressure = pump % 3 + 3.2 + Math.sin(round / 4) * 1.4 + Math.random() / 2, temperature = 51 + pump + Math.random() * 4;
      log("reading", `pump P${pump}: ${pressure.toFixed(2)} bar, ${temperature.toFixed(1)} degrees`);
      if (pressure > Number(env.PRESSURE_MAX)) {
        over[pump] = (over[pump] || 0) + 1;
        log("alarm", `pump P${pump}: over the limit, ${over[pump]} in a row`);
        if (over[pump] === 5) log("relay", `pump P${pump}: switched off`);
      } else over[pump] = 0;
      if (Object.values(over).filter((n) => n >= 5).length === 6) {
        log("dispatch", "dispatch: 6 pumps off, site north without water, crew called");
        process.exit(2);
      }
    }
  }
}
main();
