import { importOperations } from '../api/operations/import-operations.ts';
import { serviceOperations } from '../api/operations/service-operations.ts';
import type { AnswerOwner } from '../app/owner-socket.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { importView } from '../imports/report/import-view.ts';
import type { DataDir } from '../platform/data-dir.ts';
import {
  fileOperations,
  type ImportActs,
  importActs,
  importMaking,
  regionHandlers,
} from '../server/import-handlers.ts';
import { type Handled, handled, performerOf } from '../server/perform.ts';
import { askedHere } from './audit.ts';
import { sourcesOf } from './client/data-directory.ts';
import { viewing } from './client/kept-imports.ts';
import { clientOf } from './client/local-client.ts';
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

/** The operations that every process with imports does, for itself and for others: it stays until what they begin is over. */
export function importOwner({ dir, coordinator }: Owner): readonly Handled[] {
  const of: ImportActs['views']['of'] = (record) =>
    viewing(dir, (catalog) => importView(record, sourcesOf(dir, catalog)));
  const parts = { dir, coordinator, views: { of } };
  return [
    handled(importOperations, importActs(parts)),
    handled(fileOperations, importMaking(parts)),
    handled(serviceOperations, regionHandlers(coordinator)),
  ];
}

/** Imports, for the command that owns the data directory itself. */
export function ownImports(owner: Owner): Client {
  return clientOf(importOwner(owner), askedHere(owner));
}
