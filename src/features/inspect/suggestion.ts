import { ID } from '../../chat/service/limits.ts';
import { type NamedOption, option, shapeOption, type Words, words } from '../../errors/named-options.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import type { ReadBeginning } from '../../imports/read/beginning.ts';
import { listed, shown } from '../../imports/read/intake-error.ts';
import { scopeOfWord } from '../../imports/read/membership-row.ts';
import { isDamagedNumber } from '../../imports/read/shape/template.ts';
import { REGIONS, type ScopeMeaning } from '../../membership/membership.ts';
import { OPEN_VALUE } from '../../options/option-texts.ts';
import type { Shape, ShapeInput } from '../../options/shape.ts';
import { flagTextsOf } from '../../options/shape-flags.ts';
import { sameWord } from '../../text/same-text.ts';
import type { RecipeSettings } from '../recipes/recipe.ts';
import { type ColumnFacts, CROSS, DN, EMAIL, isValue } from './column-facts.ts';
import { groupName, isFlag, isPath, userRank } from './column-names.ts';
import { isNothing } from './meanings.ts';
import { counted, type Step, scopeMeaning, scopeRank, statesIn } from './states.ts';

/** In place of a column and of a scope that only the user can name; an import refuses them. */
const OPEN_COLUMN = '<column>';
const OPEN_SCOPE = '<scope>' as ScopeMeaning;

type IdField = 'uid' | 'guid';
const NOUNS: Readonly<Record<IdField, string>> = { uid: 'users', guid: 'groups' };

/** Advice on a file, from its columns. @param recognised columns by the fields that they are read as */
export function suggest(
  columns: readonly ColumnFacts[],
  { recognised, format }: Pick<ReadBeginning, 'recognised' | 'format'>,
  { guid, shape = {} }: Pick<ImportOptions, 'guid' | 'shape'>,
): readonly Step[] {
  const hasGuid = guid !== undefined;
  if (format === 'csv' && isWithoutHeader(columns, recognised)) return withoutHeader(columns, hasGuid);
  const named = (field: string) => columns.find(({ name }) => name === recognised[field]);

  const known = named('uid');
  const group = named('guid');
  const users = usersIn(
    columns.filter((one) => one !== group),
    known,
  );
  const [user] = users;
  const isGroup = group !== undefined && mayBeIds(group);
  const groups = isGroup ? [group] : groupsIn(columns.filter((one) => one !== user && one !== group));
  const aboutGroups = () => {
    if (groups.length > 0) return aboutIds('guid', groups, isGroup);
    if (group !== undefined && group.looksLike !== 'empty') {
      return [toName('guid', `Column ${shown(group.name)} looks like ${group.looksLike}s: name the groups`)];
    }
    const marks = columns.filter(({ looksLike }) => looksLike === 'mark');
    if (marks.length > 1) return [aboutMarks(marks, columns)];
    if (user?.isList !== true) return aboutIds('guid', []);
    return [toName('guid', 'Each element has a list of users, and no group that is certain: name it')];
  };
  const rest = columns.filter((one) => one !== user && !groups.includes(one));
  // Its words are known, or it is called so; of several a person would have to choose.
  const [likeliest, ...others] = surest(rest, scopeRank);
  const scope = named('scope') ?? (others.length > 0 ? undefined : likeliest);
  return [
    // The options may say more about UIDs than which column they are in.
    ...aboutIds('uid', users, user === known, (shape.identities ?? shape.templates?.uid) !== undefined),
    ...(hasGuid ? [] : aboutGroups()),
    ...aboutScope(scope, recognised['scope'] !== undefined, shape.scopeWords),
    ...aboutRegion(named('region')),
    ...[user, ...groups].flatMap((column) => (column === undefined ? [] : aboutNothing(column))),
    ...statesIn(rest.filter((one) => one !== scope)),
  ];
}

/** Whether the header is really a row: its cells are values like those below them. */
function isWithoutHeader(columns: readonly ColumnFacts[], recognised: object): boolean {
  if (Object.keys(recognised).length > 0) return false;
  if (columns.length < 2) return columns.some(isLikeThoseBelow);
  if (columns.some(({ name }) => isValue(name))) return true;
  return (
    columns.every(({ name, looksLike }) => looksLike === 'id' && ID.test(name)) &&
    columns.some(({ name }) => /\d/.test(name))
  );
}

/** Whether the name of the only column is an address above addresses, or an id that differs from one below it in its number alone. */
function isLikeThoseBelow({ name, looksLike, examples }: ColumnFacts) {
  if (looksLike === 'email') return EMAIL.test(name);
  const numberless = (id: string) => id.replace(/[\da-f-]{16,}|\d+/gi, '#');
  return looksLike === 'id' && examples.some((example) => numberless(example) === numberless(name));
}

