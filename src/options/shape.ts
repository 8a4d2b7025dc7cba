import { z } from 'zod';
import { ACTION_MEANINGS, FIELDS, SCOPE_MEANINGS, SCOPES } from '../membership/membership.ts';

/**
 * The mapping from the rows of a file to memberships, for rows that are not simply one membership each. One JSON
 * object, kept with an import and in recipes; every part is optional, and without any part a file is read as if there
 * were no shape.
 */

/** Fields of a membership, as columns and templates give them. */
const FIELD = z.enum(FIELDS);

const column = z.string().min(1).max(300);
const word = z.string().max(200);

/** Columns above this number are not looked at for a header: a table begins near the top of its file. */
export const MAX_SKIPPED = 1_000;

/** A setting that may be left out. @param examples of its values */
function setting<Schema extends z.ZodType>(schema: Schema, description: string, ...examples: unknown[]) {
  return schema.optional().meta(examples.length === 0 ? { description } : { description, examples });
}

/** Columns of a file by which users or groups are looked up. @param known names of columns that are recognised */
const lookupKeys = (file: string, known: string) =>
  setting(z.array(column).min(1), `Columns of the ${file} file with the keys. Default: recognised, such as ${known}.`, [
    known.split(' ')[0],
  ]);
const lookedUp = (file: string, id: 'uid' | 'guid') =>
  setting(column, `Column of the ${file} file with the ${id.toUpperCase()}. Default: recognised.`, id);

const condition = z
  .strictObject({
    column: column.meta({ description: 'Column that is compared.', examples: ['status'] }),
    is: setting(z.array(word).min(1), 'The row is kept if the cell is one of these; "" is an empty cell.', ['active']),
    isNot: setting(z.array(word).min(1), 'The row is kept if the cell has none of these values.', ['true', '1']),
  })
  .refine(({ is, isNot }) => (is === undefined) !== (isNot === undefined), 'a condition has either "is" or "isNot"')
  .describe('Cells are compared without regard to case and surrounding spaces.');

const skipped = z.int().min(1).max(MAX_SKIPPED);

const parts = z.strictObject({
  headerRow: setting(skipped, 'CSV: row with the names of the columns, counted from 1; rows above it are skipped.', 3),
  skipLines: setting(skipped, 'CSV: rows to skip at the top, before the header.', 1),
  columns: setting(
    z.array(z.string().max(300)).min(1),
    'CSV without a header: the names of its columns in order; "-" is a column that is not needed.',
    ['uid', 'guid', '-', 'scope'],
  ),
  firstOf: setting(
    z.partialRecord(FIELD, z.array(column).min(1)),
    'Field: columns of which the first one that is filled in a row gives the value.',
    { uid: ['Login', 'E-mail'] },
  ),
  templates: setting(
    z.partialRecord(FIELD, z.string().min(1).max(1_000)),
    'Field: a text with {column} in it, and functions behind the column: {email|localpart|lower}. Functions: lower, upper, trim, slug, cometchat, localpart, domain, rdn, digits, before:TEXT, after:TEXT.',
    { uid: '{email|localpart|lower}', guid: 'course-{id}' },
  ),
  identities: setting(
    z.strictObject({ keys: lookupKeys('identity', 'email'), uid: lookedUp('identity', 'uid') }),
    'The file has a key in place of the UID (e-mail, employee number), and an identity file gives the UID for it. The identity file itself is given with the import.',
  ),
  groups: setting(
    z.strictObject({ keys: lookupKeys('group', 'code or name'), guid: lookedUp('group', 'guid') }),
    'The file has a key in place of the GUID (code, name, e-mail), and a group file gives one or several GUIDs for it, with their scope and region where it has such columns. The group file itself is given with the import.',
  ),
  split: setting(
    z.partialRecord(z.enum(['guid', 'uid', 'scope']), z.string().min(1).max(10)),
    'Field: the separator of several values in one cell. Every group is combined with every user; several scopes belong to the groups in their order.',
    { guid: ';' },
  ),
  lists: setting(
    z.partialRecord(z.enum(SCOPES), z.array(column).min(1)),
    'Scope: columns with the users who get it; several users in a cell are separated as `split.uid` says.',
    { admin: ['owners'], participant: ['members'] },
  ),
  wide: setting(
    z.strictObject({
      columns: z
        .array(column)
        .min(1)
        .meta({ description: 'Columns that are groups; * matches any text.', examples: [['Team *']] }),
      guid: setting(
        z.string().min(1).max(1_000),
        "Template for the GUID, with {column} for the column's name. Default: the name.",
        '{column|slug}',
      ),
    }),
    'One column for each group, with a mark (x, yes, 1) or a scope in the cells of its members.',
  ),
  numbered: setting(
    z.strictObject({
      guid: column.meta({
        description: 'Name of the columns with the group; # is the number.',
        examples: ['course#'],
      }),
      scope: setting(column, 'The same for the scope.', 'role#'),
    }),
    'Columns that are numbered: course1, role1, course2, role2. Each filled group is a membership.',
  ),
  scopeWords: setting(
    z.record(word, z.enum(SCOPE_MEANINGS)),
    'Word of the file: the scope that it means; * is any other word, "" an empty cell; none gives no membership. Without regard to case.',
    { OWNER: 'admin', MANAGER: 'moderator', '*': 'participant' },
  ),
  where: setting(z.array(condition).min(1), 'Rows that do not meet all of these conditions are left out.', [
    { column: 'status', is: ['active'] },
  ]),
  actions: setting(
    z.strictObject({
      column: column.default('action').meta({ description: 'Column that says what to do.', examples: ['status'] }),
      words: setting(
        z.record(word, z.enum(ACTION_MEANINGS)),
        'Word of the file: what it means; * is any other word, "" an empty cell.',
        { active: 'add', deleted: 'remove' },
      ),
    }),
    'A file of changes: each row says whether to add, change, remove, ban or unban. Off by default.',
  ),
});

export const shapeSettings = parts
  .superRefine((shape, context) => {
    for (const issue of contradictions(shape)) context.addIssue({ code: 'custom', ...issue });
  })
  .meta({ title: 'Shape of a file', description: 'Turns the rows of a file into memberships.' });

export type Field = z.infer<typeof FIELD>;

/** A shape as it is written, and kept: what is not said is absent. */
export type ShapeInput = z.input<typeof parts>;
export type Shape = z.output<typeof parts>;

function contradictions({ headerRow, skipLines, columns, wide, numbered, firstOf, templates, split }: Shape) {
  const found: { readonly path: string[]; readonly message: string }[] = [];
  const not = (path: string[], message: string) => found.push({ path, message });
  if (headerRow !== undefined && skipLines !== undefined) {
    not(['headerRow'], 'headerRow and skipLines say the same thing: give one of them');
  }
  if (headerRow !== undefined && columns !== undefined) {
    not(['columns'], 'columns are for a file without a header: leave out headerRow (skipLines is possible)');
  }
  if (wide !== undefined && numbered !== undefined) {
    not(['wide'], 'wide and numbered both say where the groups are: give one of them');
  }
  for (const field of Object.keys(firstOf ?? {}) as Field[]) {
    if (templates?.[field] === undefined) continue;
    not(['templates', field], `firstOf and templates both say where the ${field} comes from: give one of them`);
  }
  if (split?.scope !== undefined && split.guid === undefined) {
    not(['split', 'scope'], 'several scopes belong to several groups: split the guid as well');
  }
  return found;
}
