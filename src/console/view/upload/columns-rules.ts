/** Decisions about the columns of a new file: what was seen in it, words that are open, columns that are missing, what is wrong where. Pure. */
import { CHOICES } from '../../../options/labels.ts';
import type { ByLookup } from '../../../options/lookups.ts';
import { distinctKeys } from '../../../text/distinct-keys.ts';
import { counted, grouped, sumOf } from '../../../text/wording.ts';
import type { Field, FileFacts, Preview, Shape, Values } from '../../answers.ts';
import { FIELDS } from '../../import-words.ts';
import { withControls } from '../../option-words.ts';
import { type Change, columnNames, openIn, partOf } from './file-options.ts';

/** Messages about fields that a preview misses, below the first rows. */
export const MISSING: Values = {
  uid: 'No column is recognised as the user. Choose “User (UID)” above the column that has it.',
  guid: 'No column is recognised as the group. Choose “Group (GUID)” above the column that has it, or enter one group for all rows.',
};

interface Looked extends Pick<Seen, 'sourceOf'> {
  /** The first rows; undefined before they are read, or if they cannot be. */
  found: { value: Pick<Preview, 'missing'> | undefined };
  isReading: { value: boolean };
  /** The server only reads it whole. */
  isTooLarge: { value: boolean };
}

/** Whether the file can be read whole now; else the fields that are missing, and were not chosen since it was last read. */
export function readinessOf(form: Looked) {
  if (form.isTooLarge.value) return 'ready';
  if (form.found.value === undefined) return form.isReading.value ? 'reading' : 'refused';
  const missing = form.found.value.missing.filter((field) => field in MISSING && form.sourceOf(field as Field) === '');
  return missing.length === 0 ? 'ready' : missing;
}

type Step = FileFacts['steps'][number];

export interface Suggestion {
  key: string;
  column?: string;
  /** The observation, without the column. */
  text: string;
  /** The possible changes, or a field that it leads to; the first is part of "apply all". */
  ways: readonly { label: string; change?: Change; focus?: string }[];
}

/** The facts of a file, and the decisions about it. */
interface Seen {
  isImport: boolean;
  facts: { value: FileFacts | undefined };
  shape: { value: Shape };
  lookups: { value: ByLookup<unknown> };
  refused: { value: ReadonlySet<string> };
  get: (name: string) => string;
  sourceOf: (field: Field) => string;
  columnOf: (field: Field) => string;
}

export function suggestionsFor(form: Seen): Suggestion[] {
  const facts = form.facts.value;
  // A recipe says itself what it needs.
  if (facts === undefined || form.get('recipe') !== '') return [];
  const { headerRow, columns } = facts.steps[0]?.settings?.shape ?? {};
  // Other observations count from there: the file is read again.
  const steps = (headerRow ?? columns) === undefined ? facts.steps : facts.steps.slice(0, 1);
  const all = [...recipeSuggestions(facts, form), ...steps.flatMap((step) => suggestionsOf(step, form))];
  return all.filter(({ key }) => !form.refused.value.has(key));
}

function recipeSuggestions({ recipes: [recipe] }: FileFacts, { isImport }: Seen): Suggestion[] {
  if (recipe === undefined) return [];
  // A sync has no identity or group file, and recipes may need one.
  if (!isImport && recipe.needs.some(({ what }) => what !== 'guid')) return [];
  const ways = [{ label: 'Use this recipe', change: { recipe: recipe.name } }];
  return [{ key: 'recipe', text: `This looks like: ${recipe.title}.`, ways }];
}

function suggestionsOf(step: Step, form: Seen): Suggestion[] {
  const { map, shape = {} } = step.settings ?? {};
  if (map !== undefined) return columnSuggestions(map, form);
  const text = withControls(step.text);
  if (step.needs === 'identities') {
    if (form.get('uidFrom') !== '' || form.lookups.value.identities !== undefined) return [];
    const { shape: instead } = step.instead ?? {};
    const ways = [
      ...(form.isImport ? [{ label: 'Choose an identity file…', focus: 'identities' }] : []),
      ...(instead === undefined ? [] : [wayOf(instead)]),
    ];
    return [{ key: 'identities', text, ways }];
  }
  if (shape.scopeWords === undefined && Object.keys(shape).length > 0) {
    const isDecided = Object.keys(openIn(form.shape.value, shape)).length === 0;
    return isDecided ? [] : [{ key: JSON.stringify(shape), text, ways: [wayOf(shape)] }];
  }
  // Each word of a scope column is listed with a choice of its own.
  const isAsked = step.isOpen === true && !(wordsSeen(form) !== undefined && step.text.includes('scopeWords'));
  return isAsked ? [{ key: step.text, text, ways: [] }] : [];
}

