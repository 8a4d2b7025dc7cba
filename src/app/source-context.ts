import { type Config, environmentVariable } from '../platform/config.ts';
import type { SourceContext } from '../sources/named.ts';
import { caOf } from './ca-file.ts';

/**
 * Returns the context of sources in this process.
 * @throws ConfigError where the file of the certificate authority cannot be read
 */
export function sourceContextOf(config: Pick<Config, 'namedSources' | 'caFile'>): SourceContext {
  return { named: config.namedSources, environment: environmentVariable, ca: caOf(config) };
}
