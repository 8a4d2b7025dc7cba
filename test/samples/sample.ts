import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { afterAll } from 'vitest';
import { importSummary } from '../../src/api/import-summary.ts';
import { sumEquation } from '../../src/membership/outcome-words.ts';
import { type Ended, runHere } from '../cli/run-here.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const SAMPLES = new URL('../../samples/', import.meta.url);

/** A data directory that is removed after the tests of the file or `describe` that asks for it. */
export function temporaryDataDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'sample-test-'));
  afterAll(() => rmSync(path, { recursive: true }));
  return path;
}

/** Runs `rollcall` as the README has it, from the root of the project, with nothing of this machine's settings. */
export async function rollcall(command: string, dataDir: string, answer = ['--json']): Promise<Ended> {
  const [program, ...args] = command.replaceAll('\\\n', ' ').trim().split(/\s+/);
  if (program !== 'rollcall') throw new Error(`a sample's command begins with rollcall: ${command}`);
  const settings = Object.entries(process.env).filter(([name]) => !name.startsWith('ROLLCALL_'));
  const all = [...args, ...answer, '--data-dir', dataDir];
  const { code, stdout, stderr } = (await runHere(all, { cwd: ROOT, env: Object.fromEntries(settings) })) ?? busy();
  return { code, stdout, stderr: stderr.replaceAll(ROOT, '') };
}

function busy(): never {
  throw new Error('a sample runs already');
}

/** The promises of a sample's README. */
export interface Promised {
  readonly command: string;
  readonly code: number;
  /** `12 rows read = 9 added + …`, on one line. */
  readonly rows: string;
}

export function readme(folder: string): string {
  return readFileSync(new URL(`${folder}/README.md`, SAMPLES), 'utf8');
}

export function promisedBy(folder: string): Promised {
  const page = readme(folder);
  const [, command, code, rows] =
    /```sh\n(.*?)```\n\nWhat comes out, with exit code (\d):\n\n```text\n(.*?)```/s.exec(page) ?? [];
  if (command === undefined || rows === undefined) throw new Error(`samples/${folder}/README.md: no command or result`);
  return { command, code: Number(code), rows: rows.trim().replace(/\s+/g, ' ') };
}

/** Returns the result of a run in the form in which a README promises it. */
export function cameTo({ code, stdout, stderr }: Ended) {
  if (stdout === '') throw new Error(`no summary; exit code ${code}: ${stderr}`);
  const summary = importSummary.parse(JSON.parse(stdout));
  return { code, rows: sumEquation(summary.rows, 0).replaceAll('\u00a0', ' '), summary };
}

/** Rows of a CSV report by column name. */
export function reportRows(path: string | null, delimiter = ','): readonly Readonly<Record<string, string>>[] {
  if (path === null) throw new Error('the report was not written');
  return parse(readFileSync(path), { columns: true, delimiter });
}
