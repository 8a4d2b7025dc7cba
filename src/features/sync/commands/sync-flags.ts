import type { Command } from 'commander';
import type { FileFlags } from '../../../cli/flags/file-flags.ts';
import { type CommonFlags, type RunningFlags, withOptions } from '../../../cli/flags/flags.ts';
import { fileToFetch, withFetched } from '../../../cli/input-files.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import {
  APPLYING,
  MODE,
  type ModeChoices,
  NAMING,
  REMOVING_BY_NAME,
  UNDOING,
} from '../../../options/deciding-options.ts';
import { type Given, textsOf } from '../../../options/option.ts';
import { type LIFTING, SURVEYING } from '../../../options/sending-options.ts';
import { readConfig } from '../../../platform/config.ts';
import { LIMIT_FLAG, type LIMIT_OPTIONS } from '../guard-limits.ts';
import { syncFlags } from '../kept-sync.ts';
import { DECIDING } from '../operations.ts';
import { readProtectFile } from '../plan/protect.ts';

type Choices = typeof LIFTING & typeof REMOVING_BY_NAME & typeof NAMING & typeof UNDOING;

/** Flags that decide what a plan may do, and whether it is done and written down. */
export interface DecidingFlags
  extends Pick<CommonFlags, 'profile'>,
    ModeChoices,
    Given<Choices & typeof APPLYING & typeof SURVEYING> {
  /** Path. */
  readonly protect?: string;
  readonly limit?: Given<typeof LIMIT_OPTIONS>;
  /** Path. */
  readonly planCsv?: string;
}

export function withDeciding(command: Command) {
  const help = 'UIDs to never remove, ban or lower: one per line, or CSV; a file or address';
  return withOptions(withOptions(command, REMOVING_BY_NAME).option('--protect <file>', help), { limit: LIMIT_FLAG });
}

/** Flags that say how the file of a sync is had and read, and what its plan may do. */
export type SyncFileFlags = FileFlags & DecidingFlags & Pick<RunningFlags, 'sandbox'>;

export function withPlan(command: Command) {
  return withOptions(command, { ...APPLYING, ...SURVEYING }).option('--plan-csv <file>', 'write the plan as CSV');
}

/** The choices that the flags stand for, those of the protect file among them. @throws BAD_PROTECT_FILE */
export async function choicesOf({ protect, limit, profile, ...flags }: DecidingFlags) {
  const uids = protect === undefined ? [] : [...(await protectedUids(protect, profile))];
  return { ...flags, ...limit, protect: uids };
}

/** Those of the protect file. One from an address is fetched, and not kept. @throws BAD_PROTECT_FILE, BAD_SOURCE */
async function protectedUids(protect: string, profile: string | undefined) {
  const fetched = await fileToFetch(readConfig({ profile }), protect, {});
  if (fetched === undefined) return readProtectFile(protect);
  const uids = await withFetched(fetched, (path) => readProtectFile(path, fetched.name));
  if (uids === undefined) throw badUsage(`stopped while ${fetched.name} was fetched; nothing was sent`);
  return uids;
}

const SENT = { ...NAMING, ...MODE, ...DECIDING, ...UNDOING };

/** Characters of UIDs that a server takes with one request. */
const MAX_UIDS_LENGTH = 8_000;

/** The choices as the API's query takes them. @param isSent to a server @throws BAD_OPTION, BAD_PROTECT_FILE */
export async function decidingQuery(flags: DecidingFlags, isSent: boolean) {
  const given = await choicesOf(flags);
  const { protect, removeNamed } = syncFlags(given);
  for (const [name, uids] of Object.entries({ protect, 'remove-named': removeNamed })) {
    if (!isSent || encodeURIComponent(uids.join(',')).length <= MAX_UIDS_LENGTH) continue;
    throw badUsage(
      `--${name} names more users than can be sent to a server; run the command on the server's machine, without --server`,
    );
  }
  return new URLSearchParams(textsOf(SENT, given));
}
