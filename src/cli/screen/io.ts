import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { styleText } from 'node:util';
import type { CoordinatorParts } from '../../app/app.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { type Config, environmentVariable } from '../../platform/config.ts';
import { writeWhole } from '../../platform/files.ts';
import type { LogStream } from '../../platform/log.ts';
import type { LogLevel } from '../../platform/settings.ts';
import { drawTable, shellWord, wrap } from '../../text/terminal-text.ts';
import { printableLines } from '../../text/wording.ts';

/** Environment of a command. It writes results to `out`, everything else to `err`. */
export interface Io {
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream;
  /** Whether it is a terminal: progress is redrawn in place. */
  readonly live: boolean;
  readonly color: boolean;
  /** Begins the commands in a text as they are typed here. Default: with `rollcall`, as all texts have them. */
  readonly typed?: ((text: string) => string) | undefined;
  /** Columns of the terminal, which may change. */
  readonly width: number;
  /** The coordinator's readers of files and ledgers. Default: threads of its own; tests save these. */
  readonly reading?: Pick<CoordinatorParts, 'stage' | 'openReading'>;
}

type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** Writes a document to the file that a command names, or else to `out`. @param document its name in the refusal @throws OUTPUT_FAILED */
export async function writeDocument(io: Io, document: string, pieces: Pieces, output: string | undefined) {
  if (output === undefined) return writeOut(io, pieces);
  try {
    await writeWhole(output, pieces, { mode: 0o666 });
  } catch (error) {
    throw outputError(document, error);
  }
}

/** OUTPUT_FAILED in place of an error of the system. @param remedy default: another `--output` */
export function outputError(document: string, error: unknown, remedy?: string) {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  return new RollcallError('OUTPUT_FAILED', { document, why: error.message, remedy });
}

/** Writes an answer to `out`, as it comes. In a pipe its bytes are exact; on a terminal nothing of it acts. */
export async function writeOut({ out }: Pick<Io, 'out'>, pieces: Pieces) {
  // Standard output stays open: it is not ours to close.
  await pipeline(isTerminal(out) ? shownPieces(pieces) : Readable.from(pieces), out, { end: false });
}

async function* shownPieces(pieces: Pieces): AsyncGenerator<string> {
  for await (const text of textsOf(pieces)) yield printableLines(text);
}

/** Pieces as texts, none of which ends in the middle of a character. */
export function textsOf(pieces: Pieces): AsyncIterable<string> {
  return Readable.from(pieces, { objectMode: false }).setEncoding('utf8');
}

const isTerminal = (out: Io['out']) => 'isTTY' in out && out.isTTY === true;

const DEFAULT_WIDTH = 80;
const WIDEST = 120;

export function terminalIo(out: NodeJS.WriteStream, err: NodeJS.WriteStream, typed: Io['typed']) {
  return {
    out,
    err,
    typed,
    // A dumb terminal, as of an editor, shows what moves the cursor as it is.
    live: err.isTTY === true && environmentVariable('TERM') !== 'dumb',
    color: out.isTTY === true && out.hasColors(),
    get width() {
      return Math.min(WIDEST, Math.max(40, columnsOf(out) ?? columnsOf(err) ?? DEFAULT_WIDTH));
    },
  };
}

function columnsOf(stream: NodeJS.WriteStream) {
  return stream.isTTY ? stream.columns : undefined;
}

/** Lines that are redrawn in place on standard error at the moment. */
export interface Drawing {
  /** Takes it off the screen, until it is drawn again. */
  clear(): void;
  draw(): void;
}

const DRAWINGS = new WeakMap<Io['err'], Drawing>();

/** Prints later output above the drawing. Undefined: there is no drawing any more. */
export function keepDrawing({ err }: Io, drawing: Drawing | undefined) {
  if (drawing === undefined) DRAWINGS.delete(err);
  else DRAWINGS.set(err, drawing);
}

/** Writes a text for people to standard output. */
export function print({ out, typed = (text) => text }: Pick<Io, 'out' | 'typed'>, text: string) {
  out.write(typed(text));
}

/** Writes a document for programs, on one line of standard output. */
export function printJson({ out }: Pick<Io, 'out'>, document: unknown) {
  out.write(`${JSON.stringify(document)}\n`);
}

/** Writes lines to standard error. On a terminal sentences are broken between words; an indented line is one to copy. */
export function say(io: Io, ...lines: readonly string[]) {
  if (lines.length === 0) return;
  const typed = lines.map((line) => io.typed?.(line) ?? line);
  const fitting = io.live ? typed.flatMap((line) => (line.startsWith(' ') ? [line] : wrap(line, io.width))) : typed;
  const drawing = DRAWINGS.get(io.err);
  drawing?.clear();
  io.err.write(`${fitting.join('\n')}\n`);
  drawing?.draw();
}

/** Log output of a long-running command: lines for people on a terminal, JSON everywhere else. */
export function logStream({ out, color }: Pick<Io, 'out' | 'color'>): LogStream {
  return { write: (line) => void out.write(isTerminal(out) ? readable(JSON.parse(line), color) : line) };
}

const LEVEL_COLOURS: Readonly<Record<LogLevel, 'red' | 'yellow' | 'green' | 'blue'>> = {
  error: 'red',
  warn: 'yellow',
  info: 'green',
  debug: 'blue',
};

interface LogLine {
  readonly level: LogLevel;
  readonly time: string;
  readonly pid: number;
  readonly msg: string;
}

function readable({ level, time, pid: _, msg, ...facts }: LogLine, color: boolean) {
  const name = level.toUpperCase();
  const shown = color ? styleText(LEVEL_COLOURS[level], name, { validateStream: false }) : name;
  const more = Object.keys(facts).length === 0 ? '' : ` ${JSON.stringify(facts)}`;
  return `[${new Date(time).toTimeString().slice(0, 8)}] ${shown}: ${msg}${more}\n`;
}

/** Asks a yes-or-no question. Without a terminal, and after Ctrl-C, the answer is no. */
export async function confirm(io: Io, question: string, signal: AbortSignal) {
  if (!io.live || !process.stdin.isTTY) return false;
  const { createInterface } = await import('node:readline/promises');
  using terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `, { signal })).trim());
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** Prints a table. In a pipe it is as wide as its values: the next program needs them whole. */
export function printTable({ out, width }: Io, head: readonly string[], rows: readonly (readonly string[])[]) {
  out.write(`${drawTable(head, rows, isTerminal(out) ? width : Number.POSITIVE_INFINITY)}\n`);
}

/** A command for the user to copy: on the data directory or server that this one was given, unless a setting leads there. */
export function typedCommand({ dataDirFlag, serverFlag, profileFlag }: Config, ...words: readonly string[]) {
  const dir = dataDirFlag === undefined ? [] : ['--data-dir', shellWord(dataDirFlag)];
  const where = serverFlag === undefined ? dir : ['--server', serverFlag];
  const which = profileFlag === undefined ? [] : ['--profile', profileFlag];
  return ['rollcall', ...words, ...which, ...where].join(' ');
}

/** The path as the user would type it here. */
export function shortest(path: string) {
  const fromHere = relative('.', path);
  return fromHere !== '' && fromHere.length < path.length ? fromHere : path;
}
