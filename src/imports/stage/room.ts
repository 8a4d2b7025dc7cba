import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { freeBytes, NoRoom } from '../../platform/disk-full.ts';

/** Bytes that a row takes in ledger and reports, beside its own text (docs/scale.md). */
const ROW_BYTES = 250;
/** Number of copies of a row's text: in the ledger and in the report. */
const COPIES = 2;
/** The ledger's write-ahead log takes about as many while it is sent, and less for a small file. */
const JOURNAL_BYTES = 4 * 1024 * 1024;
/** Bytes from the beginning of a file that tell how long its rows are. */
const SAMPLE_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * Refuses a file whose ledger and reports would fill the disk. @throws NoRoom
 * @param ledger its path, in a folder that is there
 */
export async function checkRoom(source: string, ledger: string): Promise<void> {
  const needed = await neededBytes(source);
  const free = await freeBytes(dirname(ledger));
  if (needed > free) throw new NoRoom(needed, free);
}

/** About as many bytes as an import of the file takes: rather too few, as what is compressed is not looked into. */
async function neededBytes(source: string): Promise<number> {
  const status = await stat(source).catch(() => undefined);
  // A pipe must be opened once only; what is wrong with anything else, reading it says.
  if (status?.isFile() !== true) return 0;
  const file = await open(source).catch(() => undefined);
  if (file === undefined) return 0;
  await using opened = file;
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
  const sample = buffer.subarray(0, bytesRead);
  const lines = sample.reduce((count, byte) => count + (byte === LINE_FEED ? 1 : 0), 0);
  const isText = !sample.includes(0);
  const rows = isText && bytesRead > 0 ? (status.size / bytesRead) * lines : 0;
  const kept = COPIES * status.size + rows * ROW_BYTES;
  return kept + Math.min(JOURNAL_BYTES, kept / 2);
}
