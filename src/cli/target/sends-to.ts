import { serviceOperations } from '../../api/operations/service.ts';
import type { Settings } from '../../api/service.ts';
import { type Aimed, aimText, type Target, targetText } from '../../imports/target.ts';
import { type Io, say } from '../screen/io.ts';
import type { Server } from './server-client.ts';
import { ServerRefused } from './server-errors.ts';

/** Says before anything is sent where this process sends. With `--sandbox`, that was said. */
export function saySendsTo(io: Io, sendsTo: Aimed): void {
  const text = sendsTo.sandbox ? '' : aimText(sendsTo);
  if (text !== '') say(io, `Service: ${text}.`);
}

/** The same of a server. One that does not say it may still be asked for more. */
export async function sayServerSendsTo(io: Io, server: Server): Promise<void> {
  const settings = await server.call(serviceOperations.settings, {}).catch((error: unknown) => {
    if (error instanceof ServerRefused) return undefined;
    throw error;
  });
  if (settings === undefined) return;
  const text = settings.sandbox ? 'a sandbox' : targetText(targetOf(settings));
  say(io, `The server at ${server.url} sends to ${text}.`);
}

function targetOf({ profile, host, apps }: Pick<Settings, 'profile' | 'host' | 'apps'>): Target {
  const ids = Object.entries(apps).map(([region, { appId }]) => [region, appId]);
  return { profile: profile ?? undefined, host, apps: Object.fromEntries(ids) };
}
