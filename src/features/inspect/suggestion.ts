import { ID } from '../../chat/service/ids.ts';
import { option, shapeOption, type Words, words } from '../../errors/named-options.ts';
import { listed, shown } from '../../imports/read/intake-error.ts';
import { isDamagedNumber } from '../../imports/read/shape/field-sources.ts';
import { REGIONS } from '../../membership/membership.ts';
import type { LookupName } from '../../options/lookups.ts';
import { separatorText } from '../../options/option-texts.ts';
import type { RecipeSettings } from '../recipes/recipe.ts';
import { type ColumnFacts, CROSS, DN, EMAIL } from './column-facts.ts';
import { groupName, isFlag, isPath, userRank } from './column-names.ts';
import { isNothing } from './meanings.ts';
import { isOpen, OPEN_SCOPE, scopeMeaning, scopeRank, scopeWordsOf, statesIn } from './states.ts';
import { isWithoutHeader, withoutHeader } from './without-header.ts';

/** The options that a file needs before it can be read. */
export interface Suggestion {
  readonly settings: RecipeSettings;
  /** Additions that the user has to make: a group for all rows, a file that knows the UIDs. */
  readonly needs: ReadonlySet<'guid' | LookupName>;
  readonly advice: readonly Words[];
  /** The advice about what only the user can say: what is a column or a word for? */
  readonly open: readonly Words[];
}

/** In place of a column that only the user can name; an import refuses it. */
const OPEN_COLUMN = '<column>';

interface Asked {
  readonly columns: readonly ColumnFacts[];
  /** Field -> column, as the file would be read. */
  readonly recognised: Readonly<Partial<Record<string, string>>>;
  /** A group for all rows is given. */
  readonly hasGuid: boolean;
  /** An identity file or a template gives the UIDs. */
  readonly hasUid?: boolean;
  /** The names of the columns are in a row of a table. */
  readonly isTable: boolean;
}

export function suggest({ columns, recognised, hasGuid, hasUid = false, isTable }: Asked): Suggestion {
  if (isTable && isWithoutHeader(columns, recognised)) return withoutHeader(columns, hasGuid);
  const found: Found = { map: {}, shape: {}, where: [], needs: new Set(), advice: [], open: [] };
  const named = (field: string) => columns.find(({ name }) => name === recognised[field]);

  const known = named('uid');
  const [user, ...others] = usersIn(
    columns.filter((one) => one !== named('guid')),
    known,
  );
  aboutUser(user, others, { isRecognised: user === known, hasUid }, found);

  const group = named('guid');
  const marks = columns.filter(({ looksLike }) => looksLike === 'mark');
  const isGroup = group !== undefined && !['empty', 'mark', 'date'].includes(group.looksLike);
  const groups = isGroup ? [group] : groupsIn(columns.filter((one) => one !== user && one !== group));
  if (!hasGuid) {
    if (group !== undefined && !isGroup && group.looksLike !== 'empty' && groups.length === 0) {
      found.map['guid'] = OPEN_COLUMN;
      ask(
        found,
        words`Column ${shown(group.name)} looks like ${group.looksLike}s: name the groups with ${option('map', 'guid=COLUMN')}.`,
      );
    } else if (groups.length === 0 && marks.length > 1) aboutMarks(marks, columns, found);
    else if (groups.length === 0 && user?.isList === true) {
      found.map['guid'] = OPEN_COLUMN;
      ask(
        found,
        words`Each element has a list of users, and no group that is certain: name it with ${option('map', 'guid=COLUMN')}.`,
      );
    } else aboutGroup(groups, isGroup, found);
  }

  const rest = columns.filter((one) => one !== user && !groups.includes(one));
  const scope = named('scope') ?? scopeIn(rest);
  aboutScope(scope, recognised['scope'] !== undefined, found);
  aboutRegion(named('region'), found);
  for (const column of [user, ...groups]) if (column !== undefined) aboutNothing(column, found);
  for (const { condition, advice } of statesIn(rest.filter((one) => one !== scope))) {
    found.where.push(condition);
    if (isOpen(condition)) ask(found, advice);
    else found.advice.push(advice);
  }
  return suggestionOf(found);
}

