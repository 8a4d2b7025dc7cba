import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLifecycle, stopAll } from '../src/platform/lifecycle.ts';

describe('a lifecycle', () => {
  test('stops what was started last first', async () => {
    const stopped: string[] = [];
    const life = createLifecycle();
    for (const name of ['service', 'coordinator', 'control']) life.onStop(async () => void stopped.push(name));
    await life.stop();
    expect(stopped).toEqual(['control', 'coordinator', 'service']);
  });

  test('stops the others when one fails, and tells of the first failure', async () => {
    const stopped: string[] = [];
    const life = createLifecycle();
    life.onStop(() => void stopped.push('service'));
    life.onStop(() => Promise.reject(new Error('second failure')));
    life.onStop(() => Promise.reject(new Error('first failure')));
    await expect(life.stop()).rejects.toThrow('first failure');
    expect(stopped).toEqual(['service']);
  });

  test('stops once', async () => {
    let stops = 0;
    const life = createLifecycle();
    life.onStop(() => {
      stops += 1;
    });
    await Promise.all([life.stop(), life.stop()]);
    expect(stops).toBe(1);
  });

  test('gives each the time that is left of one deadline', async () => {
    const left: number[] = [];
    const life = createLifecycle();
    life.onStop((deadlineMs) => void left.push(deadlineMs));
    life.onStop(async (deadlineMs) => {
      left.push(deadlineMs);
      const until = performance.now() + 5;
      while (performance.now() < until) await new Promise(setImmediate);
    });
    await life.stop(60_000);
    const [first = 0, second = 0] = left;
    expect(first).toBeLessThanOrEqual(60_000);
    expect(second).toBeLessThanOrEqual(first - 5);
  });

  test('whose stop fails does not end the process later, and listens to no signal', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const life = createLifecycle();
    life.onStop(() => Promise.reject(new Error('it fails')));
    const ignore = vi.fn();
    await expect(stopAll(life, { ignore }, 0, () => {})).rejects.toThrow('it fails');
    expect([vi.getTimerCount(), ignore.mock.calls.length]).toEqual([0, 1]);
  });
});

/**
 * Says `ready`, then `first` at the first signal; ends by itself only when its standard input does. Its clock stands still:
 * each character of its standard input is a second, after which it says `later`.
 */
const LISTENER = `
  import { firstSignal } from ${JSON.stringify(new URL('../src/platform/lifecycle.ts', import.meta.url).href)};
  let now = 0;
  const signal = firstSignal(5, () => process.stdout.write('last '), () => now);
  void signal.arrived.then(() => process.stdout.write(signal.signal.aborted ? 'first ' : 'not aborted '));
  process.stdin.on('end', () => signal.ignore()).on('data', (seconds) => {
    now += 1000 * seconds.length;
    process.stdout.write('later ');
  });
  process.stdout.write('ready ');
`;

describe('firstSignal', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s is announced; a second one ends the process at once',
    async (signal) => {
      const { child, output, said } = await listener();
      child.kill(signal);
      await said('first');
      child.stdin.write('.');
      await said('later');
      child.kill(signal);
      const [code] = await once(child, 'exit');
      expect([code, await output]).toEqual([5, 'ready first later last ']);
    },
  );

  test('one Ctrl-C that comes twice, from the terminal and from a launcher, counts once', async () => {
    const { child, output, said } = await listener();
    child.kill('SIGINT');
    await said('first');
    child.kill('SIGINT');
    child.stdin.end();
    const [code] = await once(child, 'exit');
    expect([code, await output]).toEqual([0, 'ready first ']);
  });
});

async function listener() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', LISTENER], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let heard = '';
  child.stdout.on('data', (chunk) => {
    heard += chunk;
  });
  const said = async (word: string) => {
    while (!heard.includes(word)) await once(child.stdout, 'data');
  };
  const output = text(child.stdout);
  await said('ready');
  return { child, output, said };
}
