import { importOperations } from '../api/operations/import-operations.ts';
import { serviceOperations } from '../api/operations/service-operations.ts';
import type { AnswerOwner } from '../app/owner-socket.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { importView } from '../imports/report/import-view.ts';
import type { DataDir } from '../platform/data-dir.ts';
import { type ImportActs, importActs, retrying } from '../server/import-handlers.ts';
import { type Handled, handled, performerOf } from '../server/perform.ts';
import { regionHandlers } from '../server/settings-routes.ts';
import { askedHere } from './audit.ts';
import { sourcesOf } from './client/data-directory.ts';
import { viewing } from './client/kept-imports.ts';
import { handledLocally } from './client/local-client.ts';
import type { Client } from './client/operation-client.ts';

interface Owner {
  readonly dir: DataDir;
  readonly coordinator: Coordinator;
}

/** Answers other commands on this machine, for the process that owns the data directory and does these operations. */
export function ownerAnswers(owner: Owner, operations: readonly Handled[]): AnswerOwner {
  const perform = performerOf(operations);
  return ({ who, ...request }) => perform(request, askedHere(owner, who));
}

/** The operations that every process with imports does for others. */
export function importOwner(owner: Owner): readonly Handled[] {
  return [
    handled(importOperations, importActs(actsOf(owner))),
    handled(serviceOperations, regionHandlers(owner.coordinator)),
  ];
}

/** Imports, for the command that owns the data directory itself: it stays until what it begins is over. */
export function ownImports(owner: Owner): Client {
  const parts = actsOf(owner);
  const handlers = { ...importActs(parts), ...retrying(parts) };
  return handledLocally(importOperations, handlers, owner);
}

function actsOf({ dir, coordinator }: Owner) {
  const of: ImportActs['views']['of'] = (record) =>
    viewing(dir, (catalog) => importView(record, sourcesOf(dir, catalog)));
  return { coordinator, views: { of } };
}
