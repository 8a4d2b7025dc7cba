import { REGIONS } from '../membership/membership.ts';
import type { Setting } from './setting.ts';

/** Host of the service itself; every other one is a sandbox or a service that speaks the same language. */
export const SERVICE_HOST = 'cometchat.io';

/** Domains at which the service answers as the same one (docs/chat-service.md, 3). */
const SERVICE_DOMAINS = [SERVICE_HOST, 'cc-cluster-2.io', 'cc-edge-2.io'];

/** Whether two hosts lead to the same apps. */
export function isSameHost(one: string, other: string) {
  const [first, second] = [one.toLowerCase(), other.toLowerCase()];
  return first === second || (SERVICE_DOMAINS.includes(first) && SERVICE_DOMAINS.includes(second));
}

const SERVICE_LABEL = new RegExp(`^(?:[^.]+\\.)?(?:api|apiclient|call)-(?:${REGIONS.join('|')})\\.`, 'i');
const MANAGEMENT_LABEL = /^apimgmt\./i;

/**
 * The part after `api-<region>.` in the service's addresses, taken from a text that a person has copied: a whole address,
 * `<app>.api-us.<host>`, `api-us.<host>` or `apimgmt.<host>`. Other mistakes
 * (plain http, credentials, an IP address) are left as they are; the caller refuses it.
 */
export function serviceHost(text: string) {
  const address = /^https:\/\/([^/?#@]+)(?:[/?#].*)?$/i.exec(text)?.[1] ?? text.replace(/\/+$/, '');
  return address.replace(SERVICE_LABEL, '').replace(MANAGEMENT_LABEL, '').replace(/\.$/, '');
}

/** The correction of a text that is not a host alone, as a sentence without its full stop. */
export function hostCorrection({ name, value }: Setting): string | undefined {
  const host = serviceHost(value);
  return host === value
    ? undefined
    : `${name} is ${JSON.stringify(value)}, of which ${JSON.stringify(host)} is used: app id and region are put in front of it; set it to that alone`;
}
