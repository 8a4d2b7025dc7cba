import { setTimeout as sleep } from 'node:timers/promises';
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';
import { freePort } from './program.ts';
import type { TestServer } from './server.ts';

/**
 * The same servers in containers, where Docker answers. The reaper of testcontainers removes what a crash leaves.
 * TEST_CONTAINERS_NETWORK names another network than the engine's usual one, such as `slirp4netns` or `host` for Podman.
 */

/** Uses of the server at an address. */
export interface Use {
  flush(url: string): Promise<void>;
  /** Rejects while the server does not answer. */
  ask(url: string): Promise<unknown>;
}

/** @param settings arguments of the server */
export function startRedisContainer(settings: readonly string[], use: Use): Promise<TestServer> {
  const command = (port: number) => ['redis-server', '--port', String(port), ...settings];
  return start(new GenericContainer('redis:8-alpine'), command, 6379, (host) => `redis://${host}`, use);
}

export function startPostgresContainer(settings: readonly string[], use: Use): Promise<TestServer> {
  const container = new GenericContainer('postgres:17-alpine').withEnvironment({
    POSTGRES_USER: 'rollcall',
    POSTGRES_HOST_AUTH_METHOD: 'trust',
  });
  const command = (port: number) => ['postgres', '-p', String(port), ...settings];
  return start(container, command, 5432, (host) => `postgres://rollcall@${host}/postgres`, use);
}

async function start(
  container: GenericContainer,
  command: (port: number) => string[],
  inside: number,
  urlOf: (host: string) => string,
  use: Use,
): Promise<TestServer> {
  // Bound to a port that stays the same when the server is started again.
  const port = await freePort();
  const network = process.env['TEST_CONTAINERS_NETWORK'];
  if (network !== undefined) container.withNetworkMode(network);
  // There the server listens on the machine itself.
  const onHost = network === 'host';
  if (!onHost) container.withExposedPorts({ container: inside, host: port });
  const ready = onHost ? Wait.forLogMessage(/ready to accept connections/i) : Wait.forListeningPorts();
  const started = await container
    .withCommand(command(onHost ? port : inside))
    .withWaitStrategy(ready)
    .start();
  const runtime = await getContainerRuntimeClient();
  const handle = runtime.container.getById(started.getId());
  const url = urlOf(`${started.getHost()}:${port}`);
  return {
    url,
    kill: async () => {
      await handle.kill();
      await handle.wait();
    },
    start: async () => {
      await handle.start();
      await answering(url, use);
    },
    freeze: async () => handle.pause(),
    thaw: async () => handle.unpause(),
    flush: () => use.flush(url),
    stop: async () => {
      await started.stop();
    },
  };
}

/** Resolves when the server answers: it takes connections before that, and an engine says before that that it has started. */
async function answering(url: string, { ask }: Use): Promise<void> {
  for (;;) {
    const answered = await ask(url).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await sleep(LOOK_MS);
  }
}

const LOOK_MS = 20;