function suggestionOf({ map, shape, where, needs, advice, open }: Found) {
  const read = { ...shape, ...(where.length > 0 && { where }) };
  return {
    settings: {
      ...(Object.keys(map).length > 0 && { map }),
      ...(Object.keys(read).length > 0 && { shape: read }),
    },
    needs,
    advice,
    open,
  };
}

/** The settings without what only the user can say. */
export function withoutOpen({ map = {}, shape, ...rest }: RecipeSettings): RecipeSettings {
  const { where = [], scopeWords = {}, ...others } = shape ?? {};
  const known = where.filter((condition) => !isOpen(condition));
  const meant = Object.fromEntries(Object.entries(scopeWords).filter(([, scope]) => scope !== (OPEN_SCOPE as string)));
  const read = {
    ...others,
    ...(known.length > 0 && { where: known }),
    ...(Object.keys(meant).length > 0 && { scopeWords: meant }),
  };
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
  readonly where: NonNullable<NonNullable<RecipeSettings['shape']>['where']>;
  readonly needs: Set<'guid' | LookupName>;
  readonly advice: Words[];
  readonly open: Words[];
}

/** Adds advice about what only the user can say. */
function ask({ advice, open }: Found, text: Words) {
  advice.push(text);
  open.push(text);
}

/** Whether a column that is called like the user may be it by its values. */
function isUser(column: ColumnFacts | undefined): column is ColumnFacts {
  return column !== undefined && !['empty', 'mark', 'date', 'name', 'status'].includes(column.looksLike);
}

/** The users: the column that is called so, else others that may be, else its names, which an identity file may have. */
function usersIn(columns: readonly ColumnFacts[], known: ColumnFacts | undefined) {
  const byName = known?.looksLike === 'name' ? [known] : [];
  if (isUser(known)) return [known];
  const others = users(columns);
  return others.length === 0 ? byName : others;
}

