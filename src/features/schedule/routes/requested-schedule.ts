import { isAbsolute } from 'node:path';
import { queryOf } from '../../../api/query-options.ts';
import type { Settings } from '../../../api/service.ts';
import { type ImportOptions, importOptions } from '../../../imports/import-options.ts';
import { checkIntakeOptions } from '../../../imports/read/intake.ts';
import { IntakeError } from '../../../imports/read/intake-error.ts';
import type { Aimed } from '../../../imports/target.ts';
import { DEFAULT_MAX_FILE } from '../../../options/bounds.ts';
import { createOptionsOf } from '../../../options/create-options.ts';
import { LOOKUP_NAMES, LOOKUPS, mapLookups } from '../../../options/lookups.ts';
import { CONTENT } from '../../../options/reading-options.ts';
import { defined } from '../../../platform/defined.ts';
import { checkCron } from '../../../queue/cron.ts';
import { Problem } from '../../../server/problem.ts';
import { badOption, optionProblem } from '../../../server/refusals.ts';
import { badReading } from '../../../server/uploads/upload-options.ts';
import { shownFile } from '../../../sources/schemes.ts';
import { headerFrom } from '../../../sources/secrets.ts';
import { SourceNotAllowed } from '../../../sources/source-errors.ts';
import { allowedSource } from '../../../sources/source-reader.ts';
import { isRemote } from '../../../text/address-text.ts';
import { limitsWith } from '../../sync/guard-limits.ts';
import { syncFlags } from '../../sync/plan-flags.ts';
import { type SyncInput, syncReadingOf } from '../../sync/sync-options.ts';
import type { CheckedSettings, ScheduleReading } from '../api.ts';
import type { ScheduleRecord, ScheduleRequest } from '../schedule-catalog.ts';

/** Schedules that are made over the API may use only environment variables with this prefix. */
const OPEN_VARIABLE = /^SOURCE_/;

/** The files that may be read, and what a new schedule takes over. */
type MadeAt = Aimed &
  Pick<Partial<Settings>, 'sources' | 'defaultRegion'> & {
    /** For people who may name any file: it, as it is read. */
    readonly anyFile?: (file: string) => Promise<string>;
  };

/**
 * A schedule as it is asked for. @throws Problem BAD_OPTION; SourceNotAllowed, or as `anyFile`
 * @param before the one that is edited
 */
export async function requestedSchedule(
  given: CheckedSettings,
  name: string,
  before: ScheduleRecord | undefined,
  settings: MadeAt,
): Promise<ScheduleRequest> {
  const { cron, tz, missing, limits } = given;
  checkTimes(cron, tz);
  for (const [name, value] of Object.entries(limits)) {
    asOption(`limits.${name}`, () => limitsWith({ [name]: value }));
  }
  // Hidden parts come from the stored schedule: an unchanged address keeps its query.
  const isSame = before !== undefined && [before.file, shownFile(before)].includes(given.file);
  const same = isSame ? before : undefined;
  const { anyFile } = settings;
  const known = anyFile === undefined ? same : before;
  const source = same?.source ?? (await (anyFile ?? allowedFile(settings.sources ?? []))(given.file));
  const options = before?.options;
  return {
    name,
    cron,
    tz,
    source,
    file: same?.file ?? given.file,
    headers: headersOf(given.headers, source, known?.headers ?? {}),
    // Over the API, only a source that the settings name is read in its own way.
    settings: known?.settings ?? {},
    maxSource: given.maxSource ?? before?.maxSource ?? DEFAULT_MAX_FILE,
    protectFile: before?.protectFile ?? null,
    repair: given.repair,
    catchUp: given.catchUp,
    restricted: same?.restricted ?? anyFile === undefined,
    options: {
      ...options,
      reading: readingOf(given.reading, options?.reading ?? null, settings),
      // A schedule is shown with `report` in mode add, too.
      flags: syncFlags({ ...given, missing: missing === 'report' ? undefined : missing }),
      create: createOptionsOf(given),
      limits,
      ...(given.giveUpAfterMs !== undefined && { giveUpAfterMs: given.giveUpAfterMs ?? undefined }),
      apply: given.apply,
      ...aimOf(options ?? settings),
    },
  };
}

