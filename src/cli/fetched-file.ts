import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { caOf } from '../app/ca-file.ts';
import { type Config, environmentVariable } from '../platform/config.ts';
import type { SpoolProgress } from '../sources/spool.ts';
import { isAddress } from '../text/address.ts';
import { grouped } from '../text/wording.ts';
import { UsageError } from './errors.ts';
import type { SourceFlags } from './flags/source-flags.ts';

/** The file behind an address, for a command in this process. */
export interface FetchedFile {
  /** As it is shown and kept: without the query, which may be as good as a password. */
  readonly name: string;
  /**
   * Fetches it to `path`, whole or not at all: in a folder that is its own, and is removed where it is not had. False where
   * the signal came first. @throws SourceError
   */
  fetch(path: string, signal: AbortSignal): Promise<boolean>;
  /** Progress; none before the first piece has come. */
  lines(): readonly string[];
}

/**
 * What is to be fetched; undefined for a path. What can be refused without asking anyone is refused here.
 * @throws SourceError, UsageError
 */
export async function fileToFetch(
  config: Config,
  file: string,
  { header = [], maxSource = Number.MAX_SAFE_INTEGER }: SourceFlags,
): Promise<FetchedFile | undefined> {
  if (!isAddress(file)) {
    if (header.length > 0)
      throw new UsageError('--header is for https addresses, and the file is not one; leave it out');
    return undefined;
  }
  // Loaded for those alone who need them.
  const [{ sourceAt }, { headersFrom }, { spool }] = await Promise.all([
    import('../sources/schemes.ts'),
    import('../sources/headers.ts'),
    import('../sources/spool.ts'),
  ]);
  const how = {
    settings: { headers: headersFrom(header) },
    environment: environmentVariable,
    secret: () => undefined,
    ca: caOf(config),
  };
  const source = await sourceAt({ address: file, ...how });
  let line: string | undefined;
  return {
    name: source.name,
    lines: () => (line === undefined ? [] : [line]),
    fetch: async (path, signal) => {
      const onProgress = (progress: SpoolProgress) => {
        line = fetchingLine(progress);
      };
      try {
        await spool(source, { path, maxBytes: maxSource, signal, onProgress });
        return true;
      } catch (error) {
        await rm(dirname(path), { recursive: true, force: true });
        if (signal.aborted) return false;
        throw error;
      }
    },
  };
}

function fetchingLine({ bytes, rows, of }: SpoolProgress): string {
  const share = of === undefined || of === 0 ? '' : `  ${Math.floor((bytes / of) * 100)} %`;
  const many = rows === undefined ? '' : `  ${grouped(rows)} rows`;
  return `fetching  ${grouped(Math.ceil(bytes / 1024))} KiB${share}${many}`;
}
