import { readFileSync } from 'node:fs';
import { messageOf } from '../errors/message-of.ts';
import { type Config, ConfigError } from '../platform/config.ts';

/** The certificate authority of ROLLCALL_CA_FILE, PEM. @throws ConfigError */
export function caOf({ caFile }: Pick<Config, 'caFile'>): string | undefined {
  return caFile === undefined ? undefined : readCa(caFile);
}

function readCa(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`ROLLCALL_CA_FILE names ${path}, which cannot be read: ${messageOf(error)}`);
  }
}