/** Names for the columns of a file without a header: users are those that differ most. Of several possible groups a person chooses. */
function withoutHeader(columns: readonly ColumnFacts[], hasGuid: boolean): Step[] {
  const ids = columns.filter(({ looksLike }) => looksLike === 'id' || looksLike === 'email');
  const byDifference = ids.toSorted((a, b) => b.different - a.different);
  const uid = ids.find(({ looksLike }) => looksLike === 'email') ?? byDifference[0];
  const [group, ...others] = ids.filter((one) => one !== uid && one.looksLike === 'id');
  const guid = hasGuid || others.length > 0 ? undefined : group;
  const shape = { columns: columns.map((column) => (column === uid ? 'uid' : column === guid ? 'guid' : '-')) };
  const naming = optionOf(shape);
  return [
    {
      text: words`The first line looks like a row, not like a header: ${naming} names the columns; - is one that is not needed.`,
      settings: { shape },
    },
    ...(uid === undefined ? [] : aboutIds('uid', [{ ...uid, name: 'uid' }], true)),
    ...(guid !== undefined || hasGuid
      ? []
      : columns.length === 1
        ? aboutIds('guid', [])
        : [noGroup(words`No column is surely groups: call one of them guid in ${naming}, or`)]),
    // A flag without a name may say who is gone.
    ...columns.flatMap(({ looksLike, few }, index): Step[] => {
      if (looksLike !== 'mark' || few.size === 0) return [];
      const column = `column_${index + 1}`;
      const text = words`Column ${shown(column)} has ${counted(few)}: if it says who is a member, say so in ${option('where')}.`;
      return [{ text, open: { shape: { where: [{ column, is: [OPEN_VALUE] }] } } }];
    }),
  ];
}

/** The option that says the same as the first part of a shape. */
export function optionOf(shape: ShapeInput): NamedOption {
  const [[name, text] = ['', '']] = flagTextsOf(shape);
  return shapeOption(name, String(text), shape);
}

/** A field whose column only the user can name. */
function openColumn(field: string, text: Words): Step {
  return { text, open: { map: { [field]: OPEN_COLUMN } } };
}

function toName(field: IdField, request: string) {
  return openColumn(field, words`${request} with ${option('map', `${field}=COLUMN`)}.`);
}

/** Settings with those of steps: what both have is joined. */
export function joined(settings: RecipeSettings, steps: readonly Step[]): RecipeSettings {
  const all = steps.flatMap(({ settings: own = {}, open = {} }) => [own, open]);
  return all.reduce<unknown>(join, settings) as RecipeSettings;
}

function join(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  if (typeof one !== 'object' || typeof other !== 'object') return other;
  const values = new Map<string, unknown>(Object.entries(one ?? {}));
  for (const [name, value] of Object.entries(other ?? {})) {
    values.set(name, join(values.get(name), value));
  }
  return Object.fromEntries(values);
}

function mayBeIds({ looksLike }: ColumnFacts) {
  return !['empty', 'mark', 'date'].includes(looksLike);
}

