import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { importsOf } from '../source-rules.ts';
import { fetchProgram } from './fetch.ts';
import { type Need, programOf } from './needs.ts';
import { dockerAnswers } from './program.ts';

const TESTS = dirname(import.meta.dirname);

/** A test that imports one of these, or that imports one that does, needs it. */
const STARTED_BY: ReadonlyMap<string, readonly Need[]> = new Map([
  ['servers/redis.ts', ['redis']],
  ['servers/postgres.ts', ['postgres']],
  ['servers/mariadb.ts', ['mariadb']],
  ['servers/sshd.ts', ['sshd']],
  ['servers/strace.ts', ['strace']],
  ['documents/reader.ts', ['curl', 'jq']],
  ['console/browser.ts', ['chromium']],
]);

/** Programs that are taken from Docker if that answers. */
const IN_DOCKER: ReadonlySet<Need> = new Set(['redis', 'postgres']);

/**
 * Gets the servers and the browser that these test files need.
 * @returns those of the files that cannot run here, with the reason
 * @throws Error in CI, where every test must run
 */
export async function setUpFor(files: readonly string[], get = getProgram): Promise<Map<string, string>> {
  const needs = new Map(files.map((file) => [file, needsOf(file)]));
  const missing = new Map<Need, string>();
  for (const need of new Set([...needs.values()].flat())) {
    const reason = await get(need);
    if (reason !== undefined) missing.set(need, reason);
  }
  if (missing.size > 0 && process.env['CI'] === 'true') throw new Error([...missing.values()].join('\n'));
  const reasons = [...needs].map(([file, some]) => [file, some.flatMap((need) => missing.get(need) ?? [])] as const);
  return new Map(reasons.flatMap(([file, why]) => (why.length === 0 ? [] : [[file, why.join('; ')]])));
}

/** @returns why it cannot be had */
async function getProgram(need: Need): Promise<string | undefined> {
  if (programOf(need) !== undefined || (IN_DOCKER.has(need) && (await dockerAnswers()))) return undefined;
  const before = performance.now();
  try {
    const fetched = await fetchProgram(need);
    const seconds = Math.round((performance.now() - before) / 1000);
    process.stdout.write(`Fetched ${fetched}, in ${seconds} s\n`);
    return undefined;
  } catch (error) {
    const said = String(error).trim().split('\n').at(-1);
    const docker = IN_DOCKER.has(need) ? 'Docker does not answer, ' : '';
    return `no ${need}: ${docker}it is not on this machine, and it could not be fetched (${said})`;
  }
}

/** Returns the programs that a test file starts, by its imports from the folder of the tests. */
function needsOf(path: string): Need[] {
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file) || relative(TESTS, file).startsWith('..')) return;
    seen.add(file);
    for (const specifier of importsOf(readFileSync(file, 'utf8'))) {
      if (specifier.startsWith('.')) visit(join(dirname(file), specifier));
    }
  };
  visit(path);
  return [...seen].flatMap((file) => STARTED_BY.get(relative(TESTS, file)) ?? []);
}
