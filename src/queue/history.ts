import type { RedisConnection } from './redis.ts';

/**
 * A server that starts again with a snapshot, and a replica that takes the place of its master, go back in time: jobs that
 * were done stand in the queue once more. Each history of a server's data has an id, which is another one from such a moment
 * on. A job keeps the id with which it was added: in another history it may have been run.
 */
export type Histories = (key: string) => Promise<string>;

/** Empty where the server does not say, and while it is a replica, which takes nothing. */
const READ = `
  local said = redis.pcall('INFO', 'replication')
  if type(said) ~= 'string' or not string.find(said, 'role:master', 1, true) then return '' end
  return string.match(said, 'master_replid:(%x%x%x%x%x%x%x%x%x%x%x%x)') or ''`;

/** Reads the id of the history that a key is in, once for each connection to a master. */
export function historiesOf(connection: RedisConnection): Histories {
  const known = new Map<string, Promise<string>>();
  // A server that starts again ends its connections, and one that becomes a replica gets new ones. A cluster loses nodes.
  for (const event of ['close', '+node', '-node']) connection.on(event, () => known.clear());
  return (key) => {
    const history = known.get(key) ?? connection.eval(READ, 1, key).then(String);
    known.set(key, history);
    const forget = () => known.delete(key);
    history.then((id) => id === '' && forget(), forget);
    return history;
  };
}
