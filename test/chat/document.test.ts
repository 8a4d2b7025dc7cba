import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../src/sandbox/behaviour.ts';
import { FAULT_KINDS } from '../../src/sandbox/injected-faults.ts';

const root = new URL('../../', import.meta.url);
const document = readFileSync(new URL('docs/chat-service.md', root), 'utf8');
const points = document.split(/^(?=\d+\. )/m).slice(1);
const code = ['src', 'jobs']
  .flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((path) => /\.(ts|js|sql)$/.test(path))
  .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));

test('the points are numbered one after another, and each says how sure it is', () => {
  expect(points.map((point) => Number.parseInt(point, 10))).toEqual(points.map((_, at) => at + 1));
  for (const point of points) expect(point).toMatch(/\*(contract|publicly\s+documented|observed|assumed)\*/);
});

test('every switch of the sandbox is named', () => {
  for (const name of Object.keys(DEFAULT_BEHAVIOUR)) expect(document).toContain(`\`${name}\``);
});

test('every fault that is named exists', () => {
  const named = points.flatMap(
    (point) => /Faults? ((?:`[\w-]+`(?:, )?)+)|fault (`[\w-]+`)/g.exec(point)?.slice(1) ?? [],
  );
  const faults = named.join().match(/[\w-]{3,}/g) ?? [];
  expect(faults.length).toBeGreaterThan(8);
  for (const fault of faults) expect(Object.keys(FAULT_KINDS)).toContain(fault);
});

test('comments cite points that there are, and no document outside the repository', () => {
  let cited = 0;
  for (const { path, text } of code) {
    for (const [, numbers = ''] of text.matchAll(/docs\/chat-service\.md, ((?:\d+(?:, | and | to )?)+)/g)) {
      for (const number of numbers.match(/\d+/g) ?? []) {
        cited += 1;
        expect(Number(number), path).toBeLessThanOrEqual(points.length);
      }
    }
    expect(text.replaceAll('docs/chat-service.md', ''), path).not.toMatch(/chat-service\.md|chat-api-facts/);
  }
  expect(cited).toBeGreaterThan(30);
});
