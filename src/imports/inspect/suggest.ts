import { SCOPES } from '../../membership/membership.ts';
import { listed, shown } from '../read/intake-error.ts';
import { ID } from '../read/membership-row.ts';
import type { RecipeSettings } from '../recipes/recipe.ts';
import { type ColumnFacts, DATE, EMAIL } from './column-facts.ts';
import { typed } from './command.ts';

/** The options that a file needs before it can be read. */
export interface Suggestion {
  readonly settings: RecipeSettings;
  /** What the user has to add: a group for all rows, a file that knows the UIDs. */
  readonly needs: ReadonlySet<'guid' | 'identities'>;
  readonly advice: readonly string[];
}

const USER_NAME =
  /uid|user|member|person|people|login|account|handle|nick|employee|staff|student|customer|attendee|badge|username|benutzer|mitglied|teilnehmer|usuario|utilisateur/i;
const GROUP_NAME =
  /guid|group|team|room|channel|course|class|section|cohort|department|dept|project|club|chat|conversation|squad|gruppe|kurs|klasse|kanal|abteilung|grupo|equipo|groupe|equipe/i;
const ID_WORD = /\b(?:id|no|nr|number|key|code)\b|id$/i;
const IS_SCOPE = new RegExp(`^(?:(?:${SCOPES.join('|')})s?|banned|users?toban)$`, 'i');
const KEPT_STATUS = /^(?:active|enabled|accepted)$/i;

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
  const map: Record<string, string> = {};
  const shape: NonNullable<RecipeSettings['shape']> = {};
  const needs = new Set<'guid' | 'identities'>();
  const advice: string[] = [];
  const named = (field: string) => columns.find(({ name }) => name === recognised[field]);
  const other = (taken: readonly (ColumnFacts | undefined)[]) => columns.filter((one) => !taken.includes(one));

  if (isWithoutHeader(columns, recognised)) return withoutHeader(columns, hasGuid);

  const uid = named('uid') ?? best(other([named('guid'), named('scope')]), userScore);
  const guid = named('guid') ?? best(other([uid, named('scope')]), groupScore);

  if (uid === undefined) advice.push('No column looks like users: name it with --map uid=COLUMN.');
  else {
    if (recognised['uid'] === undefined) map['uid'] = uid.name;
    const quoted = shown(uid.name);
    if (hasUid) {
      // Said already.
    } else if (uid.looksLike === 'email') {
      needs.add('identities');
      advice.push(
        `Column ${quoted} looks like e-mail addresses; UIDs may not contain @: use --identities FILE, a file that has the UID for each address, or --uid '{${uid.name}|slug}'.`,
      );
    } else if (uid.separator !== undefined) {
      shape.split = { ...shape.split, uid: uid.separator };
      advice.push(`Column ${quoted} has several users in a cell: --split "uid=${uid.separator}".`);
    } else if (uid.examples.some((example) => !ID.test(example))) {
      needs.add('identities');
      advice.push(
        `Column ${quoted} has values that are no UIDs, such as ${shown(uid.examples.find((example) => !ID.test(example)) ?? '')}: use --identities FILE, a file that has the UID for each, or --uid '{${uid.name}|slug}'.`,
      );
    } else if (map['uid'] !== undefined)
      advice.push(`Column ${quoted} looks like users: --map ${typed(`uid=${uid.name}`)}.`);
  }

  const marks = columns.filter(({ looksLike }) => looksLike === 'mark');
  if (hasGuid) {
    // Said already.
  } else if (guid === undefined && marks.length > 1) {
    shape.wide = {
      columns: patternFor(marks, columns) ?? marks.map(({ name }) => name),
      ...(marks.some(({ name }) => !ID.test(name)) && { guid: '{column|slug}' }),
    };
    advice.push(
      `Columns ${listed(marks.map(({ name }) => name))} have marks in them: --wide reads each as a group, * means any text.`,
    );
  } else if (guid === undefined) {
    needs.add('guid');
    advice.push('No column looks like groups: --guid GROUP puts all rows into one.');
  } else {
    const quoted = shown(guid.name);
    if (guid.separator !== undefined) {
      if (recognised['guid'] === undefined) map['guid'] = guid.name;
      shape.split = { ...shape.split, guid: guid.separator };
      advice.push(`Column ${quoted} has several groups in a cell: --split "guid=${guid.separator}".`);
    } else if (guid.looksLike === 'id' || guid.looksLike === 'scope' || guid.looksLike === 'status') {
      if (recognised['guid'] === undefined) {
        map['guid'] = guid.name;
        advice.push(`Column ${quoted} looks like groups: --map ${typed(`guid=${guid.name}`)}.`);
      }
    } else {
      const functions = guid.looksLike === 'email' ? 'localpart|slug' : 'slug';
      shape.templates = { guid: `{${guid.name}|${functions}}` };
      advice.push(
        `Column ${quoted} has values that are no GUIDs, such as ${shown(guid.examples[0] ?? '')}: the template '{${guid.name}|${functions}}' makes some of them.`,
      );
    }
  }
  aboutScope(
    named('scope') ?? best(other([uid, guid]), scopeScore),
    recognised['scope'] !== undefined,
    map,
    shape,
    advice,
  );
  for (const status of columns.filter(({ looksLike, words = [] }) => looksLike === 'status' && words.length > 1)) {
    const kept = status.words?.filter((word) => KEPT_STATUS.test(word)) ?? [];
    if (kept.length === 0 || kept.length === status.words?.length) continue;
    advice.push(
      `Column ${shown(status.name)} has ${status.words?.join(', ')}: to leave out the others, add --where "${status.name}=${kept[0]}".`,
    );
  }
  return {
    settings: {
      ...(Object.keys(map).length > 0 && { map }),
      ...(Object.keys(shape).length > 0 && { shape }),
    },
    needs,
    advice,
  };
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

