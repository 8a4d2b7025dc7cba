import { isRegion, type Region } from '../membership/membership.ts';

/** Where a request goes, by its host name (chat-service.md, section 1). */
export type Address =
  | { readonly kind: 'app'; readonly appId: string; readonly region: Region; readonly calls: boolean }
  | { readonly kind: 'management' }
  | { readonly kind: 'unknown' };

export const MANAGEMENT_NAME = 'apimgmt.localhost';

const APP_NAME = /^(?:([^.]+)\.)?(api|call)-([a-z]+)\.localhost$/;

/** Reads the header Host. An app's name may lack its app id, which is then empty. */
export function parseHost(host: string): Address {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  if (name === MANAGEMENT_NAME) return { kind: 'management' };
  const [, appId = '', service, region = ''] = APP_NAME.exec(name) ?? [];
  return isRegion(region) ? { kind: 'app', appId, region, calls: service === 'call' } : { kind: 'unknown' };
}
