import { expect, test } from 'vitest';
import { requestIdOf } from '../../src/chat/rate-headers.ts';
import { connect, rejection, serve } from './chat-server.ts';

test.each([
  [{ 'x-request-id': '4b1c-7' }, '4b1c-7'],
  [{ 'cf-ray': '8f3a2b1c-FRA' }, '8f3a2b1c-FRA'],
  [{ 'cf-ray': '8f3a2b1c-FRA', 'x-request-id': ['4b1c-7', 'other'] }, '4b1c-7'],
  [{ 'x-amzn-requestid': 'a/b=' }, 'a/b='],
  [{ 'x-request-id': 'two words' }, undefined],
  [{ 'x-request-id': 'x'.repeat(101) }, undefined],
  [{}, undefined],
])('of the headers %j the request id is %j', (headers, id) => {
  expect(requestIdOf(headers)).toBe(id);
});

test('a refusal tells it, so that support can look the request up', async () => {
  const { host } = await serve((response) => response.writeHead(403, { 'X-Request-Id': 'r-77' }).end('{}'));
  const refusal = await rejection(connect(host).addMembers('g1', { participants: ['u1'] }));
  expect(refusal).toMatchObject({ code: 'REFUSED', facts: { requestId: 'r-77' } });
});