function aboutScope(
  scope: ColumnFacts | undefined,
  isRecognised: boolean,
  map: Record<string, string>,
  shape: NonNullable<RecipeSettings['shape']>,
  advice: string[],
): void {
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
  const meanings = foreign.map((word) => [word, SCOPE_GUESSES.find(([pattern]) => pattern.test(word))?.[1]] as const);
  const isNoneKnown = meanings.every(([, meaning]) => meaning === undefined);
  shape.scopeWords = {
    ...Object.fromEntries(
      // Where none of them is known, all are listed for correction.
      meanings.flatMap(([word, meaning = isNoneKnown ? 'participant' : undefined]) =>
        meaning === undefined ? [] : [[word, meaning] as const],
      ),
    ),
    '*': 'participant',
  };
  const flags = `${isRecognised ? '' : `--map ${typed(`scope=${scope.name}`)} `}--scope-words`;
  advice.push(`Column ${quoted} has words of its own (${foreign.join(', ')}): ${flags} says what they mean here.`);
}

function best(columns: readonly ColumnFacts[], score: (column: ColumnFacts) => number): ColumnFacts | undefined {
  const [first] = columns.map((column) => ({ column, score: score(column) })).sort((a, b) => b.score - a.score);
  return first !== undefined && first.score >= 3 ? first.column : undefined;
}

function userScore({ name, looksLike, filled, different, separator }: ColumnFacts): number {
  if (looksLike === 'empty' || looksLike === 'mark' || looksLike === 'date' || looksLike === 'scope') return 0;
  const byName = (USER_NAME.test(name) ? 3 : 0) + (ID_WORD.test(name) ? 1 : 0) - (GROUP_NAME.test(name) ? 3 : 0);
  const byLook = looksLike === 'email' ? 3 : looksLike === 'id' || separator !== undefined ? 1 : -1;
  return byName + byLook + (different > filled / 2 ? 1 : 0);
}

function groupScore({ name, looksLike }: ColumnFacts): number {
  if (looksLike === 'empty' || looksLike === 'mark' || looksLike === 'date' || !GROUP_NAME.test(name)) return 0;
  return 3 + (ID_WORD.test(name) ? 1 : 0) + (looksLike === 'id' ? 1 : 0);
}

function scopeScore({ name, looksLike }: ColumnFacts): number {
  return looksLike === 'scope' ? (/role|scope/i.test(name) ? 4 : 3) : 0;
}
