import { existsSync } from 'node:fs';
import { askRegions } from '../../../app/owner-socket.ts';
import type { Imports } from '../../../cli/client/import-place.ts';
import { unless } from '../../../cli/client/operation-client.ts';
import type { Server } from '../../../cli/client/server-client.ts';
import { checkFiles } from '../../../imports/predictions/check-paths.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import type { CheckView } from '../api.ts';

/** The check of an import. */
export interface Checked extends Pick<CheckView, 'state' | 'underWay' | 'reason' | 'calls' | 'summary'> {
  /** The files with every row and every group. */
  readonly files: readonly string[];
}

/** The check of an import; undefined if there is none. Parts of the API are loaded where they are needed: most imports are not checked. */
export async function checkedOf(config: Pick<Config, 'dataDir'>, { server }: Pick<Imports, 'server'>, id: string) {
  return server === undefined ? checkedHere(config, id) : checkedThere(server, id);
}

async function checkedHere(config: Pick<Config, 'dataDir'>, id: string): Promise<Checked | undefined> {
  const dir = dataDir(config.dataDir);
  const { check, rows, groups } = checkFiles(dir.folder(id));
  if (!existsSync(check)) return undefined;
  const { checkView } = await import('../check-view.ts');
  const view = await checkView(dir, id);
  if (view === undefined) return undefined;
  return {
    ...view,
    underWay: view.state === 'running' && (await askRegions(dir)) !== undefined,
    files: [rows, groups],
  };
}

async function checkedThere(server: Server, id: string): Promise<Checked | undefined> {
  const { checkOperations } = await import('../operations.ts');
  const view = await unless('NO_CHECK_YET', server.call(checkOperations.one, { id }));
  const address = (list: string) => `${server.url}/v1/imports/${encodeURIComponent(id)}/check/${list}`;
  return view && { ...view, files: [address('rows'), address('groups')] };
}
