import { importOperations } from '../api/imports.ts';
import { eventOperations, serviceOperations } from '../api/service.ts';
import type { App } from '../app/app.ts';
import type { AnswerOwner } from '../app/owner-socket.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import type { ViewSources } from '../imports/report/import-view.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import { type Events, eventHandlers, openEvents } from '../server/events.ts';
import {
  fileOperations,
  type ImportActs,
  importActs,
  importMaking,
  regionHandlers,
} from '../server/import-handlers.ts';
import { type Handled, handled, performerOf } from '../server/perform.ts';
import { followStaging } from '../server/running-imports.ts';
import { keptView, viewing } from './client/kept-imports.ts';
import { askedHere, clientOf } from './client/local-client.ts';
import type { Client } from './client/operation-client.ts';

/** A process that owns a data directory, for those who follow what it does. */
export interface Owner {
  readonly dir: DataDir;
  readonly coordinator: Coordinator;
  readonly events: Events;
  /** The progress of the files that it reads. */
  readonly staging?: ViewSources['staging'];
}

export function shownBy({ dir, staging }: Pick<Owner, 'dir' | 'staging'>): ImportActs['views']['of'] {
  return (record) => viewing(dir, (catalog) => keptView(dir, catalog, record, staging));
}

/** For a process other than a server: it answers other commands about its imports. @param onStop registers what ends its events */
export async function openOwner(
  { dir, coordinator, log, serveOwner }: Pick<App, 'dir' | 'coordinator' | 'log' | 'serveOwner'>,
  onStop: Lifecycle['onStop'],
) {
  const staging = followStaging(coordinator);
  // Those who ask a command follow one thing.
  const events = openEvents({ coordinator, unfinished: () => [], view: shownBy({ dir, staging }), log });
  onStop(async () => events.close());
  const owner = { dir, coordinator, events, staging } satisfies Owner;
  await serveOwner(ownerAnswers(owner, importOwner(owner)));
  return owner;
}

/** Answers other commands on this machine, for the process that owns the data directory and does these operations. */
export function ownerAnswers(owner: Pick<Owner, 'dir' | 'coordinator'>, operations: readonly Handled[]): AnswerOwner {
  const perform = performerOf(operations);
  return ({ who, ...request }) => perform(request, askedHere(owner, who));
}

/** The operations that every process with imports does, for itself and for others: it stays until what they begin is over. */
export function importOwner(owner: Owner): readonly Handled[] {
  const { dir, coordinator, events } = owner;
  const view = shownBy(owner);
  const parts = { dir, coordinator, views: { of: view } };
  return [
    handled(importOperations, { ...importActs(parts), one: async ({ id }) => view(coordinator.find(id)) }),
    handled(fileOperations, importMaking(parts)),
    handled(serviceOperations, regionHandlers(coordinator)),
    handled(eventOperations, eventHandlers(events)),
  ];
}

/** Imports, for the command that owns the data directory itself. @param more what else it does */
export function ownImports(owner: Owner, more: readonly Handled[] = []): Client {
  return clientOf([...more, ...importOwner(owner)], owner);
}
