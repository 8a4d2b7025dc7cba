import { parentPort, workerData } from 'node:worker_threads';
import { asError } from '../../errors/message-of.ts';
import { closeStaged, openForStaging } from '../../platform/sqlite.ts';
import { PASSING_ROWS, startThread } from '../../platform/threads.ts';
import { regionId, requestId } from '../record/enum-ids.ts';
import { IMPORT_MIGRATIONS } from '../schemas.ts';
import { cut, type StagedTotals } from './cut.ts';
import { type FlatProblem, LATER, rowInserter, type ShapedValues, SKIPPED, VALUES_PER_ROW } from './insert-rows.ts';
import type { InputDescription, StagedRow } from './staged-row.ts';

/**
 * Rows on their way into a new ledger: packed where they are read, unpacked and inserted where they are written. Unless
 * they are few, that is a thread, so that reading the input and writing the ledger share no core; it runs this file, too.
 */

/** The task of the thread: the path of the ledger. */
interface WriterTask {
  readonly writeRowsTo: string;
}
type WriterMessage = { kind: 'rows'; rows: PackedRows } | { kind: 'finish'; input: InputDescription };
type WriterReply = { kind: 'inserted' } | { kind: 'staged'; totals: StagedTotals };

/** Chunks on their way to the thread: enough to keep it busy, few enough to keep memory flat. */
const CHUNKS_AHEAD = 4;
/** Characters of rows that are written without a thread, at most: some thousand rows. */
const FEW = 256 * 1024;

/** Writes a new import file. Call `add` for every chunk of rows and `finish` once, or `abandon`. */
export interface Staging {
  /** Resolves when it can take the next chunk. */
  add(rows: readonly StagedRow[]): Promise<void>;
  /** Finds duplicates and cuts batches. */
  finish(input: InputDescription): Promise<StagedTotals>;
  abandon(): Promise<void>;
}

/**
 * Starts staging into the file at `path`, which must not hold an import yet. Rows are written by a thread, so that this
 * one can read; a few are written here when all are read, in less time than a thread takes to start.
 */
export function startStaging(path: string): Staging {
  let few: PackedRows[] = [];
  let length = 0;
  let thread: RowWriter | undefined;
  let abandoned = false;
  return {
    add: async (rows) => {
      if (abandoned) throw cannotWrite(new Error('it was given up'));
      const packed = packRows(rows);
      if (thread !== undefined) return thread.add(packed);
      few.push(packed);
      length += packed.texts.length;
      if (length <= FEW) return;
      thread = startWriter(path);
      for (const one of few) await thread.add(one);
      few = [];
    },
    finish: async (input) => thread?.finish(input) ?? writeHere(path, few, input),
    abandon: async () => {
      abandoned = true;
      await thread?.abandon();
    },
  };
}

/** A thread that writes rows, and gets only as many as it can handle. */
interface RowWriter {
  /** Resolves when it can take the next chunk. */
  add(rows: PackedRows): Promise<void>;
  finish(input: InputDescription): Promise<StagedTotals>;
  abandon(): Promise<void>;
}

function startWriter(path: string): RowWriter {
  const thread = startThread(import.meta.url, './row-writer', {
    workerData: { writeRowsTo: path } satisfies WriterTask,
    resourceLimits: PASSING_ROWS,
  });
  let failure: Error | undefined;
  let underWay = 0;
  let totals: StagedTotals | undefined;
  let wake = () => {};

  thread.on('message', (reply: WriterReply) => {
    if (reply.kind === 'inserted') underWay -= 1;
    else totals = reply.totals;
    wake();
  });
  thread.on('error', (error) => {
    failure = asError(error);
    wake();
  });
  thread.on('exit', () => {
    failure ??= new Error('the thread that writes it has ended');
    wake();
  });

  /** Several replies may come at once: a waiter checks their combined effect, never a single reply. */
  const nextReply = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const check = () => {
    if (failure !== undefined) throw cannotWrite(failure);
  };

  return {
    add: async (rows) => {
      check();
      thread.postMessage({ kind: 'rows', rows } satisfies WriterMessage, [rows.numbers.buffer]);
      underWay += 1;
      while (underWay >= CHUNKS_AHEAD) {
        await nextReply();
        check();
      }
    },
    finish: async (input) => {
      check();
      thread.postMessage({ kind: 'finish', input } satisfies WriterMessage);
      for (;;) {
        if (totals !== undefined) return totals;
        check();
        await nextReply();
      }
    },
    abandon: async () => {
      await thread.terminate();
    },
  };
}

function writeHere(path: string, rows: readonly PackedRows[], input: InputDescription): StagedTotals {
  try {
    const writing = openRowWriting(path);
    for (const one of rows) writing.insert(one);
    return writing.finish(input);
  } catch (error) {
    throw cannotWrite(asError(error));
  }
}

function cannotWrite(cause: Error): Error {
  return new Error(`the ledger cannot be written: ${cause.message}`, { cause });
}

/** Writes a new ledger in this thread. */
interface RowWriting {
  insert(rows: PackedRows): void;
  /** Finds duplicates, cuts batches and closes the file. */
  finish(input: InputDescription): StagedTotals;
}

function openRowWriting(path: string): RowWriting {
  const database = openForStaging(path, IMPORT_MIGRATIONS);
  database.exec('begin');
  const inserter = rowInserter(database);
  return {
    insert: (rows) => inserter.insert(unpackRows(rows), rows.problems, unpackShapes(rows)),
    finish: (input) => {
      inserter.finish();
      database.exec('commit');
      const totals = cut(database, input);
      closeStaged(database, path);
      return totals;
    },
  };
}

