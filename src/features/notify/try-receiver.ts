import { randomUUID } from 'node:crypto';
import { messageOf } from '../../errors/message-of.ts';
import type { NotificationTried } from './api.ts';
import { noteText } from './note.ts';
import type { Receiver } from './receiver.ts';

/** Sends a test notification, so that a receiver can be tried before it is needed. */
export async function tryReceiver(receiver: Receiver): Promise<NotificationTried> {
  const id = randomUUID().replaceAll('-', '');
  const about = { id: 'test', state: 'completed', file: 'test', reason: 'this is a test of notifications', rows: {} };
  const body = noteText('import.test', Date.now(), about);
  const { host } = receiver;
  try {
    await receiver.send({ id, body }, new AbortController().signal);
    return { host, arrived: true, reason: null };
  } catch (error) {
    return { host, arrived: false, reason: messageOf(error) };
  }
}
