import { ID } from '../../chat/service/ids.ts';
import { option, shapeOption, type Words, words } from '../../errors/named-options.ts';
import { listed, shown } from '../../imports/read/intake-error.ts';
import { isDamagedNumber } from '../../imports/read/shape/field-sources.ts';
import { REGIONS } from '../../membership/membership.ts';
import { separatorText } from '../../options/option-texts.ts';
import type { RecipeSettings } from '../recipes/recipe.ts';
import { type ColumnFacts, CROSS, DN, EMAIL } from './column-facts.ts';
import { groupName, isFlag, isPath, userRank } from './column-names.ts';
import { isNothing } from './meanings.ts';
import { isOpen, OPEN_SCOPE, type Step, scopeMeaning, scopeRank, scopeWordsOf, statesIn } from './states.ts';
import { isWithoutHeader, withoutHeader } from './without-header.ts';

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

export function suggest({ columns, recognised, hasGuid, hasUid = false, isTable }: Asked): readonly Step[] {
  if (isTable && isWithoutHeader(columns, recognised)) return withoutHeader(columns, hasGuid);
  const named = (field: string) => columns.find(({ name }) => name === recognised[field]);

  const known = named('uid');
  const [user, ...others] = usersIn(
    columns.filter((one) => one !== named('guid')),
    known,
  );
  const group = named('guid');
  const marks = columns.filter(({ looksLike }) => looksLike === 'mark');
  const isGroup = group !== undefined && !['empty', 'mark', 'date'].includes(group.looksLike);
  const groups = isGroup ? [group] : groupsIn(columns.filter((one) => one !== user && one !== group));
  const aboutGroups = () => {
    if (group !== undefined && !isGroup && group.looksLike !== 'empty' && groups.length === 0) {
      const seen = words`Column ${shown(group.name)} looks like ${group.looksLike}s`;
      return [openColumn('guid', words`${seen}: name the groups with ${option('map', 'guid=COLUMN')}.`)];
    }
    if (groups.length === 0 && marks.length > 1) return [aboutMarks(marks, columns)];
    if (groups.length > 0 || user?.isList !== true) return aboutGroup(groups, isGroup);
    const seen = 'Each element has a list of users, and no group that is certain';
    return [openColumn('guid', words`${seen}: name it with ${option('map', 'guid=COLUMN')}.`)];
  };
  const rest = columns.filter((one) => one !== user && !groups.includes(one));
  const scope = named('scope') ?? scopeIn(rest);
  return [
    ...aboutUser(user, others, { isRecognised: user === known, hasUid }),
    ...(hasGuid ? [] : aboutGroups()),
    ...aboutScope(scope, recognised['scope'] !== undefined),
    ...aboutRegion(named('region')),
    ...[user, ...groups].flatMap((column) => (column === undefined ? [] : aboutNothing(column))),
    ...statesIn(rest.filter((one) => one !== scope)),
  ];
}

/** A field whose column only the user can name. */
function openColumn(field: string, text: Words): Step {
  return { text, settings: { map: { [field]: OPEN_COLUMN } }, isOpen: true };
}

/** The settings of all steps together. */
export function settingsOf(steps: readonly Step[]): RecipeSettings {
  const all = steps.flatMap(({ settings }) => settings ?? []);
  const shapes = all.flatMap(({ shape }) => shape ?? []);
  const shape = filled({
    ...Object.assign({}, ...shapes),
    split: Object.assign({}, ...shapes.map(({ split }) => split)),
    where: shapes.flatMap(({ where = [] }) => where),
  });
  return filled({ map: Object.assign({}, ...all.map(({ map }) => map)), shape });
}

/** The settings of a step without what only the user can say. */
export function withoutOpen({ settings: { map = {}, shape = {} } = {} }: Step): RecipeSettings {
  const { where = [], scopeWords = {} } = shape;
  const known = (values: object) =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== OPEN_COLUMN && value !== OPEN_SCOPE));
  const said = { ...shape, where: where.filter((condition) => !isOpen(condition)), scopeWords: known(scopeWords) };
  return filled({ map: known(map), shape: filled(said) });
}

