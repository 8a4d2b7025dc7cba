import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { badSetting } from '../errors/rollcall-error.ts';
import type { Region } from '../membership/membership.ts';
import { isLocalhost } from '../platform/hosts.ts';
import { API_VERSION } from './contract.ts';

/** Address of one app of the chat service (docs/chat-service.md, 1). */
export interface AppAddress {
  /** Application id: one DNS label, the first of the host name. */
  readonly appId: string;
  readonly region: Region;
  /** Domain of the service, with a port where it is not 443: `chat.example`, `localhost:8443`. No scheme, no path. */
  readonly host: string;
  /** Base address of an app that is elsewhere: https, with the version. */
  readonly url?: string | undefined;
}

/** Base address of an app: `https://<app_id>.api-<region>.<host>/v3` (docs/chat-service.md, 1). @throws BAD_SETTING */
export function apiUrl({ appId, region, host, url }: AppAddress) {
  const app = checkedAppId(appId);
  return url ?? `https://${app}.api-${region}.${checkedHost(host)}/${API_VERSION}`;
}

/**
 * Address of the management operations: one for all apps and regions (docs/chat-service.md, 5). The contract
 * gives no name for it; the label `apimgmt` comes from public documentation.
 */
export function managementUrl(host: string) {
  return `https://apimgmt.${checkedHost(host)}`;
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
/** 253 characters are the most that DNS takes; app id, region label and dots need up to 72 of them. */
const MAX_HOST_LENGTH = 253 - 72;

function checkedAppId(appId: string) {
  if (LABEL.test(appId)) return appId;
  throw badSetting(
    `app id ${JSON.stringify(appId)} is not usable: it becomes part of the host name, so only letters, digits and inner hyphens are allowed, 1 to 63 of them; copy the app id from the service's dashboard`,
  );
}

function checkedHost(host: string) {
  const [name = '', port, ...rest] = host.split(':');
  const labels = name.split('.');
  const nameIsFine = name.length <= MAX_HOST_LENGTH && labels.every((label) => LABEL.test(label));
  const portIsFine = port === undefined || (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535);
  if (nameIsFine && portIsFine && rest.length === 0 && !/^\d+$/.test(labels.at(-1) ?? '')) return host;
  throw badSetting(`host ${shown(host)} is not usable: ${hostAdvice(host)}`);
}

/** A host that carries credentials in front of an @ must not repeat them in an error. */
function shown(host: string) {
  return JSON.stringify(host.replace(/\/\/[^/]*@/, '//…@'));
}

function hostAdvice(host: string) {
  if (/^http:/i.test(host)) {
    return 'plain http is refused, the service takes HTTPS only and a key must not travel in the clear; write the domain alone, such as "chat.example"';
  }
  if (/^\d+(\.\d+){3}(:|$)/.test(host)) {
    return 'app id and region go in front of it, which does not work with an IP address; use a domain, for this machine "localhost:8443"';
  }
  return 'write the domain alone, with a port if it is not 443, and without scheme, path or user: "chat.example" or "localhost:8443"';
}

const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
] as const;

/**
 * Name lookup for sockets: names under `.localhost` are this machine, without asking anyone (RFC 6761, section 6.3);
 * not every system resolver knows that for names such as `app.api-us.localhost`. All other names go to the system.
 */
export const lookupHost: LookupFunction = (hostname, options, callback) => {
  if (!isLocalhost(hostname)) {
    systemLookup(hostname, options, callback);
    return;
  }
  const wanted = options.family === 6 || options.family === 'IPv6' ? LOOPBACK[1] : LOOPBACK[0];
  // Callers of a lookup rely on being called back later, as the system's lookup does.
  if (options.all === true) process.nextTick(callback, null, options.family ? [wanted] : LOOPBACK);
  else process.nextTick(callback, null, wanted.address, wanted.family);
};
