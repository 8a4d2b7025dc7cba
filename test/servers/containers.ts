import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';
import { freePort } from './program.ts';
import type { TestServer } from './server.ts';

/**
 * The same servers in containers, where Docker answers. The reaper of testcontainers removes what a crash leaves.
 * TEST_CONTAINERS_NETWORK names another network than the engine's usual one, such as `slirp4netns` for Podman.
 */

/** @param settings arguments of the server. @param flush empties the server at this address. */
export function startRedisContainer(
  settings: readonly string[],
  flush: (url: string) => Promise<void>,
): Promise<TestServer> {
  const container = new GenericContainer('redis:8-alpine').withCommand(['redis-server', ...settings]);
  return start(container, 6379, (host) => `redis://${host}`, flush);
}

export function startPostgresContainer(
  settings: readonly string[],
  flush: (url: string) => Promise<void>,
): Promise<TestServer> {
  const container = new GenericContainer('postgres:17-alpine')
    .withEnvironment({ POSTGRES_USER: 'rollcall', POSTGRES_HOST_AUTH_METHOD: 'trust' })
    .withCommand(['postgres', ...settings]);
  return start(container, 5432, (host) => `postgres://rollcall@${host}/postgres`, flush);
}

async function start(
  container: GenericContainer,
  inside: number,
  urlOf: (host: string) => string,
  flush: (url: string) => Promise<void>,
): Promise<TestServer> {
  // Bound to a port that stays the same when the server is started again.
  const port = await freePort();
  const network = process.env['TEST_CONTAINERS_NETWORK'];
  const started = await (network === undefined ? container : container.withNetworkMode(network))
    .withExposedPorts({ container: inside, host: port })
    .withWaitStrategy(Wait.forListeningPorts())
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
    // Those who use it connect again by themselves until it listens.
    start: async () => handle.start(),
    freeze: async () => handle.pause(),
    thaw: async () => handle.unpause(),
    flush: () => flush(url),
    stop: async () => {
      await started.stop();
    },
  };
}
