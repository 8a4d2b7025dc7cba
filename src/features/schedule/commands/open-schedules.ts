import { openImports } from '../../../cli/target/open-target.ts';
import { localSchedules } from './local-schedules.ts';
import { remoteSchedules } from './remote-schedules.ts';

/** The schedules that a command is about, where its imports are. @throws as openImports */
export async function openSchedules(flags: Parameters<typeof openImports>[0]) {
  const { config, imports } = await openImports(flags);
  const { server } = imports;
  const schedules = server === undefined ? localSchedules(config, imports) : remoteSchedules(server, imports);
  return { config, imports, schedules };
}
