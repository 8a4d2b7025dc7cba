import { type Command, InvalidArgumentError, Option } from 'commander';
import { LIMITS, LimitError, limitsWith } from '../../syncs/guard-limits.ts';
import { readProtectFile } from '../../syncs/plan/protect.ts';
import { DEFAULT_FLAGS, type SyncFlags } from '../../syncs/plan-flags.ts';
import { UsageError } from '../errors.ts';
import { repeatable } from './once.ts';

/** Flags that decide what a plan may do. */
export interface DecidingFlags {
  readonly allowUnban?: true;
  /** Path. */
  readonly protect?: string;
  readonly removeNamed?: readonly string[];
  readonly limit?: Readonly<Record<string, number>>;
  /** Of an undo. */
  readonly includeUncertain?: true;
}

export interface ModeFlags extends DecidingFlags {
  readonly mode: SyncFlags['mode'];
  readonly missing?: SyncFlags['missing'];
  readonly allowDemotion?: true;
}

export function withMode(command: Command): Command {
  return command
    .addOption(
      new Option('--mode <mode>', 'add never removes; mirror also looks at members who are not in the file')
        .choices(['add', 'mirror'])
        .default('add'),
    )
    .addOption(
      new Option('--missing <what>', 'with --mode mirror: what to do about them (default: report)').choices([
        'report',
        'remove',
        'ban',
      ]),
    )
    .option('--allow-demotion', 'lower scopes where the file says so; otherwise scopes are only raised');
}

export function withDeciding(command: Command): Command {
  return command
    .option('--allow-unban', 'add users who are banned, which lifts their ban')
    .option('--protect <file>', 'UIDs to never remove, ban or lower: one per line, or CSV')
    .option(
      '--remove-named <uid,...>',
      'UIDs that may be removed even if they are owner, admin or protected',
      repeatable(uidList),
    )
    .option(
      '--limit <name=value>',
      `the limit of a guard; repeat for more: ${Object.keys(LIMITS).join(', ')}`,
      repeatable(guardLimit),
    );
}

export interface PlanFlags {
  readonly apply?: true;
  /** Path. */
  readonly planCsv?: string;
}

export function withPlan(command: Command): Command {
  return command
    .option('--apply', 'carry out the plan at once, unless a guard objects')
    .option('--plan-csv <file>', 'write the plan as CSV');
}

/** @throws UsageError, ProtectFileError */
export async function syncFlagsOf(flags: DecidingFlags & Partial<ModeFlags>): Promise<SyncFlags> {
  const { mode = DEFAULT_FLAGS.mode, missing } = flags;
  if (missing !== undefined && mode !== 'mirror') {
    throw new UsageError(
      `--missing ${missing} says what to do about members who are not in the file, and mode add ignores them; add --mode mirror`,
    );
  }
  return {
    mode,
    missing: missing ?? DEFAULT_FLAGS.missing,
    allowDemotion: flags.allowDemotion === true,
    allowUnban: flags.allowUnban === true,
    protect: flags.protect === undefined ? new Set() : await readProtectFile(flags.protect),
    removeByName: new Set(flags.removeNamed),
    ...(flags.includeUncertain && { includeUncertain: true }),
  };
}

/** Characters of UIDs that a server takes with one request. */
const LONGEST_UIDS = 8_000;

/** The choices as the API's query takes them. @throws as syncFlagsOf */
export async function decidingQuery(flags: DecidingFlags & PlanFlags & Partial<ModeFlags>): Promise<URLSearchParams> {
  const { protect, removeByName } = await syncFlagsOf(flags);
  const { mode, missing, allowDemotion, allowUnban, limit = {}, apply, includeUncertain } = flags;
  const uids = { protect: [...protect].join(','), removeNamed: [...removeByName].join(',') };
  for (const [name, text] of Object.entries(uids)) {
    if (encodeURIComponent(text).length <= LONGEST_UIDS) continue;
    throw new UsageError(
      `--${name === 'protect' ? 'protect' : 'remove-named'} names more users than can be sent to a server; run the command on the server's machine, without --server`,
    );
  }
  const choices = { mode, missing, allowDemotion, allowUnban, apply, includeUncertain, ...uids };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(choices)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  for (const [name, value] of Object.entries(limit)) query.set(`limit.${name}`, String(value));
  return query;
}

function uidList(text: string, earlier: readonly string[] = []): readonly string[] {
  const uids = text.split(',').map((part) => part.trim());
  if (uids.some((uid) => uid === '')) throw new InvalidArgumentError('Expected UIDs, separated by commas.');
  return [...earlier, ...uids];
}

function guardLimit(text: string, earlier: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const [, name = '', value] = /^\s*(\w+)\s*=\s*(\d+(?:\.\d+)?)%?\s*$/.exec(text) ?? [];
  if (value === undefined) throw new InvalidArgumentError('Expected name=value, for example groupPercent=30.');
  const limits = { ...earlier, [name]: Number(value) };
  try {
    limitsWith(limits);
  } catch (error) {
    if (error instanceof LimitError) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
  return limits;
}
