import { REGIONS } from '../membership/membership.ts';

/** Host of the service itself; every other one is a sandbox or a service that speaks the same language. */
export const SERVICE_HOST = 'cometchat.io';

/** Domains at which the service answers as the same one (docs/chat-service.md, 3). */
const SERVICE_DOMAINS = [SERVICE_HOST, 'cc-cluster-2.io', 'cc-edge-2.io'];

/** Whether two hosts lead to the same apps. */
export function isSameHost(one: string, other: string): boolean {
  const [first, second] = [one.toLowerCase(), other.toLowerCase()];
  return first === second || (SERVICE_DOMAINS.includes(first) && SERVICE_DOMAINS.includes(second));
}

/** The part after `api-<region>.` in the service's addresses, taken from a text that a person has copied. */
export interface ServiceHost {
  readonly host: string;
  /** The correction of the text, as a sentence without its full stop; undefined if it was already a host. */
  readonly correction: string | undefined;
}

const SERVICE_LABEL = new RegExp(`^(?:[^.]+\\.)?(?:api|apiclient|call)-(?:${REGIONS.join('|')})\\.`, 'i');
const MANAGEMENT_LABEL = /^apimgmt\./i;

/**
 * Takes a whole address, `<app>.api-us.<host>`, `api-us.<host>` or `apimgmt.<host>` for the host in it. Other mistakes
 * (plain http, credentials, an IP address) are left as they are; the caller refuses it.
 */
export function serviceHost(name: string, text: string): ServiceHost {
  const address = /^https:\/\/([^/?#@]+)(?:[/?#].*)?$/i.exec(text)?.[1] ?? text.replace(/\/+$/, '');
  const host = address.replace(SERVICE_LABEL, '').replace(MANAGEMENT_LABEL, '').replace(/\.$/, '');
  if (host === text) return { host, correction: undefined };
  return {
    host,
    correction: `${name} is ${JSON.stringify(text)}, of which ${JSON.stringify(host)} is used: app id and region are put in front of it; set it to that alone`,
  };
}
