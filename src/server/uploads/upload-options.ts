import { z } from 'zod';
import { queryOf } from '../../api/fields.ts';
import { tagsOption } from '../../api/imports.ts';
import { requireNeeds } from '../../features/recipes/apply-recipe.ts';
import { findRecipeOrText } from '../../features/recipes/recipe-store.ts';
import type { RecipeThread } from '../../features/recipes/use-recipe.ts';
import { chosenOptions, type ImportOptions } from '../../imports/import-options.ts';
import { checkIntakeOptions } from '../../imports/read/intake.ts';
import { HEAP_MB } from '../../imports/report/ledger-threads.ts';
import type { Region } from '../../membership/membership.ts';
import { CREATION } from '../../options/create-options.ts';
import { INPUTS, type InputKind } from '../../options/input-kinds.ts';
import { CONTENT, SHAPE } from '../../options/reading-options.ts';
import { BANS, EXPECTING, SENDING } from '../../options/sending-options.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { defined } from '../../platform/defined.ts';
import { threadQueue } from '../../platform/thread-queue.ts';
import type { Caller } from '../http-answers.ts';

const { bound, ...READ } = CONTENT;

const LOOKED_AT = queryOf({ ...READ, ...SHAPE });

export const RECIPE = {
  recipe: z
    .string()
    .max(3_000)
    .optional()
    .describe(
      'Settings for one kind of file: the name of a recipe, which GET /v1/recipes lists, or a recipe as JSON. Other options win.',
    ),
};

export const FROM = {
  source: z
    .string()
    .min(1)
    .max(4_000)
    .optional()
    .describe(
      'Source from which the server gets the file, in place of a body: a file, pattern, address or named source (`hr:out/members.csv`) in or below one of `sources` of `GET /v1/settings`. It is fetched whole before the answer.',
    ),
};

export const previewQuery = z.strictObject({ ...LOOKED_AT, ...RECIPE });

/** The same for a file that is kept. A look at one has the usual bounds: a viewer can cost no more. */
export const KEPT_READING = { ...LOOKED_AT, ...queryOf({ bound, ...EXPECTING }) };

export const uploadQuery = z.strictObject({
  name: z.string().max(1_000).optional().describe('Name of the file, in lists and reports.'),
  ...FROM,
  ...KEPT_READING,
  ...RECIPE,
  tags: tagsOption.optional(),
  ...queryOf({ ...CREATION, ...BANS, ...SENDING }),
});

type Query = z.infer<typeof uploadQuery>;

/** Values from the request or server that the query leaves open. */
export interface Otherwise {
  readonly contentType: string;
  readonly region: Region;
  readonly sandbox: boolean;
}

/** The options of an import. @throws BAD_OPTION for those with which no file could be read */
export function uploadOptions(query: Query, { contentType, region, sandbox }: Otherwise) {
  const { format, charset } = mediaType(contentType);
  const rest = defined({ encoding: charset, recipe: query.recipe });
  const options = chosenOptions(query, { ...rest, format, region, sandbox });
  checkIntakeOptions(options);
  return options;
}

const FORMATS = Object.fromEntries(
  Object.entries(INPUTS).map(([kind, input]): [string, ImportOptions['format']] => [
    input.mediaType,
    'isBelieved' in input ? (kind as InputKind) : 'auto',
  ]),
);

/** Media types of a body that is the file itself. */
export const FILE_TYPES = [...Object.keys(FORMATS), 'application/zip', 'application/octet-stream'];
export const FORMS = FILE_TYPES.join(', ');

function mediaType(contentType: string) {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map(charsetOf).find((found) => found !== undefined);
  const format = FORMATS[type.trim()] ?? 'auto';
  // UTF-8 is what a file is taken for anyway, and a byte order mark may know better.
  return { format, charset: charset === 'utf-8' || charset === 'utf8' ? undefined : charset };
}

/** The value of one parameter of a media type, where it is the charset. In steps, each linear: the text is a stranger's. */
function charsetOf(parameter: string) {
  const equals = parameter.indexOf('=');
  if (parameter.slice(0, equals).trim() !== 'charset') return undefined;
  const value = parameter.slice(equals + 1).trim();
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  return (isQuoted ? value.slice(1, -1) : value) || undefined;
}

/** Time that looking at the beginning of a file may take, in ms. */
const DEADLINE_MS = 10_000;

/** Options that name a recipe (`recipe=…`), for the server's uploads. */
export function openRecipes(dir: DataDir) {
  const thread = threadQueue<RecipeThread>({
    thread: [import.meta.url, '../../features/recipes/recipe-thread'],
    atOnce: 1,
    heapMb: HEAP_MB,
  });
  return {
    /** Before the file has come. @throws UNKNOWN_RECIPE, RECIPE_NEEDS */
    check: (options: ImportOptions) => {
      if (options.recipe === undefined) return;
      requireNeeds(findRecipeOrText(dir, options.recipe), options);
    },
    /** The options with those of the recipe that they name, for the file that has come. @throws BAD_OPTION */
    settle: async (
      options: ImportOptions,
      file: { readonly path: string } | { readonly head: Uint8Array },
      name: string,
      caller?: Caller,
    ) => {
      if (options.recipe === undefined) return options;
      const recipe = findRecipeOrText(dir, options.recipe);
      const limits = { deadlineMs: DEADLINE_MS, ...caller };
      return thread.ask('useRecipe', { recipe, options, file, name }, limits);
    },
    close: () => thread.close(),
  };
}
