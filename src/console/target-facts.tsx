/** The target of rows: the sandbox, or the profile, host and apps of the real service. */
import type { ComponentChildren } from 'preact';
import type { ImportView, Settings } from './answers.ts';
import { foreign } from './kit/elements.tsx';

export interface SendsTo {
  sandbox?: boolean | undefined;
  profile?: string | null | undefined;
  host?: string | undefined;
  /** App ids with their regions. */
  apps?: readonly string[];
}

/** Returns the target of a server with these settings. */
export function sendsToOf({ sandbox, profile, host, apps }: Settings): SendsTo {
  const ids = Object.entries(apps).map(([region, { appId }]) => [region, appId] as const);
  return { sandbox, profile, host, apps: appsIn(ids) };
}

/** `app-1 in us` */
function appsIn(ids: readonly (readonly [region: string, appId: string])[]) {
  return ids.map(([region, appId]) => `${appId} in ${region}`);
}

/** Returns the facts about the target of an import or sync; none if it was not stored, such as that of a sandbox. */
export function targetFacts(target: ImportView['target']) {
  return target === undefined ? [] : sendsToFacts({ ...target, apps: appsIn(Object.entries(target.apps)) });
}

export function sendsToFacts({ sandbox, profile, host, apps = [] }: SendsTo): (readonly [string, ComponentChildren])[] {
  return [
    ['Profile', !sandbox && typeof profile === 'string' && foreign(profile)],
    ['Service', host !== undefined && (sandbox ? 'the sandbox: nothing real changes' : <>{foreign(host)}, for real</>)],
    ['Apps', apps.length > 0 && foreign(apps.join(', '))],
  ];
}
