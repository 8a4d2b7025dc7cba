import { type Command, InvalidArgumentError } from 'commander';
import { parseTemplate, TemplateError } from '../../imports/read/shape/id-template.ts';
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
import { UsageError } from '../usage-error.ts';
import { wholeNumber } from './flags.ts';
import { parserOf, withOptions } from './option-flags.ts';

/** Flags that say how the rows of a file become memberships (docs/files.md, Shaping). */
export interface ShapeFlags {
  readonly headerRow?: number;
  readonly skipLines?: number;
  readonly columns?: string[];
  readonly uid?: string;
  readonly identities?: string;
  readonly identityKey?: string[];
  readonly identityUid?: string;
  readonly groups?: string;
  readonly groupKey?: string[];
  readonly groupGuid?: string;
  readonly split?: NonNullable<Shape['split']>;
  readonly lists?: NonNullable<Shape['lists']>;
  readonly wide?: string[];
  readonly wideGuid?: string;
  readonly numbered?: NonNullable<Shape['numbered']>;
  readonly scopeWords?: NonNullable<Shape['scopeWords']>;
  readonly where?: NonNullable<Shape['where']>;
  readonly actions?: string | true;
  readonly actionWords?: NonNullable<NonNullable<Shape['actions']>['words']>;
}

const GROUP = 'Shaping (docs/files.md has an example of each):';

/** Flags for every command that reads a file. */
export function withShape(command: Command): Command {
  return command
    .optionsGroup(GROUP)
    .option('--header-row <n>', 'row with the column names; rows above it are skipped', wholeNumber(1, MAX_SKIPPED))
    .option('--skip-lines <n>', 'rows to skip at the top', wholeNumber(1, MAX_SKIPPED))
    .option(
      '--columns <name,...>',
      'names of the columns of a file without a header; - for one not needed',
      parserOf(columnList),
    )
    .option('--uid <template>', 'make the UID of columns: "{email|localpart|lower}"', template)
    .option('--identities <file>', 'look the UID up in this file or address, by e-mail or another key')
    .option('--identity-key <column,...>', 'its columns with keys (default: recognised)', parserOf(columnList))
    .option('--identity-uid <column>', 'its column with the UID (default: recognised)')
    .option('--groups <file>', 'look the GUIDs up in this file or address, by code, name or another key')
    .option('--group-key <column,...>', 'its columns with keys (default: recognised)', parserOf(columnList))
    .option('--group-guid <column>', 'its column with the GUID (default: recognised)')
    .option(
      '--split <field=separator>',
      'several values in a cell: "guid=;"; repeat for more',
      parserOf(splitOf, merge),
    )
    .option('--lists <scope=column,...>', 'a column with users for each scope', parserOf(scopeLists, merge))
    .option(
      '--wide <column,...>',
      'columns that are groups, with marks or scopes in them; * is any text',
      parserOf(columnList),
    )
    .option('--wide-guid <template>', 'make the GUID of the column name: "{column|slug}"', template)
    .option(
      '--numbered <guid=name#,scope=name#>',
      'numbered columns: course1, role1, course2, …',
      parserOf(numberedColumns),
    )
    .option(
      '--scope-words <word=scope,...>',
      'words for scopes; none for no membership, * for all others',
      parserOf(scopeWordList, merge),
    )
    .option(
      '--where <column=value,...>',
      'only rows like this; != for others, | between values',
      parserOf(conditions, join),
    )
    .option('--actions [column]', 'a file of changes: add, change, remove, ban, unban (default column: action)')
    .option(
      '--action-words <word=action,...>',
      'words for actions; none leaves the row out',
      parserOf(actionWordList, merge),
    )
    .optionsGroup('Options:');
}

/** Flags of an import alone. */
export function withTrial(command: Command): Command {
  withOptions(command.optionsGroup(GROUP), { ...REMOVING, ...TRIAL });
  return command.optionsGroup('Options:');
}

/** The shape that the flags describe; undefined without any. @throws UsageError for flags that contradict each other */
export function shapeOf(flags: ShapeFlags): Shape | undefined {
  const { headerRow, skipLines, columns, uid, split, lists, wide, wideGuid, numbered, scopeWords, where } = flags;
  const { identities, identityKey, identityUid, groups, groupKey, groupGuid, actions, actionWords } = flags;
  if (wideGuid !== undefined && wide === undefined) throw new UsageError('--wide-guid needs --wide');
  if (actionWords !== undefined && actions === undefined) throw new UsageError('--action-words needs --actions');
  if ((identityKey ?? identityUid) !== undefined && identities === undefined) {
    throw new UsageError('--identity-key and --identity-uid need --identities');
  }
  if ((groupKey ?? groupGuid) !== undefined && groups === undefined) {
    throw new UsageError('--group-key and --group-guid need --groups');
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
  throw new UsageError(parsed.error.issues.map(({ message }) => message).join('; '));
}

function merge<Value extends object>(earlier: Value, later: Value): Value {
  return { ...earlier, ...later };
}

function join<Value>(earlier: Value[], later: Value[]): Value[] {
  return [...earlier, ...later];
}

function template(text: string): string {
  try {
    parseTemplate(text);
    return text;
  } catch (error) {
    if (error instanceof TemplateError) throw new InvalidArgumentError(`${error.what}. ${error.remedy}.`);
    throw error;
  }
}
