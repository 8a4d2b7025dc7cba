import { openImports } from '../../../cli/target/open-imports.ts';
import { localSchedules } from './local-schedules.ts';
import type { Schedules } from './schedules.ts';

/** The schedules that a command is about, where its imports are. @throws as openImports */
export async function openSchedules(flags: Parameters<typeof openImports>[0]) {
  const { config, imports } = await openImports(flags);
  const { server, command } = imports;
  const schedules: Schedules =
    server === undefined ? localSchedules(config) : (await import('./remote-schedules.ts')).remoteSchedules(server);
  return { config, server, schedules, command };
}
