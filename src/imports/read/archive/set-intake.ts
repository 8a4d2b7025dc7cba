import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { option, words } from '../../../errors/named-options.ts';
import type { BoundName } from '../../../options/bounds.ts';
import type { InputFormat } from '../../../options/input-kinds.ts';
import { boundsWith } from '../bounds.ts';
import type { ColumnRole } from '../columns.ts';
import type { InputRow } from '../input-row.ts';
import { IntakeError, listed, shownPath } from '../intake-error.ts';
import type { IntakeNote } from '../intake-note.ts';
import { isReadAtRandom } from '../random-access.ts';
import { type IntakeSource, readHead } from '../source.ts';
import { type FileSet, type Selection, selectFiles } from './file-set.ts';
import { MergedColumns } from './merged-columns.ts';

/** The part of an opened input that is needed to combine several. */
interface OpenedRows {
  readonly format: InputFormat;
  readonly recognised: Readonly<Partial<Record<ColumnRole, string>>>;
  columns(): readonly string[];
  notes(): readonly IntakeNote[];
  /** Rows of the file so far, left out or not. */
  shaped(): boolean;
  rowsRead(): number;
  bytesRead(): number;
  chunks(): AsyncGenerator<InputRow[]>;
}

export interface SetOptions {
  readonly bounds?: Readonly<Partial<Record<BoundName, number | undefined>>> | undefined;
  readonly files?: readonly string[] | undefined;
  readonly scratch?: string | undefined;
}

/**
 * The rows of several files as one input. If there is more than one, each row has the name of its file and its number
 * there in two columns in front of its own, and row numbers continue from file to file.
 * @param openOne opens one of the files; throws where that is an archive itself
 */
export async function openSetIntake<Rows extends OpenedRows>(
  set: FileSet,
  options: SetOptions,
  openOne: (source: IntakeSource) => Promise<Rows>,
): Promise<Rows> {
  const scratch = new Scratch(options.scratch ?? tmpdir());
  try {
    const { files, ...selection } = selectFiles(set, options.files);
    const [first = '', ...others] = files;
    const open = async (file: string) => {
      try {
        return await openOne(await sourceOf(set, file, scratch));
      } catch (error) {
        throw placed(error, file);
      }
    };
    const intake = await open(first);
    const end = async () => {
      await scratch.remove();
      set.close();
    };
    const notes = () => [setNote(set, { files, ...selection })];
    return others.length === 0
      ? oneFile(intake, set, notes, end)
      : manyFiles({ first: { file: first, intake }, others, set, open, options, notes, end });
  } catch (error) {
    await scratch.remove();
    set.close();
    throw error;
  }
}

function oneFile<Rows extends OpenedRows>(
  intake: Rows,
  set: FileSet,
  notes: () => IntakeNote[],
  end: () => Promise<void>,
): Rows {
  return {
    ...intake,
    get recognised() {
      return intake.recognised;
    },
    notes: () => [...notes(), ...intake.notes()],
    bytesRead: () => set.bytesRead() || intake.bytesRead(),
    async *chunks() {
      try {
        yield* intake.chunks();
        await set.checkUnchanged();
      } finally {
        await end();
      }
    },
  };
}

interface ManyFiles<Rows> {
  readonly first: { readonly file: string; readonly intake: Rows };
  readonly others: readonly string[];
  readonly set: FileSet;
  readonly open: (file: string) => Promise<Rows>;
  readonly options: SetOptions;
  readonly notes: () => IntakeNote[];
  readonly end: () => Promise<void>;
}

