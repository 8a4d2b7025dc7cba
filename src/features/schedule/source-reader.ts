import { allowedPath, checkAllowed, checkAllowedAddress, checkAllowedHost } from '../../sources/allowed-sources.ts';
import type { SourceContext } from '../../sources/named.ts';
import { type Obtained, obtain } from '../../sources/obtain.ts';
import type { ScheduleRecord } from './schedule-catalog.ts';

/** What a process knows that gets files: secrets of its environment, whom it trusts, what may be read. */
export interface SourceReaderOptions extends SourceContext {
  /** What schedules made over the API may read (ROLLCALL_SOURCES). */
  readonly sources: readonly string[];
}

/**
 * Gets the file of a schedule. What is fetched is kept in `folder`.
 * @throws SourceError, SourceNotAllowed; the signal's reason when aborted
 */
export type SourceReader = (
  wanted: Pick<ScheduleRecord, 'source' | 'headers' | 'settings' | 'maxSource' | 'copy' | 'restricted'>,
  place: { readonly folder: string; readonly signal: AbortSignal },
) => Promise<Obtained>;

export function sourceReader({ sources, ...context }: SourceReaderOptions): SourceReader {
  return async ({ source, headers, settings, maxSource, copy, restricted }, place) => {
    // The settings may allow less than when it was made, and links may lead elsewhere.
    if (restricted) await checkAllowed(source, sources);
    const within = restricted && {
      real: (path: string) => allowedPath(path, sources),
      check: (to: URL) => checkAllowedAddress(to, sources),
      connect: (host: string, address: string) => checkAllowedHost(host, address, sources),
    };
    const given = { ...settings, headers };
    return obtain({ source, given, context, maxSource, copy, ...(within && { within }) }, place);
  };
}
