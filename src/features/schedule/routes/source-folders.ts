import { mkdir, opendir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isoTime } from '../../../api/fields.ts';
import { shown } from '../../../imports/read/intake-error.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import { PACKAGE_FOLDER } from '../../../platform/package-folder.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { Problem } from '../../../server/problem.ts';
import { optionProblem } from '../../../server/refusals.ts';
import { serve } from '../../../server/serve.ts';
import { allowedFolder, allowedPath } from '../../../sources/allowed-sources.ts';
import type { SourceEntry } from '../../../sources/source.ts';
import { SourceError, SourceNotAllowed } from '../../../sources/source-errors.ts';
import { listSource } from '../../../sources/source-reader.ts';
import { isRemote } from '../../../text/address-text.ts';
import { scheduleOperations } from '../operations.ts';

/** Time in which a bucket or server must have listed a folder, in ms: a person waits for it. */
const MAX_MS = 20_000;

/** `GET /v1/sources`: so that people choose the file of a schedule and need not know its path. */
export function sourcesRoute(app: Api, { settings, fetching }: Pick<ServerContext, 'settings' | 'fetching'>): void {
  serve(app, scheduleOperations.sources, async ({ query: { folder } }) => {
    const sources = settings.sources;
    const listed = isRemote(folder)
      ? listSource(folder, { ...fetching, sources }, AbortSignal.timeout(MAX_MS)).then(firstEntries)
      : sourceEntries(folder, sources);
    const { entries, more } = await listed.catch(refused);
    return {
      entries: entries.map(({ name, kind, size, modifiedAt }) => ({
        ...{ name, kind, size: kind === 'file' ? size : null },
        modifiedAt: isoTime(modifiedAt),
      })),
      more,
    };
  });
}

function refused(error: unknown): never {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    throw new Problem('BAD_OPTION', `The folder was not listed within ${MAX_MS / 1000} seconds.`, { field: 'folder' });
  }
  throw optionProblem('folder', error, error instanceof SourceNotAllowed ? 'SOURCE_NOT_ALLOWED' : 'BAD_OPTION');
}

/** A folder may have millions of entries: as many are read, and as many of them are given. */
const MAX_READ = 2_000;
const MAX_GIVEN = 200;

interface Listing {
  readonly entries: readonly SourceEntry[];
  /** There are more. */
  readonly more: boolean;
}

/**
 * The folders in a folder by name, then its files, the newest first. Left out are hidden ones, and links that lead out
 * of the allowed folders.
 * @throws SourceNotAllowed; SourceError where there is no such folder
 */
async function sourceEntries(folder: string, allowed: readonly string[]): Promise<Listing> {
  const path = resolve(folder);
  try {
    const names = await namesIn(await allowedFolder(path, allowed));
    const found = await Promise.all(names.map((name) => entryOf(path, name, allowed)));
    const { entries, more } = firstEntries(found.filter((entry) => entry !== undefined));
    return { entries, more: more || names.length === MAX_READ };
  } catch (error) {
    if (error instanceof SourceNotAllowed) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    const why = REASONS[code] ?? `cannot be read: ${(error as Error).message}`;
    throw new SourceError(`${shown(path)} ${why}`, { cause: error });
  }
}

/** Returns as many entries as are given, in their order. */
function firstEntries(found: readonly SourceEntry[]): Listing {
  return { entries: [...found].sort(inOrder).slice(0, MAX_GIVEN), more: found.length > MAX_GIVEN };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'is not there; check the path',
  ENOTDIR: 'is not a folder',
  EACCES: 'may not be read by the user who runs the server',
};

async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    if (!name.startsWith('.')) names.push(name);
    if (names.length === MAX_READ) break;
  }
  return names;
}

/** Undefined for what may not be read, is gone by now, or is neither a folder nor a file. */
async function entryOf(folder: string, name: string, allowed: readonly string[]): Promise<SourceEntry | undefined> {
  const found = await allowedPath(join(folder, name), allowed)
    .then((real) => stat(real))
    .catch(() => undefined);
  if (found === undefined || !(found.isDirectory() || found.isFile())) return undefined;
  const kind = found.isFile() ? 'file' : 'folder';
  return { name, kind, size: found.size, modifiedAt: Math.round(found.mtimeMs) };
}

function inOrder(a: SourceEntry, b: SourceEntry): number {
  if (a.kind !== b.kind) return a.kind === 'folder' ? -1 : 1;
  const byTime = a.kind === 'file' ? b.modifiedAt - a.modifiedAt : 0;
  return byTime || (a.name < b.name ? -1 : 1);
}

const SAMPLE = new URL('samples/first-import/members.csv', PACKAGE_FOLDER);

/** The folder that schedules may read where no setting names one and calls go to a sandbox. It is made with a sample; what people do in it stays. */
export async function sandboxSources({ sources }: Pick<DataDir, 'sources'>): Promise<string> {
  const made = await mkdir(sources, { recursive: true, mode: 0o700 });
  if (made !== undefined) await writeFile(join(sources, 'members.csv'), await readFile(SAMPLE), { mode: 0o600 });
  return sources;
}