/** Without objects and lists that are empty. */
function filled(values: object) {
  const isEmpty = (value: unknown) => typeof value === 'object' && Object.keys(Object(value)).length === 0;
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)));
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
): Step[] {
  const choose = option('map', 'uid=COLUMN');
  if (uid === undefined) return [openColumn('uid', words`No column is surely the users: name it with ${choose}.`)];
  if (others.length > 0) {
    const names = listed([uid, ...others].map(({ name }) => name));
    return [openColumn('uid', words`Columns ${names} may all be the users: choose one with ${choose}.`)];
  }
  const settings = { map: { uid: uid.name } };
  const steps: Step[] = isRecognised ? [] : [{ settings }];
  if (hasUid) return steps;
  const quoted = shown(uid.name);
  const bad = uid.examples.find((example) => !ID.test(example) && !isNothing(example));
  const { separator } = uid;
  const isEmail = uid.looksLike === 'email' || (separator !== undefined && uid.examples.some((one) => /@/.test(one)));
  if (separator !== undefined) steps.push(splitStep('uid', separator, words`Column ${quoted} has several users`));
  const templates = { uid: `{${uid.name}|slug}` };
  const derive = shapeOption('uid', templates.uid, { templates });
  const use = words`use ${option('identities', 'FILE')}, a file that has the UID for each`;
  if (isEmail) {
    const seen = words`Column ${quoted} looks like e-mail addresses; UIDs may not contain @`;
    const instead = { shape: { templates: { uid: `{${uid.name}|localpart|slug}` } } };
    steps.push({ text: words`${seen}: ${use} address, or ${derive}.`, needs: 'identities', instead });
  } else if (bad !== undefined && isDamagedNumber(bad)) steps.push(damaged(quoted, bad));
  else if (separator === undefined && bad !== undefined) {
    const seen = words`Column ${quoted} has values that are no UIDs, such as ${shown(bad)}`;
    steps.push({ text: words`${seen}: ${use}, or ${derive}.`, needs: 'identities', instead: { shape: { templates } } });
  } else if (!isRecognised && separator === undefined)
    return [{ text: words`Column ${quoted} looks like users: ${option('map', `uid=${uid.name}`)}.`, settings }];
  return steps;
}

function damaged(quoted: string, bad: string): Step {
  const text = words`Column ${quoted} has numbers that a program has changed, such as ${shown(bad)}: export it with that column as text.`;
  return { text, isOpen: true };
}

function splitStep(field: 'uid' | 'guid', separator: string, seen: Words): Step {
  const shape = { split: { [field]: separator } };
  return { text: words`${seen} in a cell: ${splitOption(field, separator)}.`, settings: { shape } };
}

function splitOption(field: 'uid' | 'guid', separator: string) {
  return shapeOption('split', `${field}=${separatorText(separator)}`, { split: { [field]: separator } });
}

/** Columns of marks are groups where they are called so, or have crosses and are no flags such as "Paid". */
function aboutMarks(marks: readonly ColumnFacts[], columns: readonly ColumnFacts[]): Step {
  const flagless = marks.filter(({ name }) => !isFlag(name));
  const isCrossed = ({ few }: ColumnFacts) => few?.keys().some((word) => CROSS.test(word)) === true;
  const crossed = flagless.filter((column) => isCrossed(column) || groupName(column.name) !== undefined);
  if (crossed.length < 2) return noGroup('is surely groups');
  const wide = {
    columns: patternFor(crossed, columns) ?? crossed.map(({ name }) => name),
    ...(crossed.some(({ name }) => !ID.test(name)) && { guid: '{column|slug}' }),
  };
  const how = shapeOption('wide', wide.columns.join(','), { wide });
  const text = words`Columns ${listed(crossed.map(({ name }) => name))} have marks in them: ${how} reads each as a group, * means any text.`;
  return { text, settings: { shape: { wide } } };
}

function noGroup(what: string): Step {
  return { text: words`No column ${what}: ${option('guid', 'GROUP')} puts all rows into one.`, needs: 'guid' };
}

