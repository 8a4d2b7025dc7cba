import { ID } from '../../chat/service/ids.ts';
import { listed, shown } from '../../imports/read/intake-error.ts';
import { SCOPES } from '../../membership/membership.ts';
import type { LookupName } from '../../options/lookups.ts';
import { OPEN_VALUE } from '../../options/option-texts.ts';
import type { RecipeSettings } from '../recipes/recipe.ts';
import { type ColumnFacts, CROSS, DATE, EMAIL } from './column-facts.ts';
import { groupName, isFlag, isPath, isRole, userRank, wordsOf } from './column-names.ts';
import { isNoMember, statesIn } from './states.ts';
import { typed } from './typed-import.ts';

/** The options that a file needs before it can be read. */
export interface Suggestion {
  readonly settings: RecipeSettings;
  /** Additions that the user has to make: a group for all rows, a file that knows the UIDs. */
  readonly needs: ReadonlySet<'guid' | LookupName>;
  readonly advice: readonly string[];
}

const IS_SCOPE = new RegExp(`^(?:(?:${SCOPES.join('|')})s?|banned|users?toban)$`, 'i');
/** In place of a column that only the user can name; an import refuses it. */
const OPEN_COLUMN = '<column>';

type ScopeMeaning = 'admin' | 'moderator' | 'ban' | 'none';

/** Words for scopes in the exports of other systems. */
const SCOPE_GUESSES: readonly (readonly [RegExp, 'admin' | 'moderator' | 'ban'])[] = [
  [
    /^(?:owner|admin|administrator|inhaber|eigentümer|besitzer|propietario|propriétaire|administrateur)(?:in)?s?$/i,
    'admin',
  ],
  [
    /^(?:manager|moderator|teacher|professor|faculty|instructor|leader|lead|maintainer|ta|leiter|lehrer|moderador|profesor|professeur|moderatore|insegnante)(?:in)?s?$/i,
    'moderator',
  ],
  [/^(?:ban|banned|gesperrt)s?$/i, 'ban'],
];

interface Asked {
  readonly columns: readonly ColumnFacts[];
  /** Field -> column, as the file would be read. */
  readonly recognised: Readonly<Partial<Record<string, string>>>;
  /** A group for all rows is given. */
  readonly hasGuid: boolean;
  /** An identity file or a template gives the UIDs. */
  readonly hasUid?: boolean;
}

export function suggest({ columns, recognised, hasGuid, hasUid = false }: Asked): Suggestion {
  if (isWithoutHeader(columns, recognised)) return withoutHeader(columns, hasGuid);
  const found: Found = { map: {}, shape: {}, needs: new Set(), advice: [] };
  const named = (field: string) => columns.find(({ name }) => name === recognised[field]);

  const known = named('uid');
  const [user, ...others] = isUser(known) ? [known] : users(columns.filter((one) => one !== named('guid')));
  aboutUser(user, others, { isRecognised: isUser(known), hasUid }, found);

  const group = named('guid');
  const marks = columns.filter(({ looksLike }) => looksLike === 'mark');
  const isGroup = group !== undefined && group.looksLike !== 'empty' && group.looksLike !== 'mark';
  const groups = isGroup ? [group] : groupsIn(columns.filter((one) => one !== user));
  if (!hasGuid) {
    if (groups.length === 0 && marks.length > 1) aboutMarks(marks, columns, found);
    else if (groups.length === 0 && user?.isList === true) {
      found.map['guid'] = OPEN_COLUMN;
      found.advice.push(
        'Each element has a list of users, and no group that is certain: name it with --map guid=COLUMN.',
      );
    } else aboutGroup(groups, isGroup, found);
  }

  const rest = columns.filter((one) => one !== user && !groups.includes(one));
  const scope = named('scope') ?? scopeIn(rest);
  aboutScope(scope, recognised['scope'] !== undefined, found);
  const states = statesIn(rest.filter((one) => one !== scope));
  found.advice.push(...states.advice);
  if (states.where.length > 0) found.shape.where = [...states.where];
  const { map, shape, needs, advice } = found;
  return {
    settings: {
      ...(Object.keys(map).length > 0 && { map }),
      ...(Object.keys(shape).length > 0 && { shape }),
    },
    needs,
    advice,
  };
}

