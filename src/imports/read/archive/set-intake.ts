import { option, words } from '../../../errors/named-options.ts';
import { boundText } from '../../../options/bounds.ts';
import type { IntakeSource } from '../byte-source.ts';
import type { InputRow } from '../input-row.ts';
import { type Bounds, boundsWith, intakeError, isIntakeError, listed, orRaise, shownPath } from '../intake-error.ts';
import type { Intake, IntakeOptions } from '../intake-options.ts';
import type { IntakeNote } from '../notes.ts';
import { type FileSet, type Selection, selectFiles } from './file-set.ts';

/**
 * The rows of several files as one input. If there is more than one, each row has the name of its file and its number
 * there in two columns in front of its own, and row numbers continue from file to file. Closes the set when they are read.
 * @param openOne opens one of the files; throws where that is an archive itself
 */
export async function openSetIntake(
  set: FileSet,
  options: IntakeOptions,
  openOne: (source: IntakeSource) => Promise<Intake>,
): Promise<Intake> {
  const open = async (file: string) => {
    try {
      return await openOne(await set.open(file));
    } catch (error) {
      throw placed(error, file);
    }
  };
  const selection = selectFiles(set, options.files);
  const first = await open(selection.files[0] ?? '');
  return setIntake(set, selection, first, open, boundsWith(options.bounds));
}

function setIntake(
  set: FileSet,
  selection: Selection,
  first: Intake,
  open: (file: string) => Promise<Intake>,
  bounds: Bounds,
): Intake {
  const [firstFile = '', ...files] = selection.files;
  const isCsv = first.format === 'csv';
  /** Undefined where there is one file: its rows stay as they are. */
  const merged = files.length === 0 ? undefined : mergedColumns(isCsv ? 'cells' : 'elements', bounds);
  /** The sums of the files that have been read. */
  const read = { notes: [] as IntakeNote[], bytes: 0, rows: 0, shaped: false };
  let current: Intake | undefined = first;
  let last = 0;
  merged?.file(firstFile).take(first);

  async function* rowsOf(file: string, intake: Intake): AsyncGenerator<InputRow[]> {
    const before = last;
    current = intake;
    const own = merged?.file(file);
    try {
      for await (const chunk of intake.chunks()) {
        own?.take(intake);
        if (own === undefined) yield chunk;
        else
          yield chunk.map((row) => {
            last = before + row.line;
            // The first of several memberships of a row has the original of all.
            return { ...row, line: last, original: row.original === '' ? '' : own.originalOf(row) };
          });
      }
    } catch (error) {
      throw placed(error, file);
    }
    own?.take(intake);
    read.notes.push(...intake.notes().map(({ code, text }) => ({ code, text: `${shownPath(file)}: ${text}` })));
    read.bytes += intake.bytesRead();
    read.rows += intake.rowsRead();
    read.shaped ||= intake.shaped();
    current = undefined;
  }

  return {
    ...first,
    columns: () => merged?.names ?? first.columns(),
    notes: () => [setNote(set, selection), ...(merged === undefined ? first.notes() : read.notes)],
    shaped: () => read.shaped || (current?.shaped() ?? false),
    rowsRead: () => read.rows + (current?.rowsRead() ?? 0),
    bytesRead: () => set.bytesRead?.() ?? read.bytes + (current?.bytesRead() ?? 0),
    async *chunks() {
      try {
        yield* rowsOf(firstFile, first);
        for (const file of files) {
          const next = await open(file);
          if ((next.format === 'csv') !== isCsv) {
            for await (const _ of next.chunks()) break; // which closes it
            throw twoKinds(set.name, firstFile, file);
          }
          yield* rowsOf(file, next);
        }
        await set.checkUnchanged();
      } finally {
        set.close();
      }
    },
  };
}

function twoKinds(set: string, first: string, other: string) {
  return intakeError(
    'OTHER_FORMAT',
    `${shownPath(set)} has files of two kinds: ${shownPath(first)} and ${shownPath(other)} cannot be read as one import, because one has rows of cells and the other JSON elements`,
    words`Import them one after the other, naming the files of each, such as ${option('files', '*.csv')}`,
    { file: set, first, other },
  );
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

  function file(current: string) {
    /** Columns of the file → places; as many as have been noted. */
    const moves: number[] = [];
    const seen = new Map<string, number>();
    /** Whether the file's columns are all the columns so far, in the same order. */
    let isPlain = true;

    /** Notes the columns of the file, as far as they are known. Throws TOO_MANY_COLUMNS, AMBIGUOUS_COLUMN. */
    function take(intake: Pick<Intake, 'columns' | 'recognised'>) {
      const recognised = intake.recognised();
      if (form === 'elements') checkFields(recognised);
      for (const name of intake.columns().slice(moves.length)) {
        const before = seen.get(name) ?? 0;
        seen.set(name, before + 1);
        const [field] = Object.entries(recognised).find(([, column]) => column === name) ?? [];
        const key = field === undefined || before > 0 || form === 'elements' ? `${before} ${name}` : field;
        let place = places.get(key);
        if (place === undefined) {
          place = names.push(name) - 1;
          places.set(key, place);
        }
        moves.push(place);
      }
      isPlain = moves.every((place, index) => place === index + OWN.length);
      const { length: count } = names;
      const { columns: most } = bounds;
      if (count <= most) return;
      throw intakeError(
        'TOO_MANY_COLUMNS',
        `the files have ${count} different columns together; allowed are ${boundText('columns', most)}`,
        orRaise('Import files with different columns one after the other', 'columns', bounds, count),
        { place: `file ${JSON.stringify(current)}`, file: current, count, most },
      );
    }

    /** The keys of elements stay as they are, so that a field has the same key in all files. */
    function checkFields(recognised: ReturnType<Intake['recognised']>) {
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
        cells[place - OWN.length] = cell;
      }
      return `${own}${Array.from(cells, (cell = '') => `,${JSON.stringify(cell)}`).join('')}]`;
    }

    /** An element that already names its file, for instance in a retry file, stays as it is. */
    function mergedElement(original: string, line: number) {
      if (OWN.some((name) => seen.has(name))) return original;
      const rest = original.slice(1).trimStart();
      return `{"_file":${JSON.stringify(current)},"_file_row":${line}${rest.startsWith('}') ? '' : ','}${rest}`;
    }

    return { take, originalOf };
  }

  return { names, file };
}
