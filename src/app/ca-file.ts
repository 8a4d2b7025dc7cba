import { readFileSync } from 'node:fs';
import { messageOf } from '../errors/message-of.ts';
import { badSetting } from '../errors/rollcall-error.ts';
import { type Config, environmentVariable } from '../platform/config.ts';
import type { SourceContext } from '../sources/named.ts';

/** The certificate authority of ROLLCALL_CA_FILE, PEM. @throws BAD_SETTING */
export function caOf({ caFile }: Pick<Config, 'caFile'>): string | undefined {
  return caFile === undefined ? undefined : readCa(caFile);
}

function readCa(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw badSetting(`ROLLCALL_CA_FILE names ${path}, which cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Returns the context of sources in this process.
 * @throws BAD_SETTING where the file of the certificate authority cannot be read
 */
export function sourceContextOf(config: Pick<Config, 'namedSources' | 'caFile'>): SourceContext {
  return { named: config.namedSources, environment: environmentVariable, ca: caOf(config) };
}
