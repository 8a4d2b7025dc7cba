import { expect, test } from 'vitest';
import { readme, rollcall, temporaryDataDir } from './sample.ts';

const README = readme('nightly');
const dataDir = temporaryDataDir();

test('two nights of a file bring what its README promises, and move the ends of memberships', async () => {
  const nights = [...README.matchAll(/```sh\n(.*?)```\n\n```text\n(.*?)\n```/gs)];
  expect(nights).toHaveLength(2);
  const ends: unknown[] = [];
  for (const [, command = '', promised] of nights) {
    const { code, stdout } = await rollcall(command, dataDir);
    const { totals, state } = JSON.parse(stdout);
    const { add, remove, report } = totals.actions;
    const changes = [add > 0 && `${add} to add`, remove > 0 && `${remove} to remove`].filter((part) => part !== false);
    expect([code, state]).toEqual([0, 'applied']);
    expect(`${changes.join(', ')}; ${totals.right} right, ${report} reported.`).toBe(promised);
    const listed: { uid: string; until: string }[] = JSON.parse((await rollcall('rollcall expiring', dataDir)).stdout);
    ends.push(listed.map(({ uid, until }) => `${uid} ${until.slice(0, 10)}`));
  }
  expect(ends).toEqual([
    ['intern-ada 2099-07-01', 'intern-ada 2099-07-01'],
    ['intern-ada 2099-10-01', 'intern-ada 2099-10-01'],
  ]);
});
