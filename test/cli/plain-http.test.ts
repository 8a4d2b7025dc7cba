import { describe, expect, test } from 'vitest';
import { connectToServer } from '../../src/cli/client/server-client.ts';

const TOKEN = 'rct_0123456789abcdef';
const connect =
  (url: string, token: string | undefined, plainHttp = false) =>
  () =>
    connectToServer(url, { token }, plainHttp);

describe('a token', () => {
  test.each([
    'http://rollcall.example',
    'http://10.0.0.7:7700',
    'http://[2001:db8::1]:7700',
    'http://127.0.0.1.evil.example',
  ])('is not sent to %s', (url) => {
    expect(connect(url, TOKEN)).toThrow(expect.objectContaining({ code: 'BAD_USAGE' }));
    expect(connect(url, TOKEN)).toThrow('--plain-http');
    expect(connect(url, TOKEN)).not.toThrow(TOKEN);
  });

  test.each(['https://rollcall.example', 'http://127.0.0.1:7700', 'http://localhost:7700', 'http://[::1]:7700'])(
    'may be sent to %s',
    (url) => {
      expect(connect(url, TOKEN)).not.toThrow();
    },
  );

  test('may be sent anywhere when a flag says so, or when there is none', () => {
    expect(connect('http://rollcall.example', TOKEN, true)).not.toThrow();
    expect(connect('http://rollcall.example', undefined)).not.toThrow();
  });
});
