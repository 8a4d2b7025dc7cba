import { type Config, environmentVariable } from '../platform/config.ts';
import { readNamed } from '../platform/given-values.ts';
import type { SourceContext } from '../sources/named.ts';

/** The certificate authority of ROLLCALL_CA_FILE, PEM. @throws BAD_SETTING */
export function caOf({ caFile }: Pick<Config, 'caFile'>) {
  return caFile && readNamed('ROLLCALL_CA_FILE', caFile);
}

/** The context of sources in this process. @throws BAD_SETTING */
export function sourceContextOf(config: Pick<Config, 'namedSources' | 'caFile'>): SourceContext {
  return { named: config.namedSources, environment: environmentVariable, ca: caOf(config) };
}
