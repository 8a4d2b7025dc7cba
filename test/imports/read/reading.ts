import { Readable } from 'node:stream';
import type { InputRow } from '../../../src/imports/read/input-row.ts';
import { openIntake } from '../../../src/imports/read/intake.ts';
import { type IntakeError, isIntakeError } from '../../../src/imports/read/intake-error.ts';
import type { Intake, IntakeOptions } from '../../../src/imports/read/intake-options.ts';

export const OPTIONS: IntakeOptions = { format: 'auto', map: {}, region: 'us' };

export interface Read {
  readonly intake: Intake;
  readonly rows: readonly InputRow[];
}

/** Reads an input to its end. `pieces`: sizes in which the bytes arrive, repeated; absent: all at once. */
export async function read(
  content: string | Buffer,
  options: Partial<IntakeOptions> = {},
  pieces: readonly number[] = [],
): Promise<Read> {
  return drained(await open(content, options, pieces));
}

export function open(
  content: string | Buffer,
  options: Partial<IntakeOptions> = {},
  pieces: readonly number[] = [],
): Promise<Intake> {
  const stream = Readable.from(cut(Buffer.from(content), pieces));
  return openIntake({ stream, name: 'standard input' }, { ...OPTIONS, ...options });
}

export async function drained(intake: Intake): Promise<Read> {
  const rows: InputRow[] = [];
  for await (const chunk of intake.chunks()) rows.push(...chunk);
  return { intake, rows };
}

/** The error with which something is refused; anything else than an IntakeError is passed on. */
export async function refusal(attempt: Promise<unknown>): Promise<IntakeError> {
  try {
    await attempt;
  } catch (error) {
    if (isIntakeError(error)) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

/** `region/guid/uid/scope/onBehalfOf`, or the codes of the problems. */
export function short(row: InputRow): string {
  if (row.problems.length > 0) return row.problems.map(({ column, code }) => `${column}: ${code}`).join(', ');
  return [row.region, row.guid, row.uid, row.scope, row.onBehalfOf].join('/');
}

function* cut(bytes: Buffer, pieces: readonly number[]): Generator<Buffer> {
  let start = 0;
  for (let turn = 0; start < bytes.length; turn += 1) {
    const size = pieces[turn % pieces.length] ?? bytes.length;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}
