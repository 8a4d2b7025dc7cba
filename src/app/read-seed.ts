import { readFile } from 'node:fs/promises';
import { messageOf } from '../errors/message-of.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { parseSeed, type SeedDocument } from '../sandbox/seed.ts';

class SeedUnreadable extends RollcallError {
  constructor(message: string, options?: ErrorOptions) {
    super('BAD_SEED', message, options);
  }
}

/** @throws SeedUnreadable, SeedError */
export async function readSeed(path: string): Promise<SeedDocument> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const why = messageOf(error);
    throw new SeedUnreadable(`the seed file ${path} cannot be read: ${why}`, { cause: error });
  }
  return parseSeed(text, path);
}