/**
 * Rows on their way to the thread that writes them, as one text and one array of numbers: copying an object or a text for
 * each row to another thread takes longer than writing the rows.
 */
export interface PackedRows {
  /** Line, region number and request of each row (insert-rows.ts). */
  readonly numbers: Int32Array<ArrayBuffer>;
  /** GUID, UID, acting user (of an invalid row: its scope) and original of each row, each with SEPARATOR behind it. */
  readonly texts: string;
  readonly problems: readonly FlatProblem[];
  /** Present where a row of the input may give several memberships. */
  readonly shaped?: PackedShapes;
}

/** Which membership of its row each one is, and what its ids were derived from; texts with SEPARATOR between them. */
interface PackedShapes {
  readonly parts: Int32Array<ArrayBuffer>;
  readonly values: string;
  readonly uids: string;
  readonly guids: string;
}

const NUMBERS = 3;
const TEXTS = 4;
/** In no id, and in no JSON text. */
const SEPARATOR = '\0';
/** Kept of a text of an invalid row, in characters. */
const MOST_OF_A_TEXT = 200;

export function packRows(rows: readonly StagedRow[]): PackedRows {
  const packed = packPlain(rows);
  return rows.some(({ shaped }) => shaped !== undefined) ? { ...packed, shaped: packShapes(rows) } : packed;
}

function packShapes(rows: readonly StagedRow[]): PackedShapes {
  const joined = (text: (row: StagedRow) => string | undefined) => rows.map((row) => asText(text(row))).join(SEPARATOR);
  return {
    parts: Int32Array.from(rows, ({ shaped }) => shaped?.part ?? 1),
    values: joined(({ shaped }) => shaped?.value),
    uids: joined(({ shaped }) => shaped?.sources?.uid),
    guids: joined(({ shaped }) => shaped?.sources?.guid),
  };
}

function unpackShapes({ shaped }: PackedRows): ShapedValues | undefined {
  if (shaped === undefined) return undefined;
  const { parts, values, uids, guids } = shaped;
  return {
    parts,
    values: values.split(SEPARATOR),
    uids: uids.split(SEPARATOR),
    guids: guids.split(SEPARATOR),
  };
}

function asText(text = ''): string {
  return text.toWellFormed().replaceAll(SEPARATOR, '\ufffd');
}

function packPlain(rows: readonly StagedRow[]): PackedRows {
  const numbers = new Int32Array(rows.length * NUMBERS);
  const problems: FlatProblem[] = [];
  let texts = '';
  let at = 0;
  for (const [index, row] of rows.entries()) {
    const { line, region, guid, uid, scope, action, onBehalfOf, original } = row;
    numbers[at++] = line;
    if (row.problems.length === 0) {
      numbers[at++] = regionId(region);
      numbers[at++] = requestId(scope, action) + (row.later === true ? LATER : 0);
      texts += `${guid}\0${uid}\0${onBehalfOf}\0${original}\0`;
    } else {
      for (const [position, problem] of row.problems.entries()) problems.push({ row: index, position, ...problem });
      numbers[at++] = row.problems.some((problem) => problem.code.includes('REGION')) ? 0 : regionId(region);
      numbers[at++] = row.shaped?.skipped === true ? SKIPPED : 0;
      const asked = row.problems.find(({ code }) => code === 'UNKNOWN_SCOPE')?.value ?? scope;
      texts += `${asRead(guid)}\0${asRead(uid)}\0${asRead(asked)}\0${original}\0`;
    }
  }
  return { numbers, texts, problems };
}

/** A text of an invalid row, which may be anything. */
function asRead(text: string): string {
  return text.slice(0, MOST_OF_A_TEXT).toWellFormed().replaceAll(SEPARATOR, '\ufffd');
}

/** The flat values that `RowInserter.insert` takes. Throws an Error if a text had the separator in it. */
export function unpackRows({ numbers, texts }: PackedRows): (string | number)[] {
  const parts = texts.split(SEPARATOR);
  const rows = numbers.length / NUMBERS;
  if (parts.length !== rows * TEXTS + 1) throw new Error(`${rows} rows have come with ${parts.length - 1} texts`);
  const values = new Array<string | number>(rows * VALUES_PER_ROW);
  let at = 0;
  for (let row = 0; row < rows; row += 1) {
    const number = row * NUMBERS;
    const text = row * TEXTS;
    values[at++] = numbers[number] as number;
    values[at++] = numbers[number + 1] as number;
    values[at++] = parts[text] as string;
    values[at++] = parts[text + 1] as string;
    values[at++] = numbers[number + 2] as number;
    values[at++] = parts[text + 2] as string;
    values[at++] = parts[text + 3] as string;
  }
  return values;
}

/** What the thread does. */
function writeRows({ writeRowsTo }: WriterTask): void {
  const writing = openRowWriting(writeRowsTo);
  const tell = (reply: WriterReply) => parentPort?.postMessage(reply);
  parentPort?.on('message', (message: WriterMessage) => {
    if (message.kind === 'rows') {
      writing.insert(message.rows);
      return tell({ kind: 'inserted' });
    }
    tell({ kind: 'staged', totals: writing.finish(message.input) });
    parentPort?.close();
  });
}

if (workerData?.writeRowsTo !== undefined) writeRows(workerData);