/** The column that is called so, else those that say it most surely, else names, which an identity file may have. */
function usersIn(columns: readonly ColumnFacts[], known: ColumnFacts | undefined) {
  if (known !== undefined && mayBeIds(known) && !['name', 'status'].includes(known.looksLike)) return [known];
  const others = surest(columns, ({ name, looksLike, separator, examples, filled, different }) => {
    // The host of all meetings is no member of each.
    if (filled > 1 && different === 1) return 0;
    if (!['id', 'email', 'list', 'text', 'name'].includes(looksLike)) return 0;
    if (looksLike !== 'list' && examples.some((example) => /[\s{[]/.test(example))) return 0;
    const isEmail = looksLike === 'email' || (separator !== undefined && examples.some((one) => EMAIL.test(one)));
    return userRank(name, isEmail);
  });
  return others.length === 0 && known?.looksLike === 'name' ? [known] : others;
}

/** The columns that say most surely what the group is. One of them is the id where the others are names of the same. */
function groupsIn(columns: readonly ColumnFacts[]) {
  const all = surest(
    columns.filter(
      (column) => mayBeIds(column) && !isFlag(column.name) && !column.examples.some((one) => /^[{[]/.test(one)),
    ),
    ({ name }) => groupName(name)?.rank ?? 0,
  );
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

/**
 * The column of an id and what its values need; of several that may have it, a person chooses.
 * @param isSettled the options say more about the ids than which column they are in
 */
function aboutIds(field: IdField, columns: readonly ColumnFacts[], isRecognised = false, isSettled = false): Step[] {
  const [column, ...others] = columns;
  if (column === undefined) {
    if (field === 'guid') return [noGroup('No column looks like groups:')];
    return [toName(field, 'No column is surely the users: name it')];
  }
  if (others.length > 0) {
    const names = listed(columns.map(({ name }) => name));
    return [toName(field, `Columns ${names} may all be the ${NOUNS[field]}: choose one`)];
  }
  const { name, separator } = column;
  const seen = `Column ${shown(name)}`;
  const settings = { map: { [field]: name } };
  const steps: Step[] = [];
  let values = knownValues(column);
  if (separator !== undefined) {
    const shape = { split: { [field]: separator } };
    const text = words`${seen} has several ${NOUNS[field]} in a cell: ${optionOf(shape)}.`;
    steps.push({ text, settings: { shape } });
    values = values.flatMap((one) => one.split(separator));
  }
  const bad = values.map((part) => part.trim()).find((part) => !ID.test(part));
  if (bad === undefined) {
    const text = words`${seen} looks like ${NOUNS[field]}: ${option('map', `${field}=${name}`)}.`;
    return isRecognised ? steps : [...steps, { text, settings }];
  }
  const isDamaged = isDamagedNumber(bad);
  // The template of a GUID says which column it is made of.
  if (field === 'guid' && !isDamaged) return [...steps, madeGuids(column, bad)];
  if (!isRecognised) steps.push({ settings });
  if (isDamaged) {
    const text = words`${seen} has numbers that a program has changed, such as ${shown(bad)}: export it with that column as text.`;
    return [...steps, { text, open: {} }];
  }
  const filled = (column.cells ?? values).filter((one) => one !== '');
  const isMostlyIds = filled.filter((one) => ID.test(one)).length > filled.length / 2;
  return isSettled ? steps : [...steps, identified(column, bad, isMostlyIds)];
}

function knownValues({ few, examples }: ColumnFacts) {
  return [...(few.size > 0 ? few.keys() : examples)].filter((one) => !isNothing(one));
}

/** UIDs from values that are none. @param isMostlyIds most values are UIDs, which an identity file need not have */
function identified({ name, looksLike }: ColumnFacts, bad: string, isMostlyIds: boolean): Step {
  const [seen, one, instead] = isMostlyIds
    ? [`has UIDs and other values, such as ${shown(bad)}`, '', 'slug']
    : looksLike === 'email' || bad.includes('@')
      ? ['looks like e-mail addresses; UIDs may not contain @', ' address', 'localpart|slug']
      : [`has values that are no UIDs, such as ${shown(bad)}`, '', 'slug'];
  const made = (functions: string) => ({ templates: { uid: `{${name}|${functions}}` } });
  const ways = words`${isMostlyIds ? 'correct these rows, or ' : ''}use ${option('identities', 'FILE')}, a file that has the UID for each${one}, or ${optionOf(made('slug'))}`;
  const text = words`Column ${shown(name)} ${seen}: ${ways}.`;
  return { text, needs: 'identities', instead: { shape: made(instead) }, ...(isMostlyIds && { open: {} }) };
}

/** GUIDs from values that are none. */
function madeGuids(column: ColumnFacts, bad: string): Step {
  const { name, separator, isList, looksLike } = column;
  // A comma, a semicolon or a bar may separate groups, though it is not sure.
  const mayBeSeveral = knownValues(column).some((value) => /[,;|\n]/.test(value) && !DN.test(value));
  if (separator === undefined && isList !== true && mayBeSeveral) {
    const ways = words`split it with ${optionOf({ split: { guid: ',' } })}, or make one GUID of it with ${option('map', `guid={${name}|slug}`)}`;
    const seen = `Column ${shown(name)} may have several groups in a cell, such as ${shown(bad)}`;
    return openColumn('guid', words`${seen}: ${ways}.`);
  }
  const template = `{${name}|${DN.test(bad) ? 'rdn|' : looksLike === 'email' ? 'localpart|' : ''}slug}`;
  const text = `Column ${shown(name)} has values that are no GUIDs, such as ${shown(bad)}: the template '${template}' makes some of them.`;
  return { text, settings: { shape: { templates: { guid: template } } } };
}

/** Columns of marks are groups where they are called so, or have crosses and are no flags such as "Paid". */
function aboutMarks(marks: readonly ColumnFacts[], columns: readonly ColumnFacts[]): Step {
  const crossed = marks.filter(
    ({ name, few }) => !isFlag(name) && (groupName(name) !== undefined || few.keys().some((word) => CROSS.test(word))),
  );
  if (crossed.length < 2) return noGroup('No column is surely groups:');
  const names = crossed.map(({ name }) => name);
  const wide = {
    columns: patternFor(crossed, columns) ?? names,
    ...(names.some((name) => !ID.test(name)) && { guid: '{column|slug}' }),
  };
  const text = words`Columns ${listed(names)} have marks in them: ${optionOf({ wide })} reads each as a group, * means any text.`;
  return { text, settings: { shape: { wide } } };
}

/** `Team *`, where columns are called so and no other is: in the next file, or the next of a folder, there may be other teams. */
function patternFor(marks: readonly ColumnFacts[], columns: readonly ColumnFacts[]) {
  const [, prefix] = /^(.*[ _:-]).*(?:\n\1.*)+$/.exec(marks.map(({ name }) => name).join('\n')) ?? [];
  const isOthers = (column: ColumnFacts) => !marks.includes(column) && column.name.startsWith(prefix ?? '');
  return prefix === undefined || prefix.includes('*') || columns.some(isOthers) ? undefined : [`${prefix}*`];
}

function noGroup(seen: Words): Step {
  return { text: words`${seen} ${option('guid', 'GROUP')} puts all rows into one.`, needs: 'guid' };
}

/** A region is one of the service's: a column that is called so and has other words is about something else. */
function aboutRegion(region: ColumnFacts | undefined): Step[] {
  const foreign = region?.examples.find((example) => !REGIONS.some((known) => known === example.trim().toLowerCase()));
  if (region === undefined || foreign === undefined) return [];
  const why = `is not a region of the service, it has values such as ${shown(foreign)}`;
  return [ignored('region', region, why)];
}

function ignored(field: 'region' | 'scope', { name }: ColumnFacts, why: string): Step {
  const text = words`Column ${shown(name)} ${why}: ${option('map', `${field}=`)} ignores it.`;
  return { text, settings: { map: { [field]: '' } } };
}

/** Leaves out what stands for no value. */
function aboutNothing({ name, few, isList }: ColumnFacts): Step[] {
  const isNot = [...few.keys()].filter(isNothing);
  if (isNot.length === 0 || isList === true) return [];
  const shape = { where: [{ column: name, isNot }] };
  const seen = `Column ${shown(name)} has ${listed(isNot)}, which stands for no value`;
  return [{ text: words`${seen}: ${optionOf(shape)} leaves such rows out.`, settings: { shape } }];
}

/** @param given words whose meanings are not asked for again; `*` stands for all that are not there */
function aboutScope(scope: ColumnFacts | undefined, isRecognised: boolean, given: Shape['scopeWords'] = {}): Step[] {
  if (scope === undefined || scope.looksLike === 'empty') return [];
  const { name, few } = scope;
  const said = new Set(Object.keys(given).map(sameWord));
  const isSaid = (word: string) => said.has('*') || said.has(sameWord(word)) || scopeOfWord(word) !== undefined;
  const foreign = [...few].filter(([word]) => !isSaid(word));
  const map = isRecognised ? {} : { map: { scope: name } };
  const isSettled = said.has('*') || (said.size > 0 && few.size > 0);
  if (foreign.length === 0 && (isSettled || scopeRank(scope) > 0)) return [{ settings: map }];
  if (scopeRank(scope) === 0) {
    const known = scope.examples.find((example) => scopeMeaning(example) !== undefined);
    if (known === undefined) return [ignored('scope', scope, 'is not a scope')];
    const seen = `Column ${shown(name)} has many words, ${shown(known)} among them`;
    const ways = words`say with ${option('scopeWords')} which scope each means, or ignore it with ${option('map', 'scope=')}`;
    return [openColumn('scope', words`${seen}: ${ways}.`)];
  }
  const meaningOf = (word: string) => (isNothing(word) ? 'participant' : scopeMeaning(word));
  const each = counted(foreign, (word) => {
    const meaning = meaningOf(word) ?? 'not known';
    return ` ${meaning === 'none' ? 'no membership' : meaning}`;
  });
  const how = isRecognised ? '' : words`${option('map', `scope=${name}`)} and `;
  const { known = [], unknown } = Object.groupBy(foreign, ([word]) => (meaningOf(word) ? 'known' : 'unknown'));
  const meanings = (some: typeof foreign) => ({
    shape: { scopeWords: Object.fromEntries(some.map(([word]) => [word, meaningOf(word) ?? OPEN_SCOPE])) },
  });
  return [
    {
      text: words`Column ${shown(name)} has other words for scopes: ${each}: say with ${how}${option('scopeWords')} which scope each means.`,
      settings: { ...map, ...meanings(known) },
      ...(unknown && { open: meanings(unknown) }),
    },
  ];
}
