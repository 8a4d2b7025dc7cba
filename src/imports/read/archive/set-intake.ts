import { option, words } from '../../../errors/named-options.ts';
import { boundText } from '../../../options/bounds.ts';
import type { IntakeSource } from '../byte-source.ts';
import type { ColumnRole } from '../columns.ts';
import type { InputRow } from '../input-row.ts';
import { type Bounds, boundsWith, intakeError, isIntakeError, listed, orRaise, shownPath } from '../intake-error.ts';
import type { Intake, IntakeOptions } from '../intake-options.ts';
import type { IntakeNote } from '../notes.ts';
import { type FileSet, type Selection, selectFiles } from './file-set.ts';

/**
 * The rows of several files as one input. If there is more than one, each row has the name of its file and its number
 * there in two columns in front of its own, and row numbers continue from file to file.
 * @param openOne opens one of the files; throws where that is an archive itself
 */
export async function openSetIntake(
  set: FileSet,
  options: IntakeOptions,
  openOne: (source: IntakeSource) => Promise<Intake>,
): Promise<Intake> {
  try {
    const { files, ...selection } = selectFiles(set, options.files);
    const [first = '', ...others] = files;
    const open = async (file: string) => {
      try {
        return await openOne(await set.open(file));
      } catch (error) {
        throw placed(error, file);
      }
    };
    const intake = await open(first);
    const notes = () => [setNote(set, { files, ...selection })];
    return others.length === 0
      ? oneFile(intake, set, notes)
      : manyFiles({ first: { file: first, intake }, others, set, open, options, notes });
  } catch (error) {
    set.close();
    throw error;
  }
}

function oneFile(intake: Intake, set: FileSet, notes: () => IntakeNote[]): Intake {
  return {
    ...intake,
    get recognised() {
      return intake.recognised;
    },
    notes: () => [...notes(), ...intake.notes()],
    bytesRead: () => set.bytesRead?.() ?? intake.bytesRead(),
    async *chunks() {
      try {
        yield* intake.chunks();
        await set.checkUnchanged();
      } finally {
        set.close();
      }
    },
  };
}

interface ManyFiles {
  readonly first: { readonly file: string; readonly intake: Intake };
  readonly others: readonly string[];
  readonly set: FileSet;
  readonly open: (file: string) => Promise<Intake>;
  readonly options: IntakeOptions;
  readonly notes: () => IntakeNote[];
}