/** The columns that say most surely who the member is: one, or several that a person must choose from. */
function users(columns: readonly ColumnFacts[]) {
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
function groupsIn(columns: readonly ColumnFacts[]) {
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
function idRank({ name, looksLike }: ColumnFacts) {
  if (isPath(name)) return 5;
  if (looksLike === 'email') return 1;
  const isId = groupName(name)?.isId === true;
  return (isId ? 2 : 0) + (looksLike === 'name' || looksLike === 'text' ? 1 : 2);
}

function surest(columns: readonly ColumnFacts[], rankOf: (column: ColumnFacts) => number) {
  const ranked = columns.map((column) => ({ column, rank: rankOf(column) }));
  const most = Math.max(0, ...ranked.map(({ rank }) => rank));
  return most === 0 ? [] : ranked.filter(({ rank }) => rank === most).map(({ column }) => column);
}

function aboutUser(
  uid: ColumnFacts | undefined,
  others: readonly ColumnFacts[],
  { isRecognised, hasUid }: { readonly isRecognised: boolean; readonly hasUid: boolean },
  found: Found,
) {
  const { map, shape, needs, advice } = found;
  const choose = option('map', 'uid=COLUMN');
  if (uid === undefined || others.length > 0) {
    map['uid'] = OPEN_COLUMN;
    ask(
      found,
      uid === undefined
        ? words`No column is surely the users: name it with ${choose}.`
        : words`Columns ${listed([uid, ...others].map(({ name }) => name))} may all be the users: choose one with ${choose}.`,
    );
    return;
  }
  const quoted = shown(uid.name);
  const bad = uid.examples.find((example) => !ID.test(example) && !isNothing(example));
  if (!isRecognised) map['uid'] = uid.name;
  if (hasUid) return;
  const isEmail =
    uid.looksLike === 'email' || (uid.separator !== undefined && uid.examples.some((one) => /@/.test(one)));
  if (uid.separator !== undefined) {
    shape.split = { ...shape.split, uid: uid.separator };
    advice.push(words`Column ${quoted} has several users in a cell: ${splitOption('uid', uid.separator)}.`);
  }
  const identities = option('identities', 'FILE');
  const template = `{${uid.name}|slug}`;
  const derive = shapeOption('uid', template, { templates: { uid: template } });
  if (isEmail) {
    needs.add('identities');
    advice.push(
      words`Column ${quoted} looks like e-mail addresses; UIDs may not contain @: use ${identities}, a file that has the UID for each address, or ${derive}.`,
    );
  } else if (bad !== undefined && isDamagedNumber(bad)) {
    ask(
      found,
      words`Column ${quoted} has numbers that a program has changed, such as ${shown(bad)}: export it with that column as text.`,
    );
  } else if (uid.separator === undefined && bad !== undefined) {
    needs.add('identities');
    advice.push(
      words`Column ${quoted} has values that are no UIDs, such as ${shown(bad)}: use ${identities}, a file that has the UID for each, or ${derive}.`,
    );
  } else if (!isRecognised && uid.separator === undefined) {
    advice.push(words`Column ${quoted} looks like users: ${option('map', `uid=${uid.name}`)}.`);
  }
}

function splitOption(field: 'uid' | 'guid', separator: string) {
  return shapeOption('split', `${field}=${separatorText(separator)}`, { split: { [field]: separator } });
}

/** Columns of marks are groups where they are called so, or have crosses and are no flags such as "Paid". */
function aboutMarks(marks: readonly ColumnFacts[], columns: readonly ColumnFacts[], { shape, needs, advice }: Found) {
  const flagless = marks.filter(({ name }) => !isFlag(name));
  const isCrossed = ({ few }: ColumnFacts) => few?.keys().some((word) => CROSS.test(word)) === true;
  const crossed = flagless.filter((column) => isCrossed(column) || groupName(column.name) !== undefined);
  const pattern = patternFor(crossed, columns);
  if (crossed.length < 2) {
    needs.add('guid');
    advice.push(words`No column is surely groups: ${option('guid', 'GROUP')} puts all rows into one.`);
    return;
  }
  shape.wide = {
    columns: pattern ?? crossed.map(({ name }) => name),
    ...(crossed.some(({ name }) => !ID.test(name)) && { guid: '{column|slug}' }),
  };
  const wide = shapeOption('wide', shape.wide.columns.join(','), { wide: shape.wide });
  advice.push(
    words`Columns ${listed(crossed.map(({ name }) => name))} have marks in them: ${wide} reads each as a group, * means any text.`,
  );
}

function aboutGroup(groups: readonly ColumnFacts[], isRecognised: boolean, found: Found) {
  const { map, shape, needs, advice } = found;
  const [guid, ...others] = groups;
  if (guid === undefined) {
    needs.add('guid');
    advice.push(words`No column looks like groups: ${option('guid', 'GROUP')} puts all rows into one.`);
    return;
  }
  if (others.length > 0) {
    map['guid'] = OPEN_COLUMN;
    const names = listed(groups.map(({ name }) => name));
    ask(found, words`Columns ${names} may all be the groups: choose one with ${option('map', 'guid=COLUMN')}.`);
    return;
  }
  const quoted = shown(guid.name);
  const values = [...(guid.few?.keys() ?? guid.examples)].filter((one) => !isNothing(one));
  const parts = guid.separator === undefined ? values : values.flatMap((one) => one.split(guid.separator as string));
  const bad = parts.map((part) => part.trim()).find((part) => !ID.test(part));
  if (bad !== undefined && guid.separator === undefined && guid.isList !== true && mayBeSeveral(values)) {
    map['guid'] = OPEN_COLUMN;
    ask(
      found,
      words`Column ${quoted} may have several groups in a cell, such as ${shown(bad)}: split it with ${splitOption('guid', ',')}, or make one GUID of it with ${option('map', `guid={${guid.name}|slug}`)}.`,
    );
    return;
  }
  if (guid.separator !== undefined) {
    shape.split = { ...shape.split, guid: guid.separator };
    advice.push(words`Column ${quoted} has several groups in a cell: ${splitOption('guid', guid.separator)}.`);
  }
  if (bad !== undefined && isDamagedNumber(bad)) {
    if (!isRecognised) map['guid'] = guid.name;
    ask(
      found,
      words`Column ${quoted} has numbers that a program has changed, such as ${shown(bad)}: export it with that column as text.`,
    );
  } else if (bad !== undefined) {
    const template = `{${guid.name}|${DN.test(bad) ? 'rdn|' : guid.looksLike === 'email' ? 'localpart|' : ''}slug}`;
    shape.templates = { guid: template };
    advice.push(
      words`Column ${quoted} has values that are no GUIDs, such as ${shown(bad)}: the template '${template}' makes some of them.`,
    );
  } else if (!isRecognised) {
    map['guid'] = guid.name;
    advice.push(words`Column ${quoted} looks like groups: ${option('map', `guid=${guid.name}`)}.`);
  }
}

/** Whether a comma, a semicolon or a bar may separate groups, though it is not sure. */
function mayBeSeveral(values: readonly string[]) {
  return values.some((value) => /[,;|\n]/.test(value) && !DN.test(value));
}

/** A region is one of the service's: a column that is called so and has other words is about something else. */
function aboutRegion(region: ColumnFacts | undefined, { map, advice }: Found) {
  const foreign = region?.examples.find((example) => !REGIONS.some((known) => known === example.trim().toLowerCase()));
  if (region === undefined || foreign === undefined) return;
  map['region'] = '';
  advice.push(
    words`Column ${shown(region.name)} is not a region of the service, it has values such as ${shown(foreign)}: ${option('map', 'region=')} ignores it.`,
  );
}

/** Leaves out what stands for no value. */
function aboutNothing({ name, few, isList }: ColumnFacts, { where, advice }: Found) {
  const nothing = [...(few?.keys() ?? [])].filter(isNothing);
  if (nothing.length === 0 || isList === true) return;
  const condition = { column: name, isNot: nothing };
  where.push(condition);
  const why = words`Column ${shown(name)} has ${listed(nothing)}, which stands for no value`;
  advice.push(
    words`${why}: ${shapeOption('where', `${name}!=${nothing.join('|')}`, { where: [condition] })} leaves such rows out.`,
  );
}

/** `Team *`, where columns are called so and no other is: in the next file, or the next of a folder, there may be other teams. */
function patternFor(marks: readonly ColumnFacts[], columns: readonly ColumnFacts[]) {
  const names = marks.map(({ name }) => name);
  const [first = ''] = names;
  const length = [...first].findIndex((_, index) => !names.every((name) => name.startsWith(first.slice(0, index + 1))));
  const [prefix] = /^.*[\s_:-]/.exec(first.slice(0, Math.max(length, 0))) ?? [];
  if (prefix === undefined || prefix.includes('*')) return undefined;
  return columns.some((column) => !marks.includes(column) && column.name.startsWith(prefix))
    ? undefined
    : [`${prefix}*`];
}

/** The column with words for scopes: its words are known, or it is called so. */
function scopeIn(columns: readonly ColumnFacts[]) {
  const [first, ...others] = surest(columns, scopeRank);
  return others.length > 0 ? undefined : first;
}

function aboutScope(scope: ColumnFacts | undefined, isRecognised: boolean, found: Found) {
  const { map, shape, advice } = found;
  if (scope === undefined || scope.looksLike === 'empty') return;
  const said =
    scopeRank(scope) === 0 ? undefined : scopeWordsOf(scope, isRecognised ? undefined : `scope=${scope.name}`);
  if (scopeRank(scope) === 0) {
    const known = scope.examples.find((example) => scopeMeaning(example) !== undefined);
    map['scope'] = known === undefined ? '' : OPEN_COLUMN;
    const column = words`Column ${shown(scope.name)}`;
    if (known === undefined) advice.push(words`${column} is not a scope: ${option('map', 'scope=')} ignores it.`);
    else
      ask(
        found,
        words`${column} has many words, ${shown(known)} among them: say with ${option('scopeWords')} which scope each means, or ignore it with ${option('map', 'scope=')}.`,
      );
    return;
  }
  if (!isRecognised) map['scope'] = scope.name;
  if (said === undefined) return;
  shape.scopeWords = said.words as NonNullable<typeof shape.scopeWords>;
  if (said.isOpen) ask(found, said.advice);
  else advice.push(said.advice);
}
