import type { SendingPlan } from '../api/imports.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import { findEdited } from '../imports/corrected-rows.ts';
import { wrongState } from '../imports/import-errors.ts';
import { readOptions } from '../imports/import-options.ts';
import type { ResumeChanges } from '../imports/life/creating-step.ts';
import { leastMs, slowestCallMs } from '../imports/send/region-pace.ts';
import { findFailing, workWithout } from '../imports/stage/leave-out.ts';
import { actionsOf } from '../membership/import-state.ts';
import { sumOfOutcomes } from '../membership/outcome.ts';
import { sumOf } from '../text/wording.ts';
import type { ServerContext } from './context.ts';

/** The rest of the work in a region, or the work of a retry. */
interface Work {
  readonly rows?: number;
  readonly groups?: number;
  readonly calls: number;
}

/** Returns the work of sending an import's rows, and its target. @throws WRONG_STATE, NO_CHECK_YET */
export async function sendingPlanOf(
  context: Pick<ServerContext, 'dir' | 'coordinator' | 'reading' | 'views' | 'settings'>,
  record: ImportRecord,
  { leaveOutFailing = false, maxCreate }: ResumeChanges,
): Promise<SendingPlan> {
  const { coordinator, reading, views, settings } = context;
  const { id, state } = record;
  const { rows, writes, regions, sandbox, finishedAt, retryable, edited: rowsEdited } = await views.of(record);
  const open = finishedAt === null ? rows.read - sumOfOutcomes(rows) : retryable;
  if (leaveOutFailing && state !== 'staged')
    throw wrongState(record, 'no rows can be left out', actionsOf(state, retryable > 0));
  let work: readonly Work[];
  let [edited = 0, leftOut = 0] = [0];
  if (leaveOutFailing || rowsEdited !== undefined) {
    const finds = [findEdited, ...(leaveOutFailing ? [findFailing] : [])];
    const without = workWithout({ id, folder: context.dir.folder(id), options: readOptions(record) }, finds);
    work = without.work;
    [edited = 0, leftOut = 0] = without.leftOut;
  } else if (finishedAt === null) {
    const calls = [...(await reading.rowsOf(id).callsLeft({ held: true })).values()].map((one) => ({ calls: one }));
    // The groups of the whole file, of which some may be done.
    work = [...calls, { rows: open, groups: Math.min(open, writes?.groups ?? 0), calls: 0 }];
  } else {
    work = [...(await reading.rowsOf(id).retryWork()), { rows: open, calls: 0 }];
  }
  if (maxCreate !== undefined) work = [...work, { calls: callsOfCreating(maxCreate) }];
  const total = (what: keyof Work) => sumOf(work.map((one) => one[what] ?? 0));
  const used = Object.entries(settings.apps).filter(([region]) => region in regions);
  const callMs = slowestCallMs(await coordinator.regions.status());
  const silent = readOptions(record).silent === true;
  return {
    rows: total('rows'),
    silent,
    leftOut,
    edited,
    groups: total('groups'),
    calls: total('calls'),
    ms: leastMs(Math.max(0, ...work.map(({ calls }) => calls)), {
      ...settings,
      ...(silent && { callsPerMinute: settings.importsPerMinute }),
      callMs,
    }),
    callMs,
    profile: settings.profile,
    host: settings.host,
    apps: used.map(([region, { appId }]) => `${appId} in ${region}`),
    sandbox,
  };
}

/** Returns the calls, as far as numbers are allowed. */
function callsOfCreating({ users, groups }: NonNullable<ResumeChanges['maxCreate']>) {
  const [newUsers, newGroups] = [users, groups].map((one) => (one !== undefined && 'count' in one ? one.count : 0));
  return (newUsers ?? 0) + (newGroups ?? 0);
}
