import { statSync } from 'node:fs';
import type { Staging } from '../api/imports.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';

/** The progress of each file that this process reads, by import. */
export function followStaging(coordinator: Pick<Coordinator, 'events' | 'find'>): ReadonlyMap<string, Staging> {
  const { events } = coordinator;
  const staging = new Map<string, Staging>();
  events.on('staging', (id, progress) => {
    const totalBytes = staging.get(id)?.totalBytes ?? sizeOf(coordinator.find(id).source);
    staging.set(id, { ...progress, totalBytes });
  });
  events.on('state', ({ id, state }) => {
    if (state !== 'staging') staging.delete(id);
  });
  events.on('removed', (id) => staging.delete(id));
  return staging;
}

/** Null for what has no size, such as a named pipe or a folder. */
function sizeOf(path: string): number | null {
  const status = statSync(path, { throwIfNoEntry: false });
  return status?.isFile() ? status.size : null;
}
