import { type Config, ConfigError } from '../../platform/config.ts';
import { isSigned, openAnyReceiver } from './any-receiver.ts';
import { BadReceiver, type Receiver, SIGNING_SECRET, signingKey } from './receiver.ts';

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
  const key = signingKey(secret ?? '');
  if (isSigned(notify) && key === undefined) {
    throw new ConfigError(
      `ROLLCALL_NOTIFY_SECRET is ${secret === undefined ? 'not set' : 'not a valid secret'}: set it to ${SIGNING_SECRET}`,
    );
  }
  try {
    return await openAnyReceiver({ url: notify, key, allowPrivate: flags.notifyPrivate === true });
  } catch (error) {
    if (!(error instanceof BadReceiver)) throw error;
    throw new ConfigError(`${flags.notify === undefined ? 'ROLLCALL_NOTIFY' : '--notify'} ${error.message}`);
  }
}