function wayOf(shape: Shape) {
  const { columns } = shape;
  if (columns !== undefined) {
    // Of a file without a header, all columns are named by their number.
    const names = columnNames(columns.length);
    const map = Object.fromEntries(
      columns.map((field, at) => [field, names[at] ?? '']).filter(([field]) => field !== '-'),
    );
    return { label: 'Read it as a row', change: { shape: { ...shape, columns: names }, map } };
  }
  const [part = '', label = 'Leave out the other rows'] =
    Object.entries(WAYS).find(([place]) => partOf(shape, place) !== undefined) ?? [];
  const template = part.startsWith('templates.') ? ` ${partOf(shape, part)}` : '';
  return { label: `${label}${template}`, change: { shape } };
}

/** The effect of a suggestion, by the part of the shape that it brings. */
const WAYS: Values = {
  headerRow: 'Skip the rows above it',
  'split.guid': 'Split the groups',
  'split.uid': 'Split the users',
  wide: 'Read each as a group',
  'templates.uid': 'Make UIDs with',
  'templates.guid': 'Make GUIDs with',
};

function columnSuggestions(map: Readonly<Partial<Record<Field, string>>>, form: Seen): Suggestion[] {
  return (Object.entries(map) as [Field, string][])
    .filter(
      ([field, column]) =>
        partOf(form.shape.value, `templates.${field}`) === undefined && form.sourceOf(field) !== column,
    )
    .map(([field, given]) => {
      const name = { uid: 'user', guid: 'group' }[field as string] ?? field;
      const column = given || form.columnOf(field);
      const [seen, label] =
        given === '' ? ['It has other values than a', 'Ignore it as'] : ['It looks like the', 'Use it as the'];
      return {
        key: field,
        column,
        text: `${seen} ${name}.`,
        ways: [{ label: `${label} ${name}`, change: { map: { [field]: given } } }],
      };
    });
}

export function seenSentence(
  { rows, missing }: FileFacts,
  { lookups, found }: Pick<Seen, 'lookups'> & Pick<Looked, 'found'>,
) {
  const looked = `${counted(rows.seen, 'row')} ${rows.seen === 1 ? 'was' : 'were'} looked at`;
  // The grid says which columns are missing, and what is looked up.
  // The facts may be those with a suggested header row; as the file is read now, other columns may be missing.
  const isOpen = [...missing, ...(found.value?.missing ?? []), ...Object.keys(lookups.value)].length > 0;
  return isOpen ? `${looked}.` : `${looked}; ${grouped(rows.valid)} of them could be sent with these options.`;
}

/** Words that are scopes themselves, as the server reads them: whatever their case and separators. */
const SCOPES: readonly string[] = [...CHOICES.scope, 'banned'];

export interface ScopeWord {
  word: string;
  /** Rows among those that were looked at. */
  rows: number;
  /** The scope, or `none`; '' for one that nobody decided. */
  meaning: string;
  /** The meaning that it may have; '' for none. */
  suggested: string;
  /** It is a scope itself, or a cell without a word. */
  isPlain: boolean;
}

/** The words of the scope column, word → rows. A column without a name is never it: '' says that none is chosen. */
export function wordsSeen(form: Pick<Seen, 'facts' | 'columnOf'>) {
  const scopes = form.columnOf('scope');
  return scopes === '' ? undefined : form.facts.value?.columns.find(({ name }) => name === scopes)?.words;
}

/**
 * Every word of a scope column, those that are to be decided first.
 * @param seen word → rows @param own meanings that a person chose @param suggested meanings that were found
 */
export function scopeWordsIn(seen: Readonly<Record<string, number>>, own: Values, suggested: Values): ScopeWord[] {
  const words = [...new Set([...Object.keys(seen), ...Object.keys(own)])];
  return words
    .map((word) => {
      const scope = word
        .trim()
        .toLowerCase()
        .replace(/[\s_-]/g, '');
      const isPlain = scope === '' || SCOPES.includes(scope);
      const meaning = own[word] ?? (scope === '' ? 'participant' : isPlain ? scope : (own['*'] ?? ''));
      return { word, rows: seen[word] ?? 0, meaning, suggested: suggested[word] ?? '', isPlain };
    })
    .sort((a, b) => Number(a.isPlain) - Number(b.isPlain) || b.rows - a.rows);
}

