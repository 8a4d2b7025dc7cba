import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { option, words } from '../../../errors/named-options.ts';
import { isError, RollcallError } from '../../../errors/rollcall-error.ts';
import { checkIntakeOptions } from '../../../imports/read/intake.ts';
import { type Aimed, checkMeant } from '../../../imports/target.ts';
import { LOOKUP_NAMES, LOOKUPS } from '../../../options/lookups.ts';
import { valuesOf, writtenOf } from '../../../options/option.ts';
import type { Config } from '../../../platform/config.ts';
import { checkCron } from '../../../queue/cron.ts';
import { headerFrom } from '../../../sources/named.ts';
import { allowedSource, wholeSource } from '../../../sources/obtain.ts';
import { adapterFor, checkedAddress, shownFile } from '../../../sources/schemes.ts';
import { isAddress, isRemote } from '../../../text/address-text.ts';
import { readProtectFile } from '../../sync/plan/protect.ts';
import { type KeptSettings, keptSettings, machineSettings, type newSchedule, RUNS } from '../operations.ts';
import { badSetting, type Schedule } from '../schedule-catalog.ts';
import { readingOptions, syncSettings } from '../schedule-sync.ts';

/** The person who gives settings, and the process that takes them. */
export interface GivenAt extends Pick<Config, 'sources' | 'namedSources' | 'defaultRegion'> {
  /** The person can log in on the machine of the data directory. */
  readonly isHere: boolean;
  readonly sendsTo: Aimed;
}

export type GivenSettings = Omit<z.output<typeof newSchedule>, 'name'>;

/**
 * Returns given settings as they are kept. A person on the machine may name any file and any variable of the environment;
 * over the API, only the sources that the server allows, and variables that are named for them.
 * @param before the schedule that is edited @throws SOURCE_NOT_ALLOWED, BAD_SOURCE, PACKAGE_MISSING, BAD_PROTECT_FILE, BAD_OPTION, WRONG_TARGET
 */
export async function settingsToKeep(given: GivenSettings, before: Schedule | undefined, at: GivenAt) {
  const { cron, tz, headers, region = at.defaultRegion } = given;
  checkCron(cron, tz);
  refuseOfMachine(given, before, at);
  const { identities, groups, protectFile } = before ?? given;
  // An unchanged address keeps the query that is not shown.
  const same = before !== undefined && [before.file, shownFile(before)].includes(given.file) ? before : undefined;
  const known = at.isHere ? before : same;
  const sourceSettings = (before === undefined ? given : known)?.sourceSettings;
  const file = same?.file ?? (await fileOf(given, at));
  checkHeaders(file, headers, known?.headers ?? {}, at);
  if (isAddress(file)) await adapterFor(checkedAddress(file, { ...sourceSettings, headers }));
  // What comes back as it was shown, and is no setting, is left out.
  const kept: KeptSettings = keptSettings.strip().parse({
    ...given,
    identities,
    groups,
    protectFile,
    sourceSettings,
    file,
    region,
    ...writtenOf(RUNS, valuesOf(RUNS, given)),
    ...aimOf(given, before, at),
    restricted: same?.restricted ?? !at.isHere,
  });
  await checkRuns(kept);
  return kept;
}

/** The query of an address may be a secret. */
export function shownSetting<Value>(value: Value) {
  return typeof value === 'string' ? shownFile({ file: value }) : value;
}

/** Settings that only a person on the machine gives, with a new schedule. Where they come back as they are shown, they stay. */
function refuseOfMachine(given: GivenSettings, before: Schedule | undefined, { isHere }: GivenAt) {
  const names = Object.keys(machineSettings.shape) as (keyof typeof machineSettings.shape)[];
  const isKept = (name: (typeof names)[number]) => {
    if (given[name] === undefined) return true;
    return before === undefined ? isHere : isDeepStrictEqual(given[name], shownSetting(before[name]));
  };
  const changed = names.find((name) => !isKept(name));
  if (changed === undefined) return;
  throw badSetting(
    changed,
    `${changed} is set by a person on the server's machine, with the schedule`,
    words`leave ${option(changed)} out, or add the schedule there: rollcall schedule add`,
  );
}

function aimOf({ sandbox }: GivenSettings, before: Schedule | undefined, { sendsTo }: GivenAt) {
  if (before !== undefined) return { sandbox: before.sandbox, target: before.target };
  if (sandbox !== undefined) checkMeant('the schedule', { sandbox }, sendsTo);
  return sendsTo;
}

async function fileOf({ file, headers, sourceSettings }: GivenSettings, { isHere, sources, namedSources }: GivenAt) {
  if (isHere) return wholeSource(file, '/', { named: namedSources, given: { ...sourceSettings, headers } });
  if (!isRemote(file) && sources.length > 0 && (!isAbsolute(file) || file.includes('\0'))) {
    throw badSetting(
      'file',
      `${JSON.stringify(file)} is not a whole path`,
      'give a whole path on the server, such as /srv/exports/members.csv, or an https address',
    );
  }
  return allowedSource(file, sources).catch((error: unknown) => {
    throw isError(error, 'SOURCE_NOT_ALLOWED') ? error : asSetting('file', error);
  });
}

/** Over the API, a header may take only environment variables with this prefix. */
const OPEN_VARIABLE = /^SOURCE_/;

type Headers = KeptSettings['headers'];

function checkHeaders(file: string, given: Headers, known: Headers, { isHere }: GivenAt) {
  if (Object.keys(given).length > 0 && !isRemote(file)) {
    throw badSetting(
      'headers',
      `headers are for https addresses, and ${JSON.stringify(file)} is not one`,
      words`leave ${option('header')} out`,
    );
  }
  for (const [header, variable] of Object.entries(given)) {
    try {
      headerFrom(`${header}=env:${variable}`);
    } catch (error) {
      throw asSetting('headers', error);
    }
    if (isHere || known[header] === variable || OPEN_VARIABLE.test(variable)) continue;
    throw badSetting(
      'headers',
      `the header ${header} names a variable that is not for schedules`,
      'name an environment variable of the server that begins with SOURCE_, such as SOURCE_HR_TOKEN',
    );
  }
}

/** Checks what a run would find out. */
async function checkRuns(settings: KeptSettings) {
  const { protectFile } = settings;
  const reading = checkedReading(settings);
  syncSettings(settings);
  const missing = LOOKUP_NAMES.find((name) => reading.shape?.[name] !== undefined && settings[name] === undefined);
  if (missing !== undefined) {
    const { field, file } = LOOKUPS[missing];
    throw badSetting(
      'shape',
      `the shape looks ${field.toUpperCase()}s up in the ${file}, and the schedule has none`,
      'add the schedule on the command line',
    );
  }
  if (protectFile !== undefined && !isRemote(protectFile)) await readProtectFile(protectFile);
}

/** The options for reading the file. @throws as `checkIntakeOptions` */
export function checkedReading(settings: KeptSettings) {
  const options = readingOptions(settings);
  checkIntakeOptions(options);
  return options;
}

function asSetting(field: string, error: unknown) {
  if (!(error instanceof RollcallError)) return error;
  return badSetting(field, error.what, error.remedyOn('command'));
}
