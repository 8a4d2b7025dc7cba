/**
 * Membership files for the other benchmarks: rows of mixed regions, groups and scopes in random order, every UID once,
 * and an unknown column.
 *
 * Run   node bench/generate.ts --rows 1000000 --groups 4000
 * Read  prints the path. The same numbers give the same bytes on every machine, and an existing file is kept.
 */
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { REGIONS } from '../src/membership/membership.ts';

const FOLDER = fileURLToPath(new URL('data/', import.meta.url));
const SCOPES = ['participant', 'participant', 'participant', 'moderator', 'admin', 'ban'];
const ROWS_PER_WRITE = 10_000;
/** A prime: its multiples modulo a range that it does not divide come in no order and never twice. */
const STRIDE = 1_000_003;

/** A file of `rows` rows over `groups` groups, made if it is missing. Returns its path. */
export async function membershipFile(rows: number, groups: number): Promise<string> {
  const path = `${FOLDER}memberships-${rows}-${groups}.csv`;
  if (existsSync(path)) return path;
  mkdirSync(FOLDER, { recursive: true });
  await pipeline(Readable.from(csv(rows, groups)), createWriteStream(`${path}.part`));
  renameSync(`${path}.part`, path);
  return path;
}

function* csv(rows: number, groups: number): Generator<string> {
  const random = randomFrom(rows ^ groups);
  let text = 'region,guid,uid,scope,name\n';
  for (let row = 1; row <= rows; row++) {
    const group = Math.floor(random() * groups);
    const user = (row * STRIDE) % (rows * 3);
    const scope = SCOPES[Math.floor(random() * SCOPES.length)];
    text += `${REGIONS[group % REGIONS.length]},group-${group},user-${user},${scope},Member Number ${row}\n`;
    if (row % ROWS_PER_WRITE === 0) {
      yield text;
      text = '';
    }
  }
  yield text;
}

/** mulberry32: numbers in [0, 1) that depend on the seed alone. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rows: { type: 'string', default: '1000000' }, groups: { type: 'string', default: '4000' } },
  });
  process.stdout.write(`${await membershipFile(Number(values.rows), Number(values.groups))}\n`);
}
