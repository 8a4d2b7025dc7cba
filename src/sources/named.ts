import { defined } from '../platform/defined.ts';
import type { NamedSource } from '../platform/named-sources.ts';
import { isAddress, sourceName } from '../text/address-text.ts';
import { secretReader, variableOf } from './secrets.ts';
import type { SourceRequest, SourceSettings } from './source.ts';
import { SourceError } from './source-errors.ts';

/**
 * The context of sources in a process: the named sources of its settings, its environment, and the certificates it
 * trusts.
 */
export interface SourceContext {
  readonly named: Readonly<Record<string, NamedSource>>;
  readonly environment: SourceRequest['environment'];
  /** PEM of another certificate authority that sources may use. */
  readonly ca: string | undefined;
}

/** The named source that a text begins with: `hr` of `hr:/out/members.csv`. */
function nameIn(text: string, named: SourceContext['named']): string | undefined {
  const name = sourceName(text);
  return name !== undefined && Object.hasOwn(named, name) ? name : undefined;
}

/** Whether a text is to be fetched: an address, or in a named source. Anything else is a path. */
export function isAddressOrName(text: string, named: SourceContext['named']): boolean {
  return isAddress(text) || nameIn(text, named) !== undefined;
}

/**
 * An address, or the address and settings of a named source, as a request. The given settings take precedence over
 * those of the name.
 */
export function requestOf(text: string, given: SourceSettings, context: SourceContext): SourceRequest {
  const { named, environment, ca } = context;
  const name = nameIn(text, named);
  const source = name === undefined ? undefined : named[name];
  if (name === undefined || source === undefined) {
    if (!isAddress(text)) throw unknownName(sourceName(text) ?? text, Object.keys(named));
    return { address: text, settings: given, environment, ca, secret: secretReader(given, environment) };
  }
  const { url, ...ofName } = source;
  const keyFile = ofName.keyFile ?? environment(variableOf(name, 'keyFile'));
  const settings = { ...ofName, ...defined({ keyFile }), ...given, ...joined(ofName, given) };
  const address = below(url, text.slice(name.length + 1));
  return { address, settings, environment, ca, secret: secretReader(settings, environment, name) };
}

function unknownName(name: string, known: readonly string[]) {
  const others = known.length === 0 ? 'none is named there' : `named there are ${known.join(', ')}`;
  return new SourceError(
    `the settings name no source ${JSON.stringify(name)}; ${others}`,
    'name it in "sources" of rollcall.config.json, where rollcall runs',
  );
}

function joined(ofName: SourceSettings, given: SourceSettings): SourceSettings {
  return { headers: { ...ofName.headers, ...given.headers }, secrets: { ...ofName.secrets, ...given.secrets } };
}

/** A place below an address. */
function below(url: string, place: string) {
  if (place === '') return url;
  return `${url.replace(/\/+$/, '')}/${place.replace(/^\/+/, '')}`;
}
