import { shown } from '../imports/read/intake-error.ts';
import type { Source } from './source.ts';
import { SourceError } from './source-errors.ts';
import { inTime } from './spool.ts';

/**
 * Returns the function that puts a file of this machine where a source is, whole or not at all, in place of an earlier one. Its
 * `late` is aborted when it takes too long; default: after an hour.
 * @throws SourceError where nothing can be written; the function does so with what to do, or throws the signal's reason
 */
export function writerTo(source: Source): (path: string, signal: AbortSignal, late?: AbortSignal) => Promise<void> {
  const write = source.write?.bind(source);
  if (write === undefined) {
    throw new SourceError(`${shown(source.name)} cannot be written`, {
      remedy: 'name a file, or an address with s3://, gs:// or sftp://',
    });
  }
  return (path, signal, late) =>
    inTime(
      { signal, late },
      (either) => write(path, either),
      (minutes, cause) =>
        new SourceError(`${shown(source.name)} has not taken everything within ${minutes} minutes`, {
          remedy: 'see why its server is so slow',
          cause,
        }),
    );
}