/** The settings without what only the user can say. */
export function withoutOpen({ map = {}, shape, ...rest }: RecipeSettings): RecipeSettings {
  const { where = [], ...others } = shape ?? {};
  const known = where.filter(({ is }) => is?.[0] !== OPEN_VALUE);
  const read = { ...others, ...(known.length > 0 && { where: known }) };
  const mapped = Object.fromEntries(Object.entries(map).filter(([, column]) => column !== OPEN_COLUMN));
  return {
    ...rest,
    ...(Object.keys(mapped).length > 0 && { map: mapped }),
    ...(Object.keys(read).length > 0 && { shape: read }),
  };
}

interface Found {
  readonly map: Record<string, string>;
  readonly shape: NonNullable<RecipeSettings['shape']>;
  readonly needs: Set<'guid' | LookupName>;
  readonly advice: string[];
}

/** Whether a column that is called like the user may be it by its values. */
function isUser(column: ColumnFacts | undefined): column is ColumnFacts {
  return column !== undefined && !['empty', 'mark', 'date', 'name', 'status'].includes(column.looksLike);
}

/** The columns that say most surely who the member is: one, or several that a person must choose from. */
function users(columns: readonly ColumnFacts[]): ColumnFacts[] {
  return surest(columns, ({ name, looksLike, separator, examples, filled, different }) => {
    // The host of all meetings is no member of each.
    if (filled > 1 && different === 1) return 0;
    if (!['id', 'email', 'list', 'text', 'name'].includes(looksLike)) return 0;
    if (looksLike !== 'list' && examples.some((example) => /[\s{[]/.test(example))) return 0;
    const isEmail = looksLike === 'email' || (separator !== undefined && examples.some((one) => EMAIL.test(one)));
    return userRank(name, isEmail);
  });
}

/** The columns that say most surely what the group is. One of them is the id where the others are names of the same. */
function groupsIn(columns: readonly ColumnFacts[]): ColumnFacts[] {
  const rankOf = (column: ColumnFacts) =>
    ['empty', 'mark', 'date'].includes(column.looksLike) ||
    isFlag(column.name) ||
    column.examples.some((one) => /^[{[]/.test(one))
      ? 0
      : (groupName(column.name)?.rank ?? 0);
  const all = surest(columns, rankOf);
  const kinds = new Set(all.map(({ name }) => groupName(name)?.entity));
  if (kinds.size !== 1) return all;
  const places = columns.filter(({ name, filled }) => isPath(name) && filled > 0);
  return surest([...all, ...places], idRank);
}

/** Ids before plain names, names before addresses. */
function idRank({ name, looksLike }: ColumnFacts): number {
  if (isPath(name)) return 5;
  if (looksLike === 'email') return 1;
  const isId = groupName(name)?.isId === true;
  return (isId ? 2 : 0) + (looksLike === 'name' || looksLike === 'text' ? 1 : 2);
}

function surest(columns: readonly ColumnFacts[], rankOf: (column: ColumnFacts) => number): ColumnFacts[] {
  const ranked = columns.map((column) => ({ column, rank: rankOf(column) }));
  const most = Math.max(0, ...ranked.map(({ rank }) => rank));
  return most === 0 ? [] : ranked.filter(({ rank }) => rank === most).map(({ column }) => column);
}

function aboutUser(
  uid: ColumnFacts | undefined,
  others: readonly ColumnFacts[],
  { isRecognised, hasUid }: { readonly isRecognised: boolean; readonly hasUid: boolean },
  { map, shape, needs, advice }: Found,
): void {
  if (uid === undefined || others.length > 0) {
    map['uid'] = OPEN_COLUMN;
    advice.push(
      uid === undefined
        ? 'No column is surely the users: name it with --map uid=COLUMN.'
        : `Columns ${listed([uid, ...others].map(({ name }) => name))} may all be the users: choose one with --map uid=COLUMN.`,
    );
    return;
  }
  const quoted = shown(uid.name);
  const bad = uid.examples.find((example) => !ID.test(example));
  if (!isRecognised) map['uid'] = uid.name;
  if (hasUid) return;
  const isEmail =
    uid.looksLike === 'email' || (uid.separator !== undefined && uid.examples.some((one) => /@/.test(one)));
  if (uid.separator !== undefined) {
    shape.split = { ...shape.split, uid: uid.separator };
    advice.push(`Column ${quoted} has several users in a cell: --split "uid=${uid.separator}".`);
  }
  if (isEmail) {
    needs.add('identities');
    advice.push(
      `Column ${quoted} looks like e-mail addresses; UIDs may not contain @: use --identities FILE, a file that has the UID for each address, or --uid '{${uid.name}|slug}'.`,
    );
  } else if (uid.separator === undefined && bad !== undefined) {
    needs.add('identities');
    advice.push(
      `Column ${quoted} has values that are no UIDs, such as ${shown(bad)}: use --identities FILE, a file that has the UID for each, or --uid '{${uid.name}|slug}'.`,
    );
  } else if (!isRecognised && uid.separator === undefined) {
    advice.push(`Column ${quoted} looks like users: --map ${typed(`uid=${map['uid']}`)}.`);
  }
}

/** Columns of marks are groups where they are called so, or have crosses and are no flags such as "Paid". */
function aboutMarks(
  marks: readonly ColumnFacts[],
  columns: readonly ColumnFacts[],
  { shape, needs, advice }: Found,
): void {
  const flagless = marks.filter(({ name }) => !isFlag(name));
  const crossed = flagless.filter(({ name, few = [] }) => few.some((word) => CROSS.test(word)) || groupName(name));
  const pattern = patternFor(crossed, columns);
  if (crossed.length < 2) {
    needs.add('guid');
    advice.push('No column is surely groups: --guid GROUP puts all rows into one.');
    return;
  }
  shape.wide = {
    columns: pattern ?? crossed.map(({ name }) => name),
    ...(crossed.some(({ name }) => !ID.test(name)) && { guid: '{column|slug}' }),
  };
  advice.push(
    `Columns ${listed(crossed.map(({ name }) => name))} have marks in them: --wide reads each as a group, * means any text.`,
  );
}

function aboutGroup(groups: readonly ColumnFacts[], isRecognised: boolean, { map, shape, needs, advice }: Found): void {
  const [guid, ...others] = groups;
  if (guid === undefined) {
    needs.add('guid');
    advice.push('No column looks like groups: --guid GROUP puts all rows into one.');
    return;
  }
  if (others.length > 0) {
    map['guid'] = OPEN_COLUMN;
    advice.push(
      `Columns ${listed(groups.map(({ name }) => name))} may all be the groups: choose one with --map guid=COLUMN.`,
    );
    return;
  }
  const quoted = shown(guid.name);
  if (guid.isList === true) {
    if (isRecognised && guid.looksLike === 'id') return;
    map['guid'] = guid.looksLike === 'id' ? guid.name : `{${guid.name}|slug}`;
    advice.push(`Column ${quoted} has lists of groups: --map ${typed(`guid=${map['guid']}`)}.`);
  } else if (guid.separator !== undefined) {
    if (!isRecognised) map['guid'] = guid.name;
    shape.split = { ...shape.split, guid: guid.separator };
    advice.push(`Column ${quoted} has several groups in a cell: --split "guid=${guid.separator}".`);
  } else if (['id', 'scope', 'status'].includes(guid.looksLike) && guid.examples.every((one) => ID.test(one))) {
    if (isRecognised) return;
    map['guid'] = guid.name;
    advice.push(`Column ${quoted} looks like groups: --map ${typed(`guid=${guid.name}`)}.`);
  } else {
    const functions = guid.looksLike === 'email' ? 'localpart|slug' : 'slug';
    const bad = guid.examples.find((example) => !ID.test(example)) ?? guid.examples[0] ?? '';
    shape.templates = { guid: `{${guid.name}|${functions}}` };
    advice.push(
      `Column ${quoted} has values that are no GUIDs, such as ${shown(bad)}: the template '{${guid.name}|${functions}}' makes some of them.`,
    );
  }
}

/** `Team *`, where columns are called so and no other is: in the next file, or the next of a folder, there may be other teams. */
function patternFor(marks: readonly ColumnFacts[], columns: readonly ColumnFacts[]): string[] | undefined {
  const names = marks.map(({ name }) => name);
  const [first = ''] = names;
  const length = [...first].findIndex((_, index) => !names.every((name) => name.startsWith(first.slice(0, index + 1))));
  const [prefix] = /^.*[\s_:-]/.exec(first.slice(0, Math.max(length, 0))) ?? [];
  if (prefix === undefined || prefix.includes('*')) return undefined;
  return columns.some((column) => !marks.includes(column) && column.name.startsWith(prefix))
    ? undefined
    : [`${prefix}*`];
}

/** Whether the header is really a row: its cells are values like those below them. */
function isWithoutHeader(columns: readonly ColumnFacts[], recognised: Asked['recognised']): boolean {
  if (columns.length < 2 || Object.keys(recognised).length > 0) return false;
  if (columns.some(({ name }) => EMAIL.test(name) || DATE.test(name) || /^\d+$/.test(name))) return true;
  return (
    columns.every(({ name, looksLike }) => looksLike === 'id' && ID.test(name)) &&
    columns.some(({ name }) => /\d/.test(name))
  );
}

/** Names for the columns of a file without a header: users are those that differ most. */
function withoutHeader(columns: readonly ColumnFacts[], hasGuid: boolean): Suggestion {
  const ids = columns.filter(({ looksLike }) => looksLike === 'id' || looksLike === 'email');
  const byDifference = ids.toSorted((a, b) => b.different - a.different);
  const uid = ids.find(({ looksLike }) => looksLike === 'email') ?? byDifference[0];
  const guid = hasGuid ? undefined : byDifference.findLast((one) => one !== uid && one.looksLike === 'id');
  const names = columns.map((column) => (column === uid ? 'uid' : column === guid ? 'guid' : '-'));
  const isEmail = uid?.looksLike === 'email';
  return {
    settings: { shape: { columns: names } },
    needs: new Set([
      ...(isEmail ? (['identities'] as const) : []),
      ...(guid === undefined && !hasGuid ? (['guid'] as const) : []),
    ]),
    advice: [
      `The first line looks like a row, not like a header: --columns ${names.join(',')} names the columns; - is one that is not needed.`,
      ...(isEmail
        ? [
            'The users are e-mail addresses; UIDs may not contain @: use --identities FILE, a file that has the UID for each address.',
          ]
        : []),
    ],
  };
}

/** The column with words for scopes: its words are known, or it is called so. */
function scopeIn(columns: readonly ColumnFacts[]): ColumnFacts | undefined {
  const [first, ...others] = surest(columns, ({ name, looksLike, few = [] }) => {
    if (looksLike !== 'scope') return 0;
    const known = few.filter((word) => IS_SCOPE.test(word) || meaningOf(word) !== undefined).length;
    if (isRole(name)) return known > 0 ? 4 : 3;
    return known > 0 && !/\b(?:type|kind|status|state|title|job)\b/.test(wordsOf(name)) ? 2 : 0;
  });
  return others.length > 0 ? undefined : first;
}

function aboutScope(scope: ColumnFacts | undefined, isRecognised: boolean, { map, shape, advice }: Found): void {
  if (scope === undefined) return;
  const quoted = shown(scope.name);
  if (scope.words === undefined) {
    if (!isRecognised || scope.looksLike === 'empty') return;
    map['scope'] = '';
    advice.push(`Column ${quoted} is not a scope: --map scope= ignores it.`);
    return;
  }
  if (!isRecognised) map['scope'] = scope.name;
  const foreign = scope.words.filter((word) => !IS_SCOPE.test(word));
  if (foreign.length === 0) return;
  // Words of ours as well: * is any word that is not listed.
  const meanings = scope.words.map((word) => [word, meaningOf(word)] as const);
  const isNoneKnown = foreign.length === meanings.length && meanings.every(([, meaning]) => meaning === undefined);
  shape.scopeWords = {
    ...Object.fromEntries(
      // If none of them is known, all are listed for correction.
      meanings.flatMap(([word, meaning = isNoneKnown ? 'participant' : undefined]) =>
        meaning === undefined ? [] : [[word, meaning] as const],
      ),
    ),
    '*': 'participant',
  };
  const flags = `${isRecognised ? '' : `--map ${typed(`scope=${scope.name}`)} `}--scope-words`;
  advice.push(`Column ${quoted} has other words for scopes (${foreign.join(', ')}): map them with ${flags}.`);
}

function meaningOf(word: string): ScopeMeaning | undefined {
  return isNoMember(word) ? 'none' : SCOPE_GUESSES.find(([pattern]) => pattern.test(word))?.[1];
}