const aimOf = ({ sandbox, target }: Aimed): Aimed => ({ sandbox, target });

/** @throws Problem BAD_OPTION that names which of the two is wrong */
export function checkTimes(cron: string, tz: string): void {
  asOption('cron', () => checkCron(cron, 'UTC'));
  asOption('tz', () => checkCron(cron, tz));
}

/** @throws Problem, SourceNotAllowed */
const allowedFile = (sources: readonly string[]) => async (file: string) => {
  if (!isRemote(file) && sources.length > 0 && (!isAbsolute(file) || file.includes('\0'))) {
    const remedy = 'Give a whole path on the server, such as /srv/exports/members.csv, or an https address.';
    throw new Problem('BAD_OPTION', `${JSON.stringify(file)} is not a whole path.`, { field: 'file', remedy });
  }
  return allowedSource(file, sources).catch((error: unknown) => {
    throw error instanceof SourceNotAllowed ? error : optionProblem('file', error);
  });
};

function headersOf(
  given: Readonly<Record<string, string>>,
  source: string,
  known: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(given);
  if (entries.length > 0 && !isRemote(source)) {
    throw new Problem('BAD_OPTION', 'Headers are for addresses, and the file is not an address.', { field: 'headers' });
  }
  for (const [header, variable] of entries) {
    asOption('headers', () => headerFrom(`${header}=env:${variable}`));
    if (known[header] !== variable && !OPEN_VARIABLE.test(variable)) {
      throw new Problem('BAD_OPTION', `The header ${header} names a variable that is not for schedules.`, {
        field: 'headers',
        remedy: 'Name an environment variable of the server that begins with SOURCE_, such as SOURCE_HR_TOKEN.',
      });
    }
  }
  return given;
}

/** @throws Problem BAD_OPTION */
function readingOf(
  given: ScheduleReading,
  before: SyncInput | null,
  settings: Pick<MadeAt, 'sandbox' | 'defaultRegion'>,
): SyncInput {
  const lookups = mapLookups(before ?? {}, (kept) => kept);
  const waitForQuietMs = given.waitForQuietMs ?? before?.waitForQuietMs;
  const options = importReadingOptions(given, settings);
  try {
    checkIntakeOptions(options);
    const { shape = {} } = options;
    const missing = LOOKUP_NAMES.find((name) => shape[name] !== undefined && lookups[name] === undefined);
    if (missing !== undefined) {
      const { field, file } = LOOKUPS[missing];
      throw new Problem(
        'BAD_OPTION',
        `The shape looks ${field.toUpperCase()}s up in the ${file}, and the schedule has none.`,
        { field: 'shape', remedy: 'Add the schedule on the command line.' },
      );
    }
    return { ...syncReadingOf(options, lookups), ...defined({ waitForQuietMs }) };
  } catch (error) {
    throw error instanceof IntakeError ? badReading(error) : error;
  }
}

/** The delimiter of a schedule is written as people write it. */
const readAs = importOptions.extend(queryOf({ delimiter: CONTENT.delimiter }));

/** The options of an import that would read the file as the schedule does. @throws Problem BAD_OPTION */
export function importReadingOptions(
  given: ScheduleReading,
  { sandbox, defaultRegion }: Pick<MadeAt, 'sandbox' | 'defaultRegion'>,
): ImportOptions {
  const { data, error } = readAs.safeParse({ region: defaultRegion, ...given, sandbox });
  if (error !== undefined) throw badOption(error, given);
  return data;
}

function asOption(field: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    throw optionProblem(field, error);
  }
}
