/**
 * Changes one operator, number or word of the source at a time and runs the tests that should notice: the share that they
 * notice says what the tests of a room are worth. It works in a copy of the project, in which nothing else happens.
 *
 * Run   node tools/mutants.ts --rooms imports/send,imports/record --tests test/imports,test/jobs [--mutants 60] [--seed 1]
 * Read  one line for each mutant, "killed" or "SURVIVED", with the place, the change and the seconds; then the share. A survivor
 *       is a missing test, or a change that no user can see; the line says where to look.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    rooms: { type: 'string' },
    tests: { type: 'string' },
    mutants: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
});
if (values.rooms === undefined || values.tests === undefined) throw new Error('name --rooms below src, and --tests');

/** A change of one place. Types have no operators of this kind, apart from arrows, which no pattern takes. */
const CHANGES: readonly (readonly [from: RegExp, to: string])[] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ < (?=[\w(])/g, ' <= '],
  [/ > (?=[\w(])/g, ' >= '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ \+ (?=[\w(])/g, ' - '],
  [/ - (?=[\w(])/g, ' + '],
  [/ \+= /g, ' -= '],
  [/\btrue\b(?![;\s]*\})/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/\bif \((?!!)/g, 'if (!'],
  [/\?\? (?=[\w'])/g, '&& '],
  [/\bMath\.min\b/g, 'Math.max'],
  [/\bMath\.max\b/g, 'Math.min'],
];

interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** Every change of a file, apart from comments, types, imports and lines that only say something. */
function mutantsOf(root: string, file: string): Mutant[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((before, index) => {
    const isCode = !/^\s*(\*|\/\*|\/\/|import |export (type|interface) |type |interface |readonly )/.test(before);
    if (!isCode || /['"`].* .*['"`]/.test(before)) return [];
    return CHANGES.flatMap(([from, to]) =>
      [...before.matchAll(from)].map(({ index: at, 0: found }) => ({
        file,
        line: index + 1,
        before,
        after: before.slice(0, at) + to + before.slice(at + found.length),
      })),
    );
  });
}

/** The same numbers for the same seed, from 0 to below 1. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const root = mkdtempSync(join(tmpdir(), 'rollcall-mutants-'));
execFileSync('git', ['clone', '-q', '.', root]);
symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));

const rooms = values.rooms.split(',').map((room) => (room === 'jobs' ? room : join('src', room)));
const files = rooms.flatMap((room) => globSync(`${room}/**/*.ts`, { cwd: root })).sort();
const all = files.flatMap((file) => mutantsOf(root, file));
const next = random(Number(values.seed));
const chosen = all
  .map((mutant) => ({ mutant, order: next() }))
  .sort((a, b) => a.order - b.order)
  .slice(0, Number(values.mutants))
  .map(({ mutant }) => mutant);

let killed = 0;
let tried = 0;
for (const { file, line, before, after } of chosen) {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n');
  lines[line - 1] = after;
  writeFileSync(path, lines.join('\n'));
  // A change that does not compile says nothing about the tests.
  const compiles = spawnSync('npx', ['tsc', '--checkers', '1'], { cwd: root }).status === 0;
  if (compiles) {
    tried += 1;
    const started = performance.now();
    const tests = spawnSync('npx', ['vitest', 'run', '--project', 'quick', '--bail', '1', ...values.tests.split(',')], {
      cwd: root,
      timeout: 600_000,
    });
    const seconds = Math.round((performance.now() - started) / 1_000);
    if (tests.status !== 0) killed += 1;
    process.stdout.write(
      `${tests.status === 0 ? 'SURVIVED' : 'killed  '} ${seconds} s  ${file}:${line}\n    ${before.trim()}\n    ${after.trim()}\n`,
    );
  }
  writeFileSync(path, text);
}
process.stdout.write(`${killed} of ${tried} killed, of ${all.length} in ${files.length} files\n`);
