import { allowedPath, checkAllowed, checkAllowedAddress } from '../../sources/allowed-sources.ts';
import { type Obtained, obtain } from '../../sources/obtain.ts';
import type { ScheduleRecord } from './schedule-catalog.ts';

/** What a process knows that gets files: secrets of its environment, whom it trusts, what may be read. */
export interface SourceReaderOptions {
  readonly environment: (variable: string) => string | undefined;
  /** PEM of a certificate authority that sources may have too. */
  readonly ca: string | undefined;
  /** What schedules made over the API may read (ROLLCALL_SOURCES). */
  readonly sources: readonly string[];
}

/**
 * Gets the file of a schedule. What is fetched is kept in `folder`.
 * @throws SourceError, SourceNotAllowed; the signal's reason when aborted
 */
export type SourceReader = (
  wanted: Pick<ScheduleRecord, 'source' | 'headers' | 'maxSource' | 'copy' | 'restricted'>,
  place: { readonly folder: string; readonly signal: AbortSignal },
) => Promise<Obtained>;

export function sourceReader({ environment, ca, sources }: SourceReaderOptions): SourceReader {
  return async ({ source, headers, maxSource, copy, restricted }, place) => {
    // The settings may allow less than when it was made, and links may lead elsewhere.
    if (restricted) await checkAllowed(source, sources);
    const within = restricted && {
      real: (path: string) => allowedPath(path, sources),
      check: (to: URL) => checkAllowedAddress(to, sources),
    };
    const how = { settings: { headers }, environment, secret: () => undefined, ca };
    return obtain({ source, maxSource, copy, ...how, ...(within && { within }) }, place);
  };
}