/** Says how many words are open, and what becomes of their rows; '' if none is. */
export function openWords(words: readonly ScopeWord[]): string {
  const open = words.filter(({ meaning }) => meaning === '');
  if (open.length === 0) return '';
  const rows = sumOf(open.map((one) => one.rows));
  return `${counted(open.length, 'word')} ${open.length === 1 ? 'is' : 'are'} not decided: ${counted(rows, 'row')} with ${open.length === 1 ? 'it' : 'them'} will not be sent.`;
}

/**
 * The first rows of a file, with the memberships that each gives, and the problems that are said of it.
 * @param keyColumns their values are looked up, and need not be ids
 */
export function gridRows(
  { rows, columns, missing }: Pick<Preview, 'rows' | 'columns' | 'missing'>,
  most: number,
  keyColumns: readonly string[],
) {
  const byLine = Map.groupBy(rows, ({ line }) => line);
  // Before anything is chosen, all that would be said is that. A column that is not chosen yet is missed once, and not in each row.
  const isChosen = !(missing.includes('uid') && missing.includes('guid'));
  const unsaid = [...missing, ...keyColumns];
  return [...byLine].slice(0, most).map(([line, all]) => {
    const readAs = all.map(({ problems, ...row }) => ({
      ...row,
      problems: problems.filter(({ column }) => isChosen && !unsaid.includes(column)),
    }));
    const byColumn = Map.groupBy(
      readAs.flatMap(({ problems }) => problems),
      ({ column }) => (columns.includes(column) ? column : undefined),
    );
    return {
      line,
      original: all[0]?.original ?? {},
      readAs,
      isWrong: byColumn.size > 0,
      /** Those of a cell, or of no cell. */
      reasonsAt: (column?: string) => [...new Set(byColumn.get(column)?.map(({ reason }) => reason))],
    };
  });
}

export type GridRow = ReturnType<typeof gridRows>[number];

export interface GridColumn {
  column: string;
  /** The key of its cells in a row. */
  key: string;
  index: number;
  /** Fields are read by the names of columns: none from a column without one. */
  isNamed: boolean;
  uses: readonly Field[];
}

export function gridColumns(form: Pick<Seen, 'shape' | 'columnOf'>, names: readonly string[]): GridColumn[] {
  const used = choosable(form.shape.value).map(([field]) => [field, form.columnOf(field)] as const);
  const keys = distinctKeys(names);
  return names.map((column, index) => {
    const isNamed = column.trim() !== '';
    const uses = used.flatMap(([field, its]) => (isNamed && its === column ? [field] : []));
    return { column, key: keys[index] ?? column, index, isNamed, uses };
  });
}

/** The fields that a column can be chosen for: not those that a template makes. */
export function choosable(shape: Shape) {
  return FIELDS.filter(([field]) => partOf(shape, `templates.${field}`) === undefined);
}

/** The column at which a field is chosen, or could be: there the form shows its error. */
export function placeOf(field: Field, columns: readonly GridColumn[]) {
  const place =
    columns.find(({ uses }) => uses.includes(field)) ??
    columns.find(({ uses, isNamed }) => isNamed && uses.length === 0);
  return (place ?? columns[0])?.index;
}

/** Returns the use of a column that no field is read from; '' for none. */
export function otherUse(column: string, { templates, firstOf, wide, numbered, where = [] }: Shape) {
  const uses: Readonly<Record<string, readonly (string | undefined)[]>> = {
    'part of the UID': columnsOf(templates?.uid),
    'part of the GUID': columnsOf(templates?.guid),
    'UID, if others are empty': firstOf?.uid ?? [],
    'one of the groups': [...(wide?.columns ?? []), numbered?.guid],
    'one of the scopes': [numbered?.scope],
    'decides which rows count': where.map((condition) => condition.column),
  };
  const isOneOf = (patterns: readonly (string | undefined)[]) =>
    patterns.some((one) => one?.trim() && isLike(column, one.trim()));
  return Object.keys(uses).find((use) => isOneOf(uses[use] ?? [])) ?? '';
}

/** The columns that a template reads: `{E-mail|slug}`, `{Login ?? E-mail}`. */
function columnsOf(template = '') {
  return [...template.matchAll(/\{([^}|]*)/g)].flatMap(([, names = '']) => names.split('??'));
}

/** Whether a name is like a pattern, in which * or # stands for any text. */
function isLike(name: string, pattern: string) {
  const parts = pattern.split(/[*#]/).map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'is').test(name);
}
