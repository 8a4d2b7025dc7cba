import { type Command, InvalidArgumentError } from 'commander';
import { messageOf } from '../../errors/message-of.ts';
import { badUsage } from '../../errors/rollcall-error.ts';
import { parseTemplate } from '../../imports/read/shape/field-sources.ts';
import { CREATION } from '../../options/create-options.ts';
import { TEXT } from '../../options/option.ts';
import {
  actionWordList,
  columnList,
  conditions,
  numberedColumns,
  scopeLists,
  scopeWordList,
  splitOf,
} from '../../options/option-texts.ts';
import { REMOVING, TRIAL } from '../../options/sending-options.ts';
import { MAX_SKIPPED, type Shape, shapeSettings } from '../../options/shape.ts';
import { defined } from '../../platform/defined.ts';
import { wholeNumber } from './flags.ts';
import { withOptions } from './option-flags.ts';

const row = wholeNumber(1, MAX_SKIPPED);

/** Flags that say how the rows of a file become memberships (docs/shaping.md). A shape keeps them as one object. */
const SHAPING = {
  headerRow: { value: '<n>', help: 'row with the column names; rows above it are skipped', parse: row },
  skipLines: { value: '<n>', help: 'rows to skip at the top', parse: row },
  columns: {
    value: '<name,...>',
    help: 'names of the columns of a file without a header; - for one not needed',
    parse: columnList,
  },
  uid: { value: '<template>', help: 'make the UID of columns: "{email|localpart|lower}"', parse: template },
  identities: { value: '<file>', ...TEXT, help: 'look the UID up in this file or address, by e-mail or another key' },
  identityKey: { value: '<column,...>', help: 'its columns with keys', preset: 'recognised', parse: columnList },
  identityUid: { value: '<column>', ...TEXT, help: 'its column with the UID', preset: 'recognised' },
  groups: { value: '<file>', ...TEXT, help: 'look the GUIDs up in this file or address, by code, name or another key' },
  groupKey: { value: '<column,...>', help: 'its columns with keys', preset: 'recognised', parse: columnList },
  groupGuid: { value: '<column>', ...TEXT, help: 'its column with the GUID', preset: 'recognised' },
  split: {
    value: '<field=separator>',
    help: 'several values in a cell: "guid=;"; repeat for more',
    parse: splitOf,
    join: merge,
  },
  lists: { value: '<scope=column,...>', help: 'a column with users for each scope', parse: scopeLists, join: merge },
  wide: {
    value: '<column,...>',
    help: 'columns that each stand for a group, with a mark or a scope in the cells; * matches any text',
    parse: columnList,
  },
  wideGuid: { value: '<template>', help: 'make the GUID of the column name: "{column|slug}"', parse: template },
  numbered: {
    value: '<guid=name#,scope=name#>',
    help: 'numbered columns: course1, role1, course2, …',
    parse: numberedColumns,
  },
  scopeWords: {
    value: '<word=scope,...>',
    help: 'words for scopes; none for no membership, * for all others',
    parse: scopeWordList,
    join: merge,
  },
  where: {
    value: '<column=value,...>',
    help: 'only rows that match; != excludes, and | stands between alternatives',
    parse: conditions,
    join: concat,
  },
  actions: {
    value: '[column]',
    help: 'a file of changes: add, change, remove, ban, unban (default column: action)',
    parse: (text: string): string | true => text,
  },
  actionWords: {
    value: '<word=action,...>',
    help: 'words for actions; none leaves the row out',
    parse: actionWordList,
    join: merge,
  },
};
export type ShapeFlags = {
  readonly [Name in keyof typeof SHAPING]?: ReturnType<(typeof SHAPING)[Name]['parse']>;
};

const GROUP = 'Shaping (docs/shaping.md has an example of each):';

/** Flags for every command that reads a file. */
export function withShape(command: Command) {
  return withOptions(command.optionsGroup(GROUP), SHAPING).optionsGroup('Options:');
}

const CREATES = ['createUsers', 'createGroups', 'reactivate'] as const;

/** Flags about what is missing at the service. How it is created needs one that says that it is. @throws BAD_USAGE in the command */
export function withCreation(command: Command) {
  return withOptions(command, CREATION).hook('preAction', (_, acting) => {
    const isGiven = (name: string) => acting.getOptionValueSource(name) === 'cli';
    const how = acting.options.find((option) => {
      const name = option.attributeName();
      return name in CREATION && isGiven(name);
    });
    if (how === undefined || CREATES.some(isGiven)) return;
    throw badUsage(`${how.long} creates nothing by itself; add --create-users, --create-groups or --reactivate`);
  });
}

/** Flags of an import alone. */
export function withTrial(command: Command) {
  return withOptions(command.optionsGroup(GROUP), { ...REMOVING, ...TRIAL }).optionsGroup('Options:');
}

/** The shape that the flags describe; undefined without any. @throws BAD_USAGE for flags that contradict each other */
export function shapeOf(flags: ShapeFlags): Shape | undefined {
  const { headerRow, skipLines, columns, uid, split, lists, wide, wideGuid, numbered, scopeWords, where } = flags;
  const { identities, identityKey, identityUid, groups, groupKey, groupGuid, actions, actionWords } = flags;
  if (wideGuid !== undefined && wide === undefined) throw badUsage('--wide-guid needs --wide');
  if (actionWords !== undefined && actions === undefined) throw badUsage('--action-words needs --actions');
  if ((identityKey ?? identityUid) !== undefined && identities === undefined) {
    throw badUsage('--identity-key and --identity-uid need --identities');
  }
  if ((groupKey ?? groupGuid) !== undefined && groups === undefined) {
    throw badUsage('--group-key and --group-guid need --groups');
  }
  const given = defined({
    headerRow,
    skipLines,
    columns,
    templates: uid === undefined ? undefined : { uid },
    identities: identities === undefined ? undefined : defined({ keys: identityKey, uid: identityUid }),
    groups: groups === undefined ? undefined : defined({ keys: groupKey, guid: groupGuid }),
    split,
    lists,
    wide: wide === undefined ? undefined : defined({ columns: wide, guid: wideGuid }),
    numbered,
    scopeWords,
    where,
    actions:
      actions === undefined
        ? undefined
        : defined({ column: actions === true ? undefined : actions, words: actionWords }),
  });
  if (Object.keys(given).length === 0) return undefined;
  const parsed = shapeSettings.safeParse(given);
  if (parsed.success) return parsed.data;
  throw badUsage(parsed.error.issues.map(({ message }) => message).join('; '));
}

function merge<Value extends object>(earlier: Value, later: Value) {
  return { ...earlier, ...later };
}

function concat<Value>(earlier: Value[], later: Value[]) {
  return [...earlier, ...later];
}

function template(text: string) {
  try {
    parseTemplate(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}
