import { z } from 'zod';
import { INPUT_KINDS } from '../../api/input-kinds.ts';
import { tagsOption } from '../../api/tags.ts';
import { asParameter, written } from '../../errors/named-options.ts';
import { banOptionsOf } from '../../imports/ban-options.ts';
import { type CreateChoices, createOptionsOf } from '../../imports/create-texts.ts';
import { fileOptions } from '../../imports/file-options.ts';
import { type ImportOptions, importOptions, intakeOptions } from '../../imports/import-options.ts';
import {
  boundList,
  columnMap,
  delimiterCharacter,
  ERROR_BOUND,
  errorBound,
  MAPPED_COLUMN,
} from '../../imports/parse-options.ts';
import { checkIntakeOptions } from '../../imports/read/intake.ts';
import { IntakeError, type IntakeErrorCode } from '../../imports/read/intake-error.ts';
import { REGIONS, type Region, SCOPES } from '../../membership/membership.ts';
import { waitTime } from '../../platform/setting-values.ts';
import { asSentence } from '../../text/wording.ts';
import { Problem } from '../problem.ts';
import { BAN_QUERY } from './ban-query.ts';
import { CREATE_QUERY } from './create-query.ts';
import { SHAPE_QUERY, TRIAL_QUERY } from './shape-query.ts';

const id = z.string().min(1).max(200);

/** How a file is read, as the query says. */
const READING = {
  guid: id.optional().meta({ description: 'Group of rows without one.' }),
  scope: z.enum(SCOPES).optional().meta({ description: 'Scope of rows without one. Default: participant.' }),
  region: z.enum(REGIONS).optional().meta({ description: "Region of rows without one. Default: the server's." }),
  onBehalfOf: id.optional().meta({ description: 'Acting user of rows without one.' }),
  map: z
    .union([z.string(), z.array(z.string())])
    .transform((given, context): ImportOptions['map'] => {
      const texts = typeof given === 'string' ? [given] : given;
      const read = texts.map(columnMap);
      const wrong = read.find(({ unreadable }) => unreadable !== undefined);
      if (wrong !== undefined) context.addIssue({ code: 'custom', message: `allowed is ${MAPPED_COLUMN}` });
      return Object.assign({}, ...read.map(({ map }) => map));
    })
    .optional()
    .meta({
      description:
        'Columns with other names: `uid=Member ID,guid=Team`. May be given several times. `scope=` ignores the scope column.',
    }),
  sheet: fileOptions.shape.sheet,
  files: z
    .union([z.string(), z.array(z.string())])
    .transform((given) => (typeof given === 'string' ? [given] : given))
    .pipe(fileOptions.shape.files.unwrap())
    .optional()
    .meta({ description: 'Files of a ZIP archive, as names or patterns. May be given several times.' }),
  format: z
    .enum(['auto', ...INPUT_KINDS])
    .optional()
    .meta({ description: 'Default: as the media type says.' }),
  encoding: z
    .string()
    .max(50)
    .optional()
    .meta({ description: 'Such as windows-1252. Default: UTF-8, or UTF-16 by its mark.' }),
  ...SHAPE_QUERY,
  delimiter: z
    .string()
    .transform((text, context) => {
      const character = delimiterCharacter(text);
      if (character !== undefined) return character;
      context.addIssue({ code: 'custom', message: 'allowed is one character, or the word tab' });
      return z.NEVER;
    })
    .optional()
    .meta({ description: 'Of a CSV file: one character, or the word tab. Default: detected.' }),
};

/** For files that become an import. */
export const RECIPE = {
  recipe: z
    .string()
    .max(60)
    .optional()
    .meta({ description: 'Settings for the export of another system: GET /v1/recipes lists them. Other options win.' }),
};

export const previewQuery = z.strictObject({ ...READING, ...RECIPE });

/** The same for a file that is kept. A look at one has the usual bounds: a viewer can cost no more. */
export const KEPT_READING = {
  ...READING,
  bound: z
    .string()
    .transform((text, context) => {
      const { bounds, wrong } = boundList(text);
      if (wrong === undefined) return bounds;
      context.addIssue({ code: 'custom', message: wrong });
      return z.NEVER;
    })
    .optional()
    .meta({ description: 'Bounds of the file that are raised: `columns=5000,element=64mb`.' }),
  expectRows: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'allowed is a whole number from 1')
    .transform(Number)
    .optional()
    .meta({ description: 'Rows that the file must have: with another number it is rejected, and nothing is sent.' }),
};

