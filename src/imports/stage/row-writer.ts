import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { asError } from '../../errors/message-of.ts';
import { ACTIONS, type Action, type Region } from '../../membership/membership.ts';
import { closeStaged, openForStaging } from '../../platform/sqlite.ts';
import { PASSING_ROWS, startThread } from '../../platform/threads.ts';
import { actionId, regionId, requestId } from '../record/enum-ids.ts';
import { hashUid } from '../record/uid-hash.ts';
import { IMPORT_MIGRATIONS } from '../schemas.ts';
import { cut, type StagedTotals } from './cut.ts';
import {
  type FlatProblem,
  LATER,
  NUMBERS_PER_ROW,
  type PackedRows,
  type PackedShapes,
  REMEMBERED_CALL_GROUPS,
  rowInserter,
  SEPARATOR,
  SKIPPED,
} from './insert-rows.ts';
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
/** Characters of rows whose ledger has small pages, at most: some hundred rows. */
const SMALL = 32 * 1024;

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
  const pack = rowPacker();
  let few: PackedRows[] = [];
  let length = 0;
  let thread: RowWriter | undefined;
  let abandoned = false;
  return {
    add: async (rows) => {
      if (abandoned) throw cannotWrite(new Error('it was given up'));
      const packed = pack(rows);
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
      thread.postMessage({ kind: 'rows', rows } satisfies WriterMessage, [rows.numbers.buffer, rows.hashes.buffer]);
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
    const length = rows.reduce((sum, { texts }) => sum + texts.length, 0);
    const writing = openRowWriting(path, length <= SMALL);
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

/** @param isSmall whether it will have few rows */
function openRowWriting(path: string, isSmall = false): RowWriting {
  const database = openForStaging(path, IMPORT_MIGRATIONS, isSmall ? 512 : 4096);
  database.exec('begin');
  const inserter = rowInserter(database, dirname(path));
  return {
    insert: inserter.insert,
    finish: (input) => {
      inserter.finish();
      database.exec('commit');
      const totals = cut(database, input);
      closeStaged(database, path);
      return totals;
    },
  };
}

/** Kept of a text of an invalid row, in characters. */
const MOST_OF_A_TEXT = 200;

/** Packs the rows of one input, chunk by chunk, in their order. */
export function rowPacker(): (rows: readonly StagedRow[]) => PackedRows {
  const callGroups = new CallGroupNumbers();
  return (rows) => {
    const packed = packPlain(rows, callGroups);
    return rows.some(({ shaped }) => shaped !== undefined) ? { ...packed, shaped: packShapes(rows) } : packed;
  };
}

/** Numbers call groups as they come: 0, 1, 2, … Two spellings of a name have two numbers. */
class CallGroupNumbers {
  /** The number of the next new one. */
  next = 0;
  /** Region, action, whether it is sent later, and acting user → GUID → number. Most rows differ in the GUID alone. */
  readonly #remembered = new Map<string, Map<string, number>>();
  /** The same without an acting user, by region, action and whether it is sent later. */
  readonly #common: (Map<string, number> | undefined)[] = [];

  of(region: Region, guid: string, actor: string, action: Action, later: boolean): number {
    const numbers = this.#numbersOf(region, actor, action, later);
    const known = numbers.get(guid);
    if (known !== undefined) return known;
    const number = this.next;
    this.next += 1;
    // Copied, because the name is a slice of a long text that would stay in memory with it.
    numbers.set(Buffer.from(guid).toString(), number);
    if (this.next % REMEMBERED_CALL_GROUPS === 0) {
      this.#remembered.clear();
      this.#common.length = 0;
    }
    return number;
  }

  #numbersOf(region: Region, actor: string, action: Action, later: boolean): Map<string, number> {
    const place = (regionId(region) * (ACTIONS.length + 1) + actionId(action)) * 2 + Number(later);
    const known = actor === '' ? this.#common[place] : this.#remembered.get(`${place} ${actor}`);
    if (known !== undefined) return known;
    const numbers = new Map<string, number>();
    if (actor === '') this.#common[place] = numbers;
    else this.#remembered.set(`${place} ${actor}`, numbers);
    return numbers;
  }
}

function packPlain(rows: readonly StagedRow[], callGroups: CallGroupNumbers): PackedRows {
  const numbers = new Int32Array(rows.length * NUMBERS_PER_ROW);
  const hashes = new Float64Array(rows.length);
  const problems: FlatProblem[] = [];
  let texts = '';
  let at = 0;
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as StagedRow;
    const { line, region, guid, uid, scope, action, onBehalfOf, original } = row;
    numbers[at] = line;
    if (row.problems.length === 0) {
      const later = row.later === true;
      const expected = callGroups.next;
      const callGroup = callGroups.of(region, guid, onBehalfOf, action ?? 'add', later);
      numbers[at + 1] = regionId(region);
      numbers[at + 2] = requestId(scope, action) + (later ? LATER : 0);
      numbers[at + 3] = callGroup;
      hashes[index] = hashUid(uid);
      if (callGroup === expected) texts += `${guid}\0${onBehalfOf}\0`;
      texts += `${uid}\0${original}\0`;
    } else {
      for (const [position, problem] of row.problems.entries()) problems.push({ row: index, position, ...problem });
      const asked = row.problems.find(({ code }) => code === 'UNKNOWN_SCOPE')?.value ?? scope;
      const read = asRead(uid);
      numbers[at + 1] = row.problems.some((problem) => problem.code.includes('REGION')) ? 0 : regionId(region);
      numbers[at + 2] = row.shaped?.skipped === true ? SKIPPED : 0;
      hashes[index] = hashUid(read);
      texts += `${asRead(guid)}\0${asRead(asked)}\0${read}\0${original}\0`;
    }
    at += NUMBERS_PER_ROW;
  }
  return { numbers, hashes, texts, problems };
}

/** A text of an invalid row, which may be anything. */
function asRead(text: string): string {
  return text.slice(0, MOST_OF_A_TEXT).toWellFormed().replaceAll(SEPARATOR, '\ufffd');
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

function asText(text = ''): string {
  return text.toWellFormed().replaceAll(SEPARATOR, '\ufffd');
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
