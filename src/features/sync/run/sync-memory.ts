import { statSync } from 'node:fs';
import { putBackEnds } from '../../../imports/ends/ends.ts';
import { hasLedger } from '../../../imports/lost-ledger.ts';
import { appsOf } from '../../../imports/target.ts';
import { sumOf } from '../../../text/wording.ts';
import type { Sync } from '../kept-sync.ts';
import { type Remembered, takenBy } from '../memory/memory.ts';
import { planFiles } from '../plan/plan-files.ts';
import { doWork } from '../plan/plan-work.ts';
import { importOf, type Place, reversedBy } from './sync-imports.ts';

/** Files up to this size take less time than starting a thread. */
const MAX_INLINE_BYTES = 8 * 1024 * 1024;

function note(work: Remembered) {
  const bytes = sumOf([work.ledger, work.plan].map((path) => (path === undefined ? 0 : statSync(path).size)));
  return doWork('remember', work, bytes <= MAX_INLINE_BYTES);
}

/** An import that has a ledger. */
function sentImport(place: Place, id: string) {
  const found = importOf(place, id);
  return found !== undefined && hasLedger(found.record, found.ledger) ? found : undefined;
}

/** Notes which memberships end, as the file of a run says. */
async function noteEnds({ dir, coordinator }: Place, run: Sync) {
  const { id, mode, importId } = run;
  const { plan, desired } = planFiles(dir.sync(id));
  const at = (importId === null ? undefined : coordinator.lookUp(importId)?.createdAt) ?? Date.parse(run.createdAt);
  const earlier = coordinator.unfinished(at).filter((ledger) => ledger !== dir.ledger(id));
  const work = { ends: dir.ends, plan, desired, mode, by: id, at, apps: appsOf(run), earlier };
  await doWork('noteRun', work, statSync(plan).size <= MAX_INLINE_BYTES);
}

/** The ends that an undo puts back; undefined where it puts none back: those that an expiry took away are over. */
export function undoingOf(place: Place, undo: Sync, reversed = reversedBy(undo, place)) {
  if (reversed === undefined || reversed.run?.mode === 'expiry') return undefined;
  return { ends: place.dir.ends, undone: reversed.importId, by: undo.id };
}

/** Makes a run that is over part of the memory of its sync, if that has a name. @throws LEDGER_MISSING, DAMAGED_LEDGER */
export async function rememberRun(place: Place, run: Sync) {
  const { dir } = place;
  const { id, importId } = run;
  const reversed = reversedBy(run, place);
  if (reversed === undefined) await noteEnds(place, run);
  const undoing = undoingOf(place, run, reversed);
  // A plan alone changes nothing.
  if (undoing !== undefined && (run.apply || run.state === 'applying')) putBackEnds(undoing);
  // An undo takes back what a run did.
  const { syncName } = (reversed === undefined ? run : reversed.run) ?? {};
  if (syncName === undefined) return;
  await note({
    memory: dir.memory,
    sync: syncName,
    kind: reversed === undefined ? 'own' : 'undo',
    id,
    ledger: importId === null ? undefined : sentImport(place, importId)?.ledger,
    plan: reversed === undefined ? planFiles(dir.sync(id)).plan : undefined,
    apps: appsOf(run),
  });
}

/** Makes retries of earlier runs, and imports that are adopted, part of the memory of a sync that is about to be planned. @throws LEDGER_MISSING, DAMAGED_LEDGER */
export async function rememberOthers(place: Place, { syncName, adopt = [] }: Sync) {
  if (syncName === undefined) return;
  const { dir, catalog } = place;
  const taken = takenBy(dir.memory, syncName);
  const others = [
    ...catalog.retriesOf(taken).map((id) => ({ id, kind: 'own' as const })),
    ...adopt.map((id) => ({ id, kind: 'adopted' as const })),
  ].filter(({ id }) => !taken.includes(id));
  for (const other of others) {
    const found = sentImport(place, other.id);
    if (found !== undefined)
      await note({ ...other, memory: dir.memory, sync: syncName, ledger: found.ledger, apps: appsOf(found) });
  }
}
