// The health of a container: `node healthcheck.js [port…]`. The ports that are named must answer. Without names, those
// answer that are listened on: 7700 of `serve`, 9090 of `worker`. An import listens on none and is healthy while it runs.

const given = process.argv.slice(2);
const ports = given.length > 0 ? given : ['7700', '9090'];

for (const port of ports) {
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(3_000) });
    if (status !== 200) fail(`port ${port} answers with status ${status}`);
  } catch (error) {
    const isClosed = error instanceof Error && error.cause instanceof Error && /ECONNREFUSED/.test(String(error.cause));
    if (given.length > 0 || !isClosed) fail(`port ${port} does not answer: ${error?.cause ?? error}`);
  }
}

/** @param {string} why */
function fail(why) {
  process.stdout.write(`${why}\n`);
  process.exit(1);
}
