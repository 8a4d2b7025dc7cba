import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl';
import { option, words } from '../../../errors/named-options.ts';
import { messageOf } from '../../../errors/rollcall-error.ts';
import { BLOCK_BYTES } from '../byte-source.ts';
import { type Bounds, checkExpansion, intakeError, isIntakeError, notReadable, shownPath } from '../intake-error.ts';

const MAX_ENTRIES = 200_000;

const KINDS_OF_FILE = 0o170_000;
const SYMBOLIC_LINK = 0o120_000;

/** A ZIP archive, read at random places: nothing of it is written to the disk, and its names never become paths. */
export type Zip = Awaited<ReturnType<typeof openZip>>;

/**
 * Opens an archive and reads its directory. Throws ZIP_BROKEN, TOO_LARGE when there are too many entries, UNSAFE_ARCHIVE
 * when one has a name that leads out of the archive, or that another has too.
 * @param from path of a regular file, or the whole archive
 */
export async function openZip(from: string | Buffer, name: string, bounds: Bounds, onRead: () => void = () => {}) {
  let file: ZipFile | undefined;
  try {
    file = await (typeof from === 'string' ? openPromise(from, { autoClose: false }) : fromBufferPromise(from));
    if (file.entryCount > MAX_ENTRIES) {
      throw intakeError(
        'TOO_LARGE',
        `${shownPath(name)} has ${file.entryCount} entries; allowed are ${MAX_ENTRIES}`,
        'Unpack it, and import the files or the folder with the rows',
      );
    }
    const entries = new Map<string, Entry>();
    for await (const entry of file.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      const same = entries.get(entry.fileName);
      if (same !== undefined) throw twice(name, same, entry);
      entries.set(entry.fileName, entry);
    }
    return zipOf(file, entries, name, bounds, onRead);
  } catch (error) {
    file?.close();
    throw isIntakeError(error) ? error : unreadable(name, error);
  }
}

function zipOf(file: ZipFile, entries: ReadonlyMap<string, Entry>, name: string, bounds: Bounds, onRead: () => void) {
  /** Bytes that entries have been unpacked to; those that are read twice count once. */
  const unpacked = new Map<string, number>();
  let total = 0;
  const progress = { before: 0, now: 0 };
  const entryOf = (entry: string): Entry => {
    const found = entries.get(entry);
    if (found === undefined) throw new TypeError(`${name} has no entry ${entry}`);
    return found;
  };

  /**
   * The content of an entry in blocks. Throws TOO_LARGE when it unpacks to more than the bounds allow, ZIP_BROKEN when it
   * is damaged, ENCRYPTED, UNSAFE_ARCHIVE when it is a link.
   */
  async function* read(entryName: string) {
    const entry = entryOf(entryName);
    checkEntry(entry, name);
    const place = shownPath(entryName);
    const packed = entry.compressedSize;
    let bytes = 0;
    let sum = 0;
    try {
      const stream = await file.openReadStreamPromise(entry);
      try {
        for await (const piece of stream as AsyncIterable<Buffer>) {
          bytes += piece.length;
          onRead();
          sum = crc32(piece, sum);
          const earlier = unpacked.get(entryName) ?? 0;
          if (bytes > earlier) {
            unpacked.set(entryName, bytes);
            total += bytes - earlier;
          }
          checkExpansion('it', { unpacked: bytes, packed, place }, bounds);
          checkExpansion('it', { unpacked: total, packed: file.fileSize }, bounds);
          progress.now = Math.min(packed, bytes);
          for (let start = 0; start < piece.length; start += BLOCK_BYTES) {
            yield piece.subarray(start, start + BLOCK_BYTES);
          }
        }
      } finally {
        stream.destroy();
        progress.before += packed;
        progress.now = 0;
      }
    } catch (error) {
      throw isIntakeError(error) ? error : unreadable(name, error, entryName);
    }
    if (sum !== entry.crc32) throw unreadable(name, new Error('its check sum is wrong'), entryName);
  }

  return {
    names: [...entries.keys()],
    size: file.fileSize,
    /** Bytes of the archive that have been unpacked so far. */
    bytesRead: () => Math.min(file.fileSize, progress.before + progress.now),
    has: (entry: string) => entries.has(entry),
    sizeOf: (entry: string) => entryOf(entry).compressedSize,
    read,
    close: () => file.close(),
  };
}

function checkEntry(entry: Entry, name: string) {
  const kind = (entry.externalFileAttributes >>> 16) & KINDS_OF_FILE;
  if (kind === SYMBOLIC_LINK) {
    throw intakeError(
      'UNSAFE_ARCHIVE',
      `this entry of ${shownPath(name)} is a link to another file; links are not followed`,
      words`Pack the file itself, or leave it out with ${option('files')}`,
      { place: shownPath(entry.fileName), file: name, entry: entry.fileName },
    );
  }
  if (!entry.isEncrypted()) return;
  throw intakeError(
    'ENCRYPTED',
    `this entry of ${shownPath(name)} is protected by a password`,
    'Unpack the archive with its password, and import the folder',
    { place: shownPath(entry.fileName), file: name, entry: entry.fileName },
  );
}

function twice(name: string, one: Entry, other: Entry) {
  return intakeError(
    'UNSAFE_ARCHIVE',
    `${shownPath(name)} has two entries of this name: one of ${one.uncompressedSize} bytes (at byte ${one.relativeOffsetOfLocalHeader}), and one of ${other.uncompressedSize} bytes (at byte ${other.relativeOffsetOfLocalHeader})`,
    'Unpack both under different names, and import the folder',
    { place: shownPath(one.fileName), file: name, entry: one.fileName },
  );
}

function unreadable(name: string, cause: unknown, entry?: string) {
  const message = messageOf(cause);
  if (/relative path|absolute path|invalid characters in fileName/.test(message)) {
    return intakeError(
      'UNSAFE_ARCHIVE',
      `an entry of ${shownPath(name)} has a name that leads out of the archive (${message})`,
      'Do not trust this archive. If it is yours, pack it again with names below its own folder',
      { cause },
    );
  }
  const [, method] = /unsupported compression method: (\d+)/.exec(message) ?? [];
  if (method !== undefined) {
    return intakeError(
      'OTHER_FORMAT',
      `this entry of ${shownPath(name)} is compressed with ZIP method ${method}; methods 0 (stored) and 8 (Deflate) are read`,
      'Pack it again with the usual method, or unpack it and import the folder',
      { place: entry && shownPath(entry), cause },
    );
  }
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EIO' || code === 'ENOENT') {
    throw notReadable(name, 'be read', cause);
  }
  return intakeError(
    'ZIP_BROKEN',
    `${shownPath(name)} is damaged or cut off (${message})`,
    'Test it with "unzip -t", and transfer or save it again',
    { place: entry && shownPath(entry), cause },
  );
}