function aboutGroup(groups: readonly ColumnFacts[], isRecognised: boolean): Step[] {
  const [guid, ...others] = groups;
  if (guid === undefined) return [noGroup('looks like groups')];
  if (others.length > 0) {
    const names = listed(groups.map(({ name }) => name));
    return [
      openColumn(
        'guid',
        words`Columns ${names} may all be the groups: choose one with ${option('map', 'guid=COLUMN')}.`,
      ),
    ];
  }
  const quoted = shown(guid.name);
  const { separator } = guid;
  const values = [...(guid.few?.keys() ?? guid.examples)].filter((one) => !isNothing(one));
  const parts = separator === undefined ? values : values.flatMap((one) => one.split(separator));
  const bad = parts.map((part) => part.trim()).find((part) => !ID.test(part));
  if (bad !== undefined && separator === undefined && guid.isList !== true && mayBeSeveral(values)) {
    const ways = words`split it with ${splitOption('guid', ',')}, or make one GUID of it with ${option('map', `guid={${guid.name}|slug}`)}`;
    const seen = words`Column ${quoted} may have several groups in a cell, such as ${shown(bad)}`;
    return [openColumn('guid', words`${seen}: ${ways}.`)];
  }
  const steps =
    separator === undefined ? [] : [splitStep('guid', separator, words`Column ${quoted} has several groups`)];
  const settings = { map: { guid: guid.name } };
  if (bad !== undefined && isDamagedNumber(bad))
    return [...steps, ...(isRecognised ? [] : [{ settings }]), damaged(quoted, bad)];
  if (bad !== undefined) {
    const template = `{${guid.name}|${DN.test(bad) ? 'rdn|' : guid.looksLike === 'email' ? 'localpart|' : ''}slug}`;
    const text = words`Column ${quoted} has values that are no GUIDs, such as ${shown(bad)}: the template '${template}' makes some of them.`;
    return [...steps, { text, settings: { shape: { templates: { guid: template } } } }];
  }
  if (isRecognised) return steps;
  return [
    ...steps,
    { text: words`Column ${quoted} looks like groups: ${option('map', `guid=${guid.name}`)}.`, settings },
  ];
}

/** Whether a comma, a semicolon or a bar may separate groups, though it is not sure. */
function mayBeSeveral(values: readonly string[]) {
  return values.some((value) => /[,;|\n]/.test(value) && !DN.test(value));
}

/** A region is one of the service's: a column that is called so and has other words is about something else. */
function aboutRegion(region: ColumnFacts | undefined): Step[] {
  const foreign = region?.examples.find((example) => !REGIONS.some((known) => known === example.trim().toLowerCase()));
  if (region === undefined || foreign === undefined) return [];
  const text = words`Column ${shown(region.name)} is not a region of the service, it has values such as ${shown(foreign)}: ${option('map', 'region=')} ignores it.`;
  return [{ text, settings: { map: { region: '' } } }];
}

/** Leaves out what stands for no value. */
function aboutNothing({ name, few, isList }: ColumnFacts): Step[] {
  const nothing = [...(few?.keys() ?? [])].filter(isNothing);
  if (nothing.length === 0 || isList === true) return [];
  const shape = { where: [{ column: name, isNot: nothing }] };
  const why = words`Column ${shown(name)} has ${listed(nothing)}, which stands for no value`;
  const text = words`${why}: ${shapeOption('where', `${name}!=${nothing.join('|')}`, shape)} leaves such rows out.`;
  return [{ text, settings: { shape } }];
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

function aboutScope(scope: ColumnFacts | undefined, isRecognised: boolean): Step[] {
  if (scope === undefined || scope.looksLike === 'empty') return [];
  const { name } = scope;
  const ignore = option('map', 'scope=');
  if (scopeRank(scope) === 0) {
    const known = scope.examples.find((example) => scopeMeaning(example) !== undefined);
    const column = words`Column ${shown(name)}`;
    if (known === undefined)
      return [{ text: words`${column} is not a scope: ${ignore} ignores it.`, settings: { map: { scope: '' } } }];
    const ways = words`say with ${option('scopeWords')} which scope each means, or ignore it with ${ignore}`;
    return [openColumn('scope', words`${column} has many words, ${shown(known)} among them: ${ways}.`)];
  }
  const map = isRecognised ? {} : { map: { scope: name } };
  const said = scopeWordsOf(scope, isRecognised ? undefined : `scope=${name}`);
  if (said === undefined) return [{ settings: map }];
  const shape = { scopeWords: said.words as NonNullable<NonNullable<RecipeSettings['shape']>['scopeWords']> };
  return [{ text: said.advice, settings: { ...map, shape }, isOpen: said.isOpen }];
}
