import { RollcallError } from '../errors/rollcall-error.ts';

/** The server that keeps BullMQ's jobs. */
export interface QueueAddress {
  /** One server, the nodes of a cluster, or the sentinels that know the master. */
  readonly topology: 'single' | 'cluster' | 'sentinel';
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly db: number;
  /** Name of the master that sentinels know. */
  readonly master: string | undefined;
  /** Separates several rollcalls on one server: part of the key prefix. */
  readonly namespace: string;
}

/** The queue's address cannot be used. The message never shows a password. */
export function badAddress(what: string) {
  return new RollcallError('BAD_QUEUE_ADDRESS', {
    what: `the queue's address ${what}; allowed are redis://host:port/db, rediss://… (TLS), redis+cluster://host:port,host:port, redis+sentinel://host:port,host:port/master, each with user:password@ before the host and ?namespace=name behind; without an address the queue is embedded (in memory)`,
  });
}

const SCHEME = /^(rediss?)(?:\+(cluster|sentinel))?:\/\/(.*)$/;
const DEFAULT_NAMESPACE = 'rollcall';
const DEFAULT_PORT = { single: 6379, cluster: 6379, sentinel: 26379 } as const;

/** @throws BAD_QUEUE_ADDRESS */
export function parseQueueAddress(url: string): QueueAddress {
  const [, scheme, topology = 'single', rest = ''] = SCHEME.exec(url) ?? [];
  if (scheme === undefined) {
    // Without a scheme, the first part may be a password.
    const [begin] = /^[a-z+]+:\/\//i.exec(url) ?? [];
    throw badAddress(begin === undefined ? 'does not begin with a scheme' : `begins with ${begin}`);
  }
  return addressOf(scheme === 'rediss', topology as QueueAddress['topology'], rest);
}

function addressOf(tls: boolean, topology: QueueAddress['topology'], rest: string): QueueAddress {
  // The rest of a password would be taken for a host or a path, and be shown.
  if (/^[^@]*[/?][^@]*@|@.*@/.test(rest)) {
    throw badAddress('has a user or password with one of the characters / ? @, which are written %2F %3F %40');
  }
  const [, login, hostList = '', path = '', query = ''] =
    /^(?:([^@/]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(rest) ?? [];
  const hosts = hostList.split(',').map((text) => {
    const [, host, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(text) ?? [];
    if (host === undefined) throw badAddress(`has ${shownHost(text)} where a host belongs`);
    if (Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) throw badAddress(`has the port ${port}`);
    return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? DEFAULT_PORT[topology] : Number(port) };
  });
  if (topology === 'single' && hosts.length > 1)
    throw badAddress('names several hosts, which needs redis+cluster:// or redis+sentinel://');
  const isDb = /^\d*$/.test(path);
  if (topology === 'sentinel' ? path === '' : !isDb) {
    throw badAddress(
      topology === 'sentinel'
        ? 'does not name the master'
        : `has ${JSON.stringify(path)} where the number of a database belongs`,
    );
  }
  if (topology === 'cluster' && Number(path) !== 0) {
    throw badAddress(`has the database ${path}, and a cluster has only 0`);
  }
  const [username, password] = login === undefined ? [] : login.split(/:(.*)/s, 2).map(decoded);
  return {
    topology,
    hosts,
    tls,
    username: username === '' ? undefined : username,
    password,
    db: topology === 'sentinel' ? 0 : Number(path),
    master: topology === 'sentinel' ? path : undefined,
    namespace: namespaceOf(new URLSearchParams(query)),
  };
}

/** If the host is missing, the text after the colon is a password. */
function shownHost(text: string): string {
  return JSON.stringify(text.replace(/:.*/, ':…'));
}

/** @throws BAD_QUEUE_ADDRESS */
function namespaceOf(query: URLSearchParams): string {
  const unknown = [...query.keys()].find((name) => name !== 'namespace');
  if (unknown !== undefined) throw badAddress(`has the parameter ${JSON.stringify(unknown)}`);
  const namespace = query.get('namespace') ?? DEFAULT_NAMESPACE;
  if (/^[a-z_][a-z0-9_]{0,40}$/.test(namespace)) return namespace;
  throw badAddress(`has the namespace ${JSON.stringify(namespace)}, which may have lower-case letters, digits and _`);
}

/** @throws BAD_QUEUE_ADDRESS */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badAddress('has a user or password with a % that begins no escape; it is written %25');
  }
}
