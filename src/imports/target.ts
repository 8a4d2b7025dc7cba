import type { SentTo } from '../api/fields.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { REGIONS } from '../membership/membership.ts';
import { isSameHost } from '../platform/hosts.ts';

/** The apps that something is sent to, as far as they are known: a dry run may have no settings. */
export type Target = SentTo;

/** The target that is stored with an import, sync, schedule or export; or the target of a process. */
export interface Aimed {
  readonly sandbox: boolean;
  /** The service's host and apps; not stored for a sandbox, or by an older rollcall. */
  readonly target?: Target | undefined;
}

/** The app of each region as JSON, by which memberships are kept. */
export function appsOf({ sandbox, target }: Aimed) {
  return JSON.stringify(
    Object.fromEntries(REGIONS.map((region) => [region, sandbox ? 'sandbox' : (target?.apps[region] ?? '')])),
  );
}

/** Refuses to continue with another target. A region may be added, and keys may change. @throws WRONG_TARGET */
export function checkTarget(subject: string, meant: Aimed, own: Aimed) {
  if (!isSameTarget(meant, own)) throw wrongTarget(subject, meant, own);
}

/** Refuses what a command gives to the process that owns its data directory. @param what such as a file @throws WRONG_TARGET */
export function checkMeant(what: string, meant: Aimed, own: Aimed) {
  if (isSameTarget(meant, own)) return;
  const [there, here] = [own, meant].map((aim) => (aim.sandbox ? 'the sandbox' : aimText(aim) || 'the chat service'));
  const flag = own.sandbox ? 'add --sandbox' : 'leave out --sandbox';
  const change = meant.sandbox === own.sandbox ? 'give the command the settings of that process' : flag;
  throw new RollcallError('WRONG_TARGET', {
    subject: what,
    ...meant,
    what: `the process that uses the data directory sends to ${there}, and ${what} is meant for ${here}`,
    remedy: `${change}, or name another data directory with --data-dir`,
  });
}

export function isSameTarget(one: Aimed, other: Aimed) {
  if (one.sandbox !== other.sandbox) return false;
  if (one.target === undefined || other.target === undefined) return true;
  return !isOther(one.target, other.target);
}

function isOther(one: Target, other: Target) {
  if (one.host !== undefined && other.host !== undefined && !isSameHost(one.host, other.host)) return true;
  const common = Object.keys(one.apps).filter((region) => other.apps[region] !== undefined);
  if (common.length > 0) return common.some((region) => one.apps[region] !== other.apps[region]);
  return one.profile !== undefined && other.profile !== undefined && one.profile !== other.profile;
}

/** Joins the targets when something is continued: the known parts of now are added to those of before. */
export function joinedTarget(before: Target | undefined, own: Target | undefined) {
  if (before === undefined || own === undefined) return before ?? own;
  return { ...before, ...own, apps: { ...before.apps, ...own.apps } };
}

/** Returns the target as the audit log and people read it; '' if it is not known. */
export function aimText({ sandbox, target }: Aimed) {
  if (sandbox) return 'sandbox';
  return target === undefined ? '' : targetText(target);
}

/** `profile staging, eu.example.com (app-1 in us)`. */
export function targetText({ profile, host, apps }: Target) {
  const places = Object.entries(apps).map(([region, appId]) => `${appId} in ${region}`);
  const where = [host, places.length === 0 ? undefined : `(${places.join(', ')})`].filter((part) => part !== undefined);
  return [
    ...(profile === undefined ? [] : [`profile ${profile}`]),
    ...(where.length === 0 ? [] : [where.join(' ')]),
  ].join(', ');
}

/**
 * Work for one target must not reach another: the sandbox, the service, or another app of it.
 * @param subject what was meant for the one and not the other, such as `import 2026…`
 */
export function wrongTarget(subject: string, meant: Aimed, own: Aimed) {
  const facts = { subject, ...meant };
  if (meant.sandbox !== own.sandbox) {
    return new RollcallError('WRONG_TARGET', {
      ...facts,
      what: meant.sandbox
        ? `${subject} was meant for the sandbox, and this process sends to the service`
        : `${subject} was not meant for the sandbox, and this process sends to one`,
      remedy: `continue it in a process that was started ${meant.sandbox ? 'with' : 'without'} --sandbox`,
    });
  }
  const to = (target: Target | undefined) => (target === undefined ? 'another one' : targetText(target));
  const profile = meant.target?.profile;
  const settings = profile === undefined ? 'the settings that it was begun with' : `--profile ${profile}`;
  return new RollcallError('WRONG_TARGET', {
    ...facts,
    what: `${subject} was begun for ${to(meant.target)}, and this process sends to ${to(own.target)}`,
    remedy: `continue it in a process that was started with ${settings}, or begin it again`,
  });
}
