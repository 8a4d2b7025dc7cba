import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { caOf } from '../app/ca-file.ts';
import { refuseAddress } from '../imports/read/intake-error.ts';
import { type Config, environmentVariable } from '../platform/config.ts';
import { schemeOf } from '../text/address.ts';
import { grouped } from '../text/wording.ts';
import { UsageError } from './errors.ts';
import type { SourceFlags } from './flags/source-flags.ts';

/** The file behind an https address, for a command in this process. */
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
 * @throws IntakeError BAD_ADDRESS, SourceError, UsageError
 */
export async function fileToFetch(
  config: Config,
  file: string,
  { header = [], maxSource = Number.MAX_SAFE_INTEGER }: SourceFlags,
): Promise<FetchedFile | undefined> {
  const scheme = schemeOf(file);
  if (scheme !== 'https' && scheme !== 'http') {
    refuseAddress(file, 'a path or an https:// address');
    if (header.length > 0)
      throw new UsageError('--header is for https addresses, and the file is not one; leave it out');
    return undefined;
  }
  // Loaded for those alone who need them.
  const [{ addressName, checkedAddress }, { headersFrom, headersWithValues }, { download }] = await Promise.all([
    import('../features/schedule/source.ts'),
    import('../features/schedule/source-headers.ts'),
    import('../features/schedule/download.ts'),
  ]);
  const url = checkedAddress(file);
  const headers = headersWithValues(headersFrom(header), environmentVariable);
  const ca = caOf(config);
  let line: string | undefined;
  return {
    name: addressName(url),
    lines: () => (line === undefined ? [] : [line]),
    fetch: async (path, signal) => {
      const folder = dirname(path);
      const onPiece = (bytes: number, of: number | undefined) => {
        line = fetchingLine(bytes, of);
      };
      try {
        const kept = await download({ url, headers, maxBytes: maxSource, copy: null, folder, ca, signal, onPiece });
        await rename(kept.path, path);
        return true;
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        if (signal.aborted) return false;
        throw error;
      }
    },
  };
}

function fetchingLine(bytes: number, of: number | undefined): string {
  const share = of === undefined || of === 0 ? '' : `  ${Math.floor((bytes / of) * 100)} %`;
  return `fetching  ${grouped(Math.ceil(bytes / 1024))} KiB${share}`;
}
