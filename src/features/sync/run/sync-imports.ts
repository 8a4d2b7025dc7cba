import { basename } from 'node:path';
import { DEFAULT_REGION } from '../../../chat/service/regions.ts';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import { tagsOf } from '../../../imports/catalog.ts';
import { importOptions, readOptions } from '../../../imports/import-options.ts';
import type { Coordinator } from '../../../imports/life/coordinator.ts';
import { hasLedger } from '../../../imports/lost-ledger.ts';
import { openImportReader } from '../../../imports/report/import-reader.ts';
import { checkTarget } from '../../../imports/target.ts';
import { kindOf } from '../../../membership/import-kind.ts';
import { actionsOf, isFinal } from '../../../membership/import-state.ts';
import { CREATE_FIELDS, type CreateOptions } from '../../../options/create-options.ts';
import { keptOf } from '../../../options/option.ts';
import { banOptionsOf, GIVING_UP } from '../../../options/sending-options.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import { defined } from '../../../platform/defined.ts';
import { withoutAddress } from '../../../text/address-text.ts';
import type { Sync } from '../kept-sync.ts';
import { planFiles } from '../plan/plan-files.ts';
import { readingPlan } from '../plan/plan-reading.ts';
import { creationColumn } from '../plan/plan-tables.ts';
import type { PlanRequest } from '../plan/prepare.ts';
import type { SyncCatalog } from '../sync-catalog.ts';

/** The imports that syncs are about, their files, and the syncs. */
export interface Place {
  readonly coordinator: Coordinator;
  readonly dir: DataDir;
  readonly catalog: SyncCatalog;
}

/** Returns the import that carries a sync out, or that an undo reverses; undefined if there is none. */
export function importOf({ coordinator, dir }: Place, id: string) {
  const record = coordinator.lookUp(id);
  return record && { record, ledger: dir.ledger(id), ...readOptions(record) };
}

/** @throws UNKNOWN_IMPORT */
function knownImport(place: Place, id: string) {
  const found = importOf(place, id);
  if (found === undefined) throw new RollcallError('UNKNOWN_IMPORT', { id: withoutAddress(id) });
  return found;
}

/** A finished import of which something was sent. @throws UNKNOWN_IMPORT, CANNOT_UNDO, LEDGER_MISSING, DAMAGED_LEDGER */
function importToUndo(place: Place, importId: string) {
  const found = knownImport(place, importId);
  const { record, ledger } = found;
  const hasRows = hasLedger(record, ledger);
  // LEDGER_MISSING, DAMAGED_LEDGER where they are lost.
  if (hasRows) openImportReader(ledger).close();
  // No state: `running` may be what a process wrote that was killed since.
  if (!isFinal(record.state)) {
    const possible = actionsOf(record.state, false);
    throw new RollcallError('CANNOT_UNDO', { importId, why: 'it has not finished', possible });
  }
  if (!hasRows) throw new RollcallError('CANNOT_UNDO', { importId, why: 'nothing of it was sent' });
  return found;
}

/** The undo of a finished import, as a sync. @throws as importToUndo, WRONG_TARGET */
export function undoOfImport(place: Place, importId: string) {
  const found = importToUndo(place, importId);
  checkTarget(`import ${importId}`, found, place.coordinator.sendsTo);
  return { mode: 'undo', file: found.record.file, source: '', undoOf: importId } as const;
}

/** Returns the import that an undo reverses, with the sync that it carried out, if any; undefined where it is no undo. */
export function reversedBy({ undoOf }: Sync, { catalog }: Place) {
  return undoOf === null ? undefined : { importId: undoOf, run: catalog.find(undoOf) };
}

/** A finished import whose additions a sync takes for its own. @throws UNKNOWN_IMPORT, WRONG_STATE, WRONG_TARGET */
export function checkAdopted(place: Place, id: string) {
  const found = knownImport(place, id);
  checkTarget(`import ${id}`, found, place.coordinator.sendsTo);
  const { state } = found.record;
  if (isFinal(state)) return;
  throw new RollcallError('WRONG_STATE', {
    id,
    state,
    what: `import ${id} is ${state}: a sync adopts what has finished`,
  });
}

/** The basis of an undo: the import, and later ones, but neither undos nor what they undid. @throws as importToUndo */
export function undoRequest(place: Place, { file, undoOf }: Sync): PlanRequest {
  const importId = undoOf ?? '';
  const { ledger } = importToUndo(place, importId);
  // An undo restores what was there: it asks for nothing of its own.
  const later = place.coordinator.others(importId).filter((other) => kindOf(other) !== 'undo');
  return { kind: 'undo', file, importId, ledger, later: later.map((other) => other.ledger) };
}

/** Imports the file of changes (plan-tables.ts) of a sync, under its id. That of an undo takes the tags of the import that it reverses. */
export async function beginImportOf({ coordinator, dir }: Place, sync: Sync) {
  const { id, file: input, sandbox, create: creating, undoOf } = sync;
  const { changes: source, plan } = planFiles(dir.sync(id));
  const create = creating && (await importCreates(plan, creating));
  const file = undoOf === null ? input : `Undo of ${input === '-' ? 'standard input' : basename(input)}`;
  // Every row says its region; the default is for those that do not.
  const options = importOptions.parse({
    format: 'csv',
    region: DEFAULT_REGION,
    edits: true,
    sandbox,
    // The plan does not say who was banned in groups that it only adds to, and who was banned since.
    ...banOptionsOf(sync),
    ...defined({ create }),
    ...keptOf(GIVING_UP, sync),
  });
  const createdBy = sync.moves.findLast(({ who }) => who !== '')?.who ?? '';
  // Undefined for an import that has been deleted meanwhile.
  const before = undoOf === null ? undefined : coordinator.lookUp(undoOf);
  const tags = before === undefined ? [] : tagsOf(before);
  await coordinator.create({ id, file, source, options, createdBy, tags });
}

/**
 * Returns the users and groups that the import of a plan may create: as many as the plan names or its guards let pass,
 * so that more need another question. Its file has the fields in columns of their own. Undefined: nothing.
 */
function importCreates(path: string, options: CreateOptions) {
  return readingPlan(path, (plan) => {
    const creating = plan.creating();
    const groups = plan.totals().create?.groups ?? 0;
    if (creating === undefined || (groups === 0 && !options.users && !options.reactivate)) return undefined;
    const { limits, fields, missing } = creating;
    const found = missing === null ? 0 : missing.unknown + missing.deactivated;
    return {
      ...options,
      // Looking for groups takes a call each: none, where all of them were just listed.
      groups: groups > 0,
      columns: Object.fromEntries(
        CREATE_FIELDS.map((field) => [field, fields.includes(field) ? creationColumn(field) : '']),
      ),
      max: {
        users: { count: Math.max(limits.users, found) },
        groups: { count: Math.max(limits.groups, groups) },
      },
    };
  });
}
