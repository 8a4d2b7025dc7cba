import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import type { CommonFlags, RunningFlags, ServerFlags } from '../../../cli/flags/flags.ts';
import type { RecipeFlags } from '../../../cli/flags/option-flags.ts';
import type { ShapeFlags } from '../../../cli/flags/shape-flags.ts';
import type { SourceFlags } from '../../../cli/flags/source-flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import type { Imports } from '../../../cli/target/import-place.ts';
import type { Client } from '../../../cli/target/operation-client.ts';
import type { CreateChoices } from '../../../options/create-options.ts';
import type { APPLYING, RUNNING, SCHEDULING } from '../../../options/deciding-options.ts';
import { type Given, type Kept, keptOf, type Options } from '../../../options/option.ts';
import type { ReadingChoices } from '../../../options/reading-options.ts';
import type { ExpectingChoices, GIVING_UP } from '../../../options/sending-options.ts';
import type { ModeFlags } from '../../sync/commands/sync-flags.ts';
import type { ScheduleRunView, ScheduleView } from '../api.ts';

/** The schedules that commands are about: those of a data directory (local-schedules.ts), or of a server (remote-schedules.ts). */
export interface Schedules {
  /** Lists and shows them, and lets them pause, continue and go. */
  readonly client: Client;
  add(name: string, flags: AddFlags): Promise<Added>;
  /** Changes settings that are given. */
  edit(name: string, flags: EditFlags): Promise<ScheduleView>;
  /** Begins a run of one; where no server does, this process runs it to its end. */
  run(io: Io, name: string, flags: RunningFlags): Promise<ExitCode>;
}

/** After a server has begun a run. */
export function sayBegun(
  io: Io,
  { command }: Pick<Imports, 'command'>,
  name: string,
  begun: ScheduleRunView,
  { json }: CommonFlags,
): ExitCode {
  if (json) io.out.write(`${JSON.stringify(runDocument(name, begun))}\n`);
  say(io, `The server runs schedule ${name} now. See what comes of it with:`);
  say(io, `  ${command('schedule', 'history', name)}`);
  return EXIT.ok;
}

interface Added {
  readonly made: ScheduleView;
  readonly source: string;
  /** Whether the file is there already, as far as can be said. */
  readonly isThere: boolean;
  /** Whether a server starts its runs. */
  readonly isServed: boolean;
}

export interface AddFlags
  extends CommonFlags,
    ServerFlags,
    ReadingChoices,
    RecipeFlags,
    ShapeFlags,
    CreateChoices,
    ModeFlags,
    ExpectingChoices,
    Given<typeof GIVING_UP & typeof APPLYING & typeof RUNNING>,
    SourceFlags {
  readonly cron: string;
  readonly tz: string;
  readonly file: string;
  /** In bytes. */
  readonly maxSource: number;
  readonly sandbox?: true;
}

/** False where `--no-…` takes a setting away. */
type Clearable<Choices> = { readonly [Name in keyof Choices]: Choices[Name] | false };

export interface EditFlags
  extends CommonFlags,
    ServerFlags,
    Clearable<ExpectingChoices & Given<typeof GIVING_UP>>,
    Given<typeof SCHEDULING & typeof APPLYING & typeof RUNNING> {
  readonly file?: string;
}

/** The given settings as they are kept; undefined: one that is taken away. */
export function changesOf<All extends Options>(options: All, flags: Clearable<Given<NoInfer<All>>>): Kept<All> {
  const kept = Object.entries(keptOf(options, flags as Given<All>));
  return Object.fromEntries(kept.map(([name, value]) => [name, value === false ? undefined : value])) as Kept<All>;
}

/**
 * Returns the `--json` form of a schedule. Times are ISO 8601; of headers it has the variables that hold their values.
 */
export function scheduleDocument(view: ScheduleView) {
  const { name, cron, tz, file, headers, maxSource, protectFile, repair, catchUp, paused, createdAt, next } = view;
  const { apply, sandbox, target, limits, create, lastRun } = view;
  const { removeByName, protect: _, ...decided } = view.flags;
  const { settings: __, ...mayCreate } = create ?? {};
  return {
    name,
    cron,
    tz,
    file,
    headers,
    maxSource,
    protectFile,
    repair,
    catchUp,
    paused,
    apply,
    sandbox,
    limits,
    ...(target !== undefined && { target }),
    flags: { ...decided, removeNamed: removeByName },
    create: create && mayCreate,
    createdAt,
    next,
    lastRun: lastRun && runDocument(name, lastRun),
  };
}

export function runDocument(schedule: string, { dueAt, at, state, reason, who, sync }: ScheduleRunView) {
  return { schedule, dueAt, at, state, reason, who, syncId: sync?.id ?? null };
}

/** "2027-03-28 03:30" in a time zone. @param at ISO 8601 */
export function localTime(at: string, tz: string): string {
  const form = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'short' });
  return form.format(Date.parse(at));
}
