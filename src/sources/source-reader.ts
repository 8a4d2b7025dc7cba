import { resolve } from 'node:path';
import { isAddress, isRemote } from '../text/address-text.ts';
import { allowedPath, checkAllowed, checkAllowedAddress, checkAllowedHost } from './allowed-sources.ts';
import type { SourceContext } from './named.ts';
import { type Obtained, obtain, wholeSource } from './obtain.ts';
import { checkedAddress } from './schemes.ts';
import type { SourceSettings } from './source.ts';
import type { Kept } from './spool.ts';

/** The options for fetching files: secrets of the environment, trusted certificates, allowed sources. */
export interface SourceReaderOptions extends SourceContext {
  /** The sources that users of the API may read (ROLLCALL_SOURCES). */
  readonly sources: readonly string[];
}

/** A source as it was named and checked: `wholeSource`, `allowedSource`. */
interface SourceWanted {
  readonly source: string;
  readonly headers: SourceSettings['headers'] & object;
  readonly settings: SourceSettings;
  /** Largest file. */
  readonly maxBytes: number;
  /** The copy that the folder already has. */
  readonly copy: Kept | null;
  /** It was named over the API. */
  readonly restricted: boolean;
}

/**
 * Gets the file of a source. A fetched file is kept in `folder`.
 * @throws SourceError, SOURCE_NOT_ALLOWED, DISK_FULL; the signal's reason when aborted
 */
export type SourceReader = (
  wanted: SourceWanted,
  place: { readonly folder: string; readonly signal: AbortSignal },
) => Promise<Obtained>;

export function sourceReader({ sources, ...context }: SourceReaderOptions): SourceReader {
  return async ({ source, headers, settings, maxBytes, copy, restricted }, place) => {
    // The settings may allow less than when it was made, and links may lead elsewhere.
    if (restricted) await checkAllowed(source, sources);
    const within = restricted && {
      real: (path: string) => allowedPath(path, sources),
      check: (to: URL) => checkAllowedAddress(to, sources),
      connect: (host: string, address: string) => checkAllowedHost(host, address, sources),
    };
    const given = { ...settings, headers };
    return obtain({ source, given, context, maxBytes, copy, ...(within && { within }) }, place);
  };
}

/**
 * A source that someone names over the API, as it means everywhere. It is not opened: the answer must not reveal what there
 * is elsewhere.
 * @throws SOURCE_NOT_ALLOWED, SourceError, IntakeError
 */
export async function allowedSource(text: string, sources: readonly string[]): Promise<string> {
  if (isRemote(text)) {
    const whole = isAddress(text) ? checkedAddress(text) : text;
    await checkAllowed(whole, sources);
    return whole;
  }
  await checkAllowed(resolve(text), sources);
  return wholeSource(text, '/');
}
