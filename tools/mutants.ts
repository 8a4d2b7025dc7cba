/**
 * Changes one operator, number or word of the source at a time and runs the tests that should notice: the share that they
 * notice says what the tests of a room are worth. It works in a copy of the last commit, in which nothing else happens.
 * The tests nearest to a change run first, by their imports; the others only if it survives.
 *
 * Run   node tools/mutants.ts --rooms imports/send --tests test/imports,test/jobs [--mutants 60] [--seed 1]
 *       With --skip 8 it goes on after the first 8 mutants.
 *       With --at src/imports/send/region.ts:47 it makes each change of that line, and no other.
 * Read  one line for each mutant, "killed" with the test or "SURVIVED", with the seconds, the place and the change; then the
 *       share. A survivor is a missing test, or a change that no user can see; the line says where to look.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { API } from 'typescript/unstable/sync';

const { values } = parseArgs({
  options: {
    rooms: { type: 'string' },
    tests: { type: 'string' },
    mutants: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    skip: { type: 'string', default: '0' },
    at: { type: 'string' },
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

/** Runs what is given with the change in its file, which is as before afterwards. */
function planted<T>(root: string, { file, line, after }: Mutant, run: () => T): T {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n').with(line - 1, after);
  writeFileSync(path, lines.join('\n'));
  const result = run();
  writeFileSync(path, text);
  return result;
}

/** The first mutants that compile: another one says nothing about the tests. */
function firstOf(root: string, mutants: readonly Mutant[], count: number): readonly Mutant[] {
  const compiler = new API({ cwd: root });
  const config = join(root, 'tsconfig.json');
  const found: Mutant[] = [];
  let before: string[] = [];
  for (const mutant of mutants) {
    if (found.length === count) break;
    const file = join(root, mutant.file);
    const errors = planted(root, mutant, () => {
      using snapshot = compiler.updateSnapshot({ openProjects: [config], fileChanges: { changed: [...before, file] } });
      const program = snapshot.getProject(config)?.program;
      return [program?.getSyntacticDiagnostics(file), program?.getSemanticDiagnostics(file)].flat();
    });
    before = [file];
    if (errors.length === 0) found.push(mutant);
  }
  compiler.close();
  return found;
}

/** The files that a file names: what it imports, and what it starts. */
const namesOf = new Map<string, readonly string[]>();
function named(root: string, file: string): readonly string[] {
  const known = namesOf.get(file);
  if (known !== undefined) return known;
  const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
  const found = [...text.matchAll(/'(\.{1,2}\/[^'\n]+\.tsx?)'/g)].map(([, name = '']) => join(dirname(file), name));
  namesOf.set(file, found);
  return found;
}

/** The test files in waves: those nearest to the file, by imports, are first. */
function wavesFor(root: string, tests: readonly string[], file: string): readonly string[][] {
  const waves = new Map<number, string[]>();
  for (const test of tests) {
    const seen = new Set([test]);
    let distance = 0;
    for (let reached = [test]; !seen.has(file) && reached.length > 0; distance += 1) {
      reached = reached.flatMap((one) => named(root, one)).filter((one) => !seen.has(one) && seen.add(one));
    }
    // What starts a process and imports nothing of it is last.
    const wave = seen.has(file) ? distance : Number.POSITIVE_INFINITY;
    waves.set(wave, [...(waves.get(wave) ?? []), test]);
  }
  return [...waves].sort(([a], [b]) => a - b).map(([, files]) => files);
}

/** The test that notices what is planted. */
function noticedBy(root: string, waves: readonly string[][]): string | undefined {
  for (const files of waves) {
    const { status, signal, stdout, stderr } = spawnSync(
      'node_modules/.bin/vitest',
      ['run', '--project', 'quick', '--bail', '1', ...files],
      {
        cwd: root,
        encoding: 'utf8',
        // A loop without an end.
        timeout: 60_000 + 10_000 * files.length,
        killSignal: 'SIGKILL',
      },
    );
    if (status === 0) continue;
    const failed = / FAIL .*/.exec(stripVTControlCharacters(stdout + stderr))?.[0].trim();
    return failed ?? (signal === null ? 'an error outside the tests' : 'a loop without an end');
  }
  return undefined;
}

using copy = mkdtempDisposableSync(join(tmpdir(), 'rollcall-mutants-'));
const root = copy.path;
execFileSync('git', ['clone', '-q', '.', root]);
symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));

const rooms = values.rooms.split(',').map((room) => (room === 'jobs' ? room : join('src', room)));
const files = rooms.flatMap((room) => globSync(`${room}/**/*.ts`, { cwd: root })).sort();
const all = files.flatMap((file) => mutantsOf(root, file));
const tests = values.tests
  .split(',')
  .flatMap((path) => (path.endsWith('.ts') ? [path] : globSync(`${path}/**/*.test.ts`, { cwd: root })))
  .filter((path) => !path.endsWith('.long.test.ts'));
const next = random(Number(values.seed));
const mixed = all
  .map((mutant) => ({ mutant, order: next() }))
  .sort((a, b) => a.order - b.order)
  .map(({ mutant }) => mutant)
  .filter(({ file, line }) => values.at === undefined || values.at === `${file}:${line}`);
const chosen = firstOf(root, mixed, Number(values.mutants)).slice(Number(values.skip));

let killed = 0;
for (const mutant of chosen) {
  const { file, line, before, after } = mutant;
  const started = performance.now();
  const test = planted(root, mutant, () => noticedBy(root, wavesFor(root, tests, file)));
  const seconds = Math.round((performance.now() - started) / 1_000);
  if (test !== undefined) killed += 1;
  process.stdout.write(
    `${test === undefined ? 'SURVIVED' : 'killed  '} ${seconds} s  ${file}:${line}\n    ${before.trim()}\n    ${after.trim()}\n    ${test ?? ''}\n`,
  );
}
process.stdout.write(`${killed} of ${chosen.length} killed, of ${all.length} in ${files.length} files\n`);