function manyFiles<Rows extends OpenedRows>(files: ManyFiles<Rows>): Rows {
  const { first, others, set, open, options, notes, end } = files;
  const { format } = first.intake;
  const merged = new MergedColumns(format === 'csv' ? 'cells' : 'elements', boundsWith(options.bounds));
  const fileNotes: IntakeNote[] = [];
  let read = 0;
  let rowsRead = 0;
  let shaped = false;
  let current: OpenedRows | undefined = first.intake;
  let last = 0;
  merged.begin(first.file);
  merged.take(first.intake.columns(), first.intake.recognised);

  async function* rowsOf(file: string, intake: OpenedRows): AsyncGenerator<InputRow[]> {
    const before = last;
    current = intake;
    merged.begin(file);
    try {
      for await (const chunk of intake.chunks()) {
        merged.take(intake.columns(), intake.recognised);
        yield chunk.map((row) => {
          last = before + row.line;
          // The first of several memberships of a row has the original of all.
          return { ...row, line: last, original: row.original === '' ? '' : merged.original(row) };
        });
      }
    } catch (error) {
      throw placed(error, file);
    }
    merged.take(intake.columns(), intake.recognised);
    fileNotes.push(...intake.notes().map(({ code, text }) => ({ code, text: `${shownPath(file)}: ${text}` })));
    read += intake.bytesRead();
    rowsRead += intake.rowsRead();
    shaped ||= intake.shaped();
    current = undefined;
  }

  return {
    ...first.intake,
    get recognised() {
      return first.intake.recognised;
    },
    columns: () => merged.names,
    notes: () => [...notes(), ...fileNotes],
    shaped: () => shaped || (current?.shaped() ?? false),
    rowsRead: () => rowsRead + (current?.rowsRead() ?? 0),
    bytesRead: () => (set.kind === 'zip' ? set.bytesRead() : read + (current?.bytesRead() ?? 0)),
    async *chunks() {
      try {
        yield* rowsOf(first.file, first.intake);
        for (const file of others) {
          const intake = await open(file);
          if ((intake.format === 'csv') !== (format === 'csv')) {
            for await (const _ of intake.chunks()) break; // which closes it
            throw mixed(first.file, file, set);
          }
          yield* rowsOf(file, intake);
        }
        await set.checkUnchanged();
      } finally {
        await end();
      }
    },
  };
}

/**
 * Returns the source of a file of the set. A workbook inside an archive is unpacked first: it is read at random places.
 */
async function sourceOf(set: FileSet, file: string, scratch: Scratch): Promise<IntakeSource> {
  const path = set.pathOf(file);
  if (path !== undefined) return { path, name: file };
  const { head, blocks } = await readHead(set.read(file), 4);
  if (!isReadAtRandom(head)) return { stream: Readable.from(blocks), name: file };
  return { path: await scratch.keep(blocks), name: file };
}

/** Files that are unpacked while they are read. */
class Scratch {
  readonly #within: string;
  #folder: string | undefined;
  #count = 0;

  constructor(within: string) {
    this.#within = within;
  }

  async keep(blocks: AsyncIterable<Buffer>): Promise<string> {
    this.#folder ??= await mkdtemp(join(this.#within, 'unpacked-'));
    this.#count += 1;
    const path = join(this.#folder, String(this.#count));
    await pipeline(blocks, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
    return path;
  }

  async remove(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}

function setNote(set: FileSet, { files, others }: Selection): IntakeNote {
  const read = `Read from ${set.kind === 'zip' ? 'the archive' : 'the folder'}: ${listed(files)}`;
  const text = others.length === 0 ? read : `${read}. Not read: ${listed(others)}`;
  return { code: 'FILES_READ', text };
}

/** The error of one file, with the file's name in its place. */
function placed(error: unknown, file: string): unknown {
  if (!(error instanceof IntakeError)) return error;
  const { details, place, cause } = error;
  const where = `file ${shownPath(file)}`;
  const isEmpty = details.code === 'EMPTY' || details.code === 'NO_ROWS';
  const remedy = isEmpty
    ? words`Write rows into it, or leave it out with ${option('files', `!${file}`)}`
    : details.remedy;
  return new IntakeError({ ...details, remedy, place: place === undefined ? where : `${where}, ${place}`, cause });
}

function mixed(first: string, other: string, set: FileSet): IntakeError {
  return new IntakeError({
    code: 'OTHER_FORMAT',
    what: `${shownPath(set.name)} has files of two kinds: ${shownPath(first)} and ${shownPath(other)} cannot be read as one import, because one has rows of cells and the other JSON elements`,
    remedy: words`Import them one after the other, naming the files of each, such as ${option('files', '*.csv')}`,
    facts: { file: set.name, first, other },
  });
}
