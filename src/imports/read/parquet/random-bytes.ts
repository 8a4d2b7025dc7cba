import { open } from 'node:fs/promises';

/** A file that is read at random places. */
export interface RandomBytes {
  readonly size: number;
  /** Fewer bytes only at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>;
  close(): void;
}

export async function randomBytes(from: string | Buffer): Promise<RandomBytes> {
  if (typeof from !== 'string') {
    return {
      size: from.length,
      read: async (offset, length) => from.subarray(offset, offset + length),
      close: () => {},
    };
  }
  const file = await open(from);
  const { size } = await file.stat();
  return {
    size,
    read: async (offset, length) => {
      const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, size - offset)));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      return bytes.subarray(0, bytesRead);
    },
    // Nobody waits for this; what was read is there, and what is being read ends with an error.
    close: () => void file.close().catch(() => {}),
  };
}