export const uploadQuery = z.strictObject({
  name: z.string().max(1_000).optional().meta({ description: 'What the file is called, in lists and reports.' }),
  ...KEPT_READING,
  ...RECIPE,
  tags: tagsOption.optional(),
  maxErrors: z
    .string()
    .transform((text, context) => {
      const bound = errorBound(text);
      if (bound !== undefined) return bound;
      context.addIssue({ code: 'custom', message: `allowed is ${ERROR_BOUND}` });
      return z.NEVER;
    })
    .optional()
    .meta({ description: 'Stop when more rows than this failed, are invalid or unconfirmed: `100` or `5%`.' }),
  giveUpAfter: z
    .string()
    .transform((text, context) => {
      const ms = waitTime.parse(text, 'giveUpAfter');
      if (ms !== undefined) return ms;
      context.addIssue({ code: 'custom', message: `allowed is ${waitTime.allowed}` });
      return z.NEVER;
    })
    .optional()
    .meta({
      description:
        'How long it waits for a service that answers nothing: `30m`. Then it is blocked with SERVICE_AWAY, and continues when the service answers. Default: as the server is set, or as long as it takes.',
    }),
  ...CREATE_QUERY,
  ...BAN_QUERY,
  ...TRIAL_QUERY,
  dryRun: z.enum(['true', 'false']).optional().meta({ description: 'Only read and check; `resume` sends.' }),
});

type Query = z.infer<typeof uploadQuery>;

/** What the query leaves open and the request or server says. */
export interface Otherwise {
  readonly contentType: string;
  readonly region: Region;
  readonly sandbox: boolean;
}

/** The options of an import. @throws Problem BAD_OPTION for those with which no file could be read */
export function optionsOf(
  { name: _, tags: __, dryRun, bound, allowUnban, banCheck, giveUpAfter, ...query }: Query,
  { contentType, region, sandbox }: Otherwise,
): ImportOptions {
  const { format, charset } = mediaType(contentType);
  const choices: CreateChoices = query;
  const create = createOptionsOf(choices);
  const reading = Object.fromEntries(Object.entries(query).filter(([name]) => !Object.hasOwn(CREATE_QUERY, name)));
  const options = importOptions.parse({
    format,
    region,
    ...(charset !== undefined && { encoding: charset }),
    ...reading,
    ...(create !== undefined && { create }),
    ...(bound !== undefined && { bounds: bound }),
    ...(giveUpAfter !== undefined && { giveUpAfterMs: giveUpAfter }),
    ...banOptionsOf({ allowUnban, banCheck }),
    dryRun: dryRun === 'true',
    sandbox,
  });
  try {
    checkIntakeOptions(intakeOptions(options));
  } catch (error) {
    throw error instanceof IntakeError ? badReading(error) : error;
  }
  return options;
}

const FIELDS_AT_FAULT: Readonly<Partial<Record<IntakeErrorCode, string>>> = {
  UNKNOWN_ENCODING: 'encoding',
  BAD_ENCODING: 'encoding',
  BAD_DELIMITER: 'delimiter',
  UNKNOWN_COLUMN: 'map',
  AMBIGUOUS_COLUMN: 'map',
  MISSING_COLUMN: 'map',
  RECIPE_MISFIT: 'recipe',
  UNKNOWN_SHEET: 'sheet',
  UNKNOWN_FILE: 'files',
  BAD_SHAPE: 'shape',
};

/** Why a file cannot be read, as the problem of the option to change, or of the file itself. */
export function badReading(error: IntakeError): Problem {
  const { code, details } = error;
  const { field = FIELDS_AT_FAULT[code] } = details;
  return new Problem(field === undefined ? 'BAD_BODY' : 'BAD_OPTION', asSentence(error.sentence), {
    remedy: asSentence(written(details.remedy, asParameter)),
    ...(field !== undefined && { field }),
  });
}

const FORMATS: Readonly<Record<string, ImportOptions['format']>> = {
  'text/csv': 'csv',
  // NDJSON is often sent as JSON; the content decides.
  'application/json': 'auto',
  'application/x-ndjson': 'ndjson',
  'application/yaml': 'yaml',
  'application/zip': 'auto',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'auto',
  'application/vnd.oasis.opendocument.spreadsheet': 'auto',
};

/** Media types of a body that is the file itself. */
export const FILE_TYPES = [...Object.keys(FORMATS), 'application/octet-stream'];

function mediaType(contentType: string): { format: ImportOptions['format']; charset: string | undefined } {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map(charsetOf).find((found) => found !== undefined);
  const format = FORMATS[type.trim()] ?? 'auto';
  // UTF-8 is what a file is taken for anyway, and a byte order mark may know better.
  return { format, charset: charset === 'utf-8' || charset === 'utf8' ? undefined : charset };
}

/** The value of one parameter of a media type, where it is the charset. In steps, each linear: the text is a stranger's. */
function charsetOf(parameter: string): string | undefined {
  const equals = parameter.indexOf('=');
  if (parameter.slice(0, equals).trim() !== 'charset') return undefined;
  const value = parameter.slice(equals + 1).trim();
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  return (isQuoted ? value.slice(1, -1) : value) || undefined;
}
