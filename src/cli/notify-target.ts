import { type Config, ConfigError } from '../platform/config.ts';
import { isSigned, openAnyReceiver } from '../server/webhook/any-receiver.ts';
import { BadReceiver, type Receiver } from '../server/webhook/receiver.ts';

const SHORTEST_SECRET = 16;

export interface NotifyFlags {
  readonly notify?: string;
  readonly notifyPrivate?: true;
}

/** The receiver of notifications that the settings name, checked before anything is opened; undefined: none. */
export async function notifyTarget(
  { notify, notifySecret: secret }: Pick<Config, 'notify' | 'notifySecret'>,
  flags: NotifyFlags,
): Promise<Receiver | undefined> {
  if (notify === undefined) return undefined;
  if (isSigned(notify) && (secret === undefined || secret.length < SHORTEST_SECRET)) {
    throw new ConfigError(
      `ROLLCALL_NOTIFY_SECRET is ${secret === undefined ? 'not set' : 'too short'}: set it to what notes are signed with, at least ${SHORTEST_SECRET} characters, such as the output of \`openssl rand -hex 32\``,
    );
  }
  try {
    return await openAnyReceiver({ url: notify, secret: secret ?? '', allowPrivate: flags.notifyPrivate === true });
  } catch (error) {
    if (!(error instanceof BadReceiver)) throw error;
    throw new ConfigError(`${flags.notify === undefined ? 'ROLLCALL_NOTIFY' : '--notify'} ${error.message}`);
  }
}