function manyFiles(files: ManyFiles): Intake {
  const { first, others, set, open, options, notes } = files;
  const { format } = first.intake;
  const merged = mergedColumns(format === 'csv' ? 'cells' : 'elements', boundsWith(options.bounds));
  const fileNotes: IntakeNote[] = [];
  let read = 0;
  let rowsRead = 0;
  let shaped = false;
  let current: Intake | undefined = first.intake;
  let last = 0;
  merged.begin(first.file);
  merged.take(first.intake.columns(), first.intake.recognised);

  async function* rowsOf(file: string, intake: Intake): AsyncGenerator<InputRow[]> {
    const before = last;
    current = intake;
    merged.begin(file);
    try {
      for await (const chunk of intake.chunks()) {
        merged.take(intake.columns(), intake.recognised);
        yield chunk.map((row) => {
          last = before + row.line;
          // The first of several memberships of a row has the original of all.
          return { ...row, line: last, original: row.original === '' ? '' : merged.originalOf(row) };
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
    bytesRead: () => set.bytesRead?.() ?? read + (current?.bytesRead() ?? 0),
    async *chunks() {
      try {
        yield* rowsOf(first.file, first.intake);
        for (const file of others) {
          const intake = await open(file);
          if ((intake.format === 'csv') !== (format === 'csv')) {
            for await (const _ of intake.chunks()) break; // which closes it
            throw intakeError(
              'OTHER_FORMAT',
              `${shownPath(set.name)} has files of two kinds: ${shownPath(first.file)} and ${shownPath(file)} cannot be read as one import, because one has rows of cells and the other JSON elements`,
              words`Import them one after the other, naming the files of each, such as ${option('files', '*.csv')}`,
              { file: set.name, first: first.file, other: file },
            );
          }
          yield* rowsOf(file, intake);
        }
        await set.checkUnchanged();
      } finally {
        set.close();
      }
    },
  };
}

function setNote(set: FileSet, { files, others }: Selection): IntakeNote {
  const read = `Read from ${set.kind === 'zip' ? 'the archive' : 'the folder'}: ${listed(files)}`;
  const text = others.length === 0 ? read : `${read}. Not read: ${listed(others)}`;
  return { code: 'FILES_READ', text };
}

/** The error of one file, with the file's name in its place. */
function placed(error: unknown, file: string) {
  if (!isIntakeError(error)) return error;
  const { code, facts, cause } = error;
  const { problem, place } = facts;
  const where = `file ${shownPath(file)}`;
  const remedy =
    code === 'EMPTY' || code === 'NO_ROWS'
      ? words`Write rows into it, or leave it out with ${option('files', `!${file}`)}`
      : facts.remedy;
  return intakeError(code, problem, remedy, {
    ...facts,
    place: place === undefined ? where : `${where}, ${place}`,
    cause,
  });
}

/** Columns in front of those of the files. */
const OWN = ['_file', '_file_row'] as const;

/** Field → name of the column that it is read from. */
type Recognised = Readonly<Partial<Record<ColumnRole, string>>>;

/**
 * The columns of several files as those of one, and their rows under these. Columns of the same name are the same, and so
 * are those that serve the same field: their common retry file must be readable as one file.
 */
function mergedColumns(form: 'cells' | 'elements', bounds: Bounds) {
  const names: string[] = [...OWN];
  /** Field → name of the column in the file that had one first. */
  const fieldNames = new Map<string, string>();
  /** Place of a column by its field, or by its name and how many of that name are before it in the file. */
  const places = new Map<string, number>();
  let current = '';
  /** Columns of the file that is being read → places; as many as have been noted. */
  let moves: number[] = [];
  let seen = new Map<string, number>();
  /** Whether the file's columns are all the columns so far, in the same order. */
  let isPlain = true;

  /** The rows that come next are those of this file. */
  function begin(file: string) {
    current = file;
    moves = [];
    seen = new Map();
    isPlain = true;
  }

  /** Notes the columns of the file, as far as they are known. Throws TOO_MANY_COLUMNS, AMBIGUOUS_COLUMN. */
  function take(columns: readonly string[], recognised: Recognised) {
    const fields = new Map(Object.entries(recognised).map(([field, name]) => [name, field]));
    if (form === 'elements') checkFields(recognised);
    for (let index = moves.length; index < columns.length; index += 1) {
      const name = columns[index] ?? '';
      const before = seen.get(name) ?? 0;
      seen.set(name, before + 1);
      const field = before === 0 && form === 'cells' ? fields.get(name) : undefined;
      const key = field === undefined ? `${before} ${name}` : field;
      let place = places.get(key);
      if (place === undefined) {
        place = names.push(name) - 1;
        places.set(key, place);
        const count = names.length;
        const most = bounds.columns;
        if (count > most) {
          throw intakeError(
            'TOO_MANY_COLUMNS',
            `the files have ${count} different columns together; allowed are ${boundText('columns', most)}`,
            orRaise('Import files with different columns one after the other', 'columns', bounds, count),
            { place: `file ${JSON.stringify(current)}`, file: current, count, most },
          );
        }
      }
      moves.push(place);
      if (place !== index + OWN.length) isPlain = false;
    }
  }

  /** The keys of elements stay as they are, so that a field has the same key in all files. */
  function checkFields(recognised: Recognised) {
    for (const [field, name] of Object.entries(recognised)) {
      const first = fieldNames.get(field);
      if (first === undefined) fieldNames.set(field, name);
      else if (first !== name)
        throw intakeError(
          'AMBIGUOUS_COLUMN',
          `the ${field} is ${JSON.stringify(name)} here, and ${JSON.stringify(first)} in the files before it`,
          words`Import files with different keys one after the other, naming those of each with ${option('files')}`,
          { place: `file ${JSON.stringify(current)}`, file: current, field, name, first },
        );
    }
  }

  /** The row in the merged columns. */
  function originalOf({ original, line }: Pick<InputRow, 'original' | 'line'>) {
    return form === 'cells' ? mergedCells(original, line) : mergedElement(original, line);
  }

  function mergedCells(original: string, line: number) {
    const own = `[${JSON.stringify(current)},"${line}"`;
    if (isPlain) return original === '[]' ? `${own}]` : `${own},${original.slice(1)}`;
    const cells: string[] = [];
    for (const [index, cell] of (JSON.parse(original) as string[]).entries()) {
      const place = moves[index];
      if (place === undefined) throw new TypeError(`a row of ${current} has more cells than columns`);
      while (cells.length < place - OWN.length) cells.push('');
      cells[place - OWN.length] = cell;
    }
    return `${own}${cells.map((cell) => `,${JSON.stringify(cell)}`).join('')}]`;
  }

  /** An element that already names its file, for instance in a retry file, stays as it is. */
  function mergedElement(original: string, line: number) {
    if (OWN.some((name) => seen.has(name))) return original;
    const rest = original.slice(1).trimStart();
    return `{"_file":${JSON.stringify(current)},"_file_row":${line}${rest.startsWith('}') ? '' : ','}${rest}`;
  }

  return { names, begin, take, originalOf };
}
