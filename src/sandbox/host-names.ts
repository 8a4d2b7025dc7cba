import { isRegion, REGIONS, type Region } from '../membership/membership.ts';

/** The addressee of a request, by its host name (docs/chat-service.md, 1 to 5). */
type Address =
  | { readonly kind: 'app'; readonly appId: string; readonly region: Region; readonly calls: boolean }
  | { readonly kind: 'management' }
  | { readonly kind: 'unknown' };

/** The names of a sandbox under its domain, which takes the place of `<host>` in the service's addresses. */
export interface Names {
  /** Takes the place of `<host>`, without a port. */
  readonly domain: string;
  /** For the certificate. */
  readonly all: readonly string[];
  /** Reads the header Host. An app's name may lack its app id, which is then empty. */
  parse(host: string): Address;
}

const APP_LABELS = /^(?:([^.]+)\.)?(api|call)-([a-z]+)$/;
const MANAGEMENT_LABEL = 'apimgmt';

export function namesUnder(domain: string): Names {
  const ending = `.${domain.toLowerCase()}`;
  const apps = REGIONS.flatMap((region) => [`*.api-${region}${ending}`, `*.call-${region}${ending}`]);
  return {
    domain,
    all: [...apps, `${MANAGEMENT_LABEL}${ending}`, domain],
    parse: (host) => {
      const name = host.toLowerCase().replace(/:\d+$/, '');
      if (!name.endsWith(ending)) return { kind: 'unknown' };
      const labels = name.slice(0, -ending.length);
      if (labels === MANAGEMENT_LABEL) return { kind: 'management' };
      const [, appId = '', service, region = ''] = APP_LABELS.exec(labels) ?? [];
      return isRegion(region) ? { kind: 'app', appId, region, calls: service === 'call' } : { kind: 'unknown' };
    },
  };
}
