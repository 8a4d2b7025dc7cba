import { type ImportView, importOperations } from '../../api/imports.ts';
import { rowOperations } from '../../api/rows.ts';
import { serviceOperations } from '../../api/service.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import type { CallLimits } from '../../imports/report/summary.ts';
import { isAddress } from '../../text/address-text.ts';
import type { FilterTexts } from '../flags/flags.ts';
import type { Io } from '../screen/io.ts';
import { type Client, entriesOf, unless } from './operation-client.ts';
import type { Server } from './server-client.ts';

/** The place of imports: a data directory (data-directory.ts) or a server (open-imports.ts). */
interface Place {
  /** The server that runs imports. Undefined: this process, or another one on this machine. */
  readonly server: Server | undefined;
  /** Does operations on them; those that continue an import only where a process or server runs imports. */
  readonly client: Client;
  /** Calls a minute of what sends the imports; undefined where a server does not say it. */
  limits(): Promise<CallLimits | undefined>;
  /** Completes "there are no imports …". */
  place(): string;
  /** A command that the user can type, with what leads it to these imports. */
  command(...words: readonly string[]): string;
  /** The folder of an import, for a person to look into. */
  folder(id: string): string;
  /** Reports of a finished import, by purpose. */
  files(found: Pick<ImportView, 'id' | 'reports'>): Files;
  /** Says before anything is sent where it goes; a process of this machine says so when it begins. */
  saySendsTo(io: Io): Promise<void>;
}

/** Places of files; null for one that was not written. */
export type Files = readonly (readonly [what: string, where: string | null])[];

/** The imports that commands are about. */
export type Imports = ReturnType<typeof importsIn>;

/** Whether the command itself does what it asks for: there is no server, and no process that owns the data directory. */
export async function isAlone({ server, regions }: Pick<Imports, 'server' | 'regions'>): Promise<boolean> {
  return server === undefined && (await regions()) === undefined;
}

/** Imports that a page of the list holds at most. */
const MAX_OF_PAGE = 200;

export function importsIn(place: Place) {
  const { client, server } = place;
  const noImports = () =>
    new RollcallError('NO_IMPORTS', {
      where: place.place(),
      otherwise: server === undefined ? 'directory with --data-dir' : 'server with --server',
    });
  const whole = (path: string | null) => path && `${server?.url}${path}`;
  const shown = (view: ImportView): ImportView => {
    if (server === undefined) return view;
    const { all, failed, retry, created } = view.reports;
    const reports = { all: whole(all), failed: whole(failed), retry: whole(retry), created: whole(created) };
    // The server knows by itself whether it sends to a sandbox.
    return { ...view, reports, sandbox: false };
  };
  const newest = async (limit: number, filter: FilterTexts) => {
    const page = async (size: number, cursor?: string) => {
      const answer = await client.call(importOperations.list, { ...filter, limit: `${size}`, cursor });
      return { entries: answer.imports, nextCursor: answer.nextCursor };
    };
    return (await entriesOf(page, MAX_OF_PAGE, limit)).map(shown);
  };
  /** `sandbox`: whether the commands that continue it need `--sandbox`. @throws UNKNOWN_IMPORT */
  const one = async (id: string) => shown(await client.call(importOperations.one, { id }));
  return {
    ...place,
    /** The state of the regions; undefined where no process runs imports. */
    regions: async () => (await unless('NO_OWNER', client.call(serviceOperations.regions, {})))?.regions,
    one,
    /** Newest first; reports are paths or whole addresses. @throws NO_IMPORTS where there are none at all */
    list: async (limit: number, filter: FilterTexts = {}) => {
      const found = await newest(limit, filter);
      if (found.length === 0 && Object.keys(filter).length === 0) throw noImports();
      return found;
    },
    /** The import with this id, or the latest one. @throws NO_IMPORTS, UNKNOWN_IMPORT */
    find: async (id: string | undefined) => {
      if (id !== undefined) return one(id);
      const [latest] = await newest(1, {});
      if (latest === undefined) throw noImports();
      return latest;
    },
    /** Its rows that need attention, by outcome and code. */
    problems: async (id: string) =>
      (await unless('NO_ROWS_YET', client.call(rowOperations.problems, { id })))?.problems ?? [],
  };
}

/** Says how the rows of an import that need attention are corrected; nothing where there are none. */
export function correcting(imports: Imports, found: ImportView, said: (file: string) => string) {
  const [, file = null] = imports.files(found).find(([what]) => what === 'needs attention') ?? [];
  if (file === null) return [];
  return [said(file), `  ${imports.command('retry', found.id, '--edits', isAddress(file) ? 'FILE' : file)}`];
}
