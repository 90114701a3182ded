const fs = require("fs"), path = require("path");
const log = (level, text) => fs.writeSync(file, `${level} ${process.uptime().toFixed(3).padStart(8)} ${text}\n`);
const file = fs.openSync("tiles.log", "w");

async function main() {
  log("I", `tile server 3.1.0 on ${process.platform}, pid ${process.pid}`);
  for (const source of ["coast", "rivers", "lakes", "osm-2024-05", "buildings", "rails", "elevation", "borders", "peaks", "names"]) {
    await new Promise((end) => setTimeout(end, 350));
    log("I", `source ${source}: ${source.length * 9127} features indexed`);
  }
  for (const name of ["roads", "water", "woods", "labels", "contours", "hillshade"]) {
    log("D", `plugin ${name}: loading`);
    await new Promise((end) => setTimeout(end, 300));
    const plugin = require(path.resolve("..", "plugins", name));
    log("I", `plugin ${name}: layers ${plugin.layers.join(", ")}`);
  }
  log("I", "ready");
}
main();
