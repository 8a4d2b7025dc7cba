import { isIP } from 'node:net';
import { Command } from 'commander';
import type { Allowed } from '../../platform/allowed-values.ts';
import type { Action } from '../exit-codes.ts';
import {
  portFlag,
  settingFlag,
  sizeFlag,
  valueOfFlag,
  withDataDir,
  withLog,
  withNotify,
  withPace,
  withSandbox,
  withWorkers,
} from '../flags/flags.ts';
import type { ServeFlags } from '../serving.ts';

const DEFAULT_PORT = 7700;

/** `rollcall serve`: a coordinator that keeps running, with its HTTP API and console. */
export function serveCommand(action: Action) {
  const command = new Command('serve')
    .option('--host <address>', 'address to listen on; anything but loopback needs tokens', '127.0.0.1')
    .addOption(portFlag(DEFAULT_PORT))
    .option('--require-token', 'require a token on loopback too; `rollcall token create` makes one')
    .addOption(settingFlag('keep'))
    .addOption(sizeFlag('--max-upload', 'largest upload'))
    .option(
      '--trust-proxy <addresses>',
      'proxies in front of it, whose X-Forwarded-For is trusted: addresses or ranges, separated by commas, such as 10.0.0.0/8',
      valueOfFlag(proxies),
    );
  return withLog(withSandbox(withPace(withWorkers(withDataDir(withNotify(command)))))).action(
    action(async (io, flags: ServeFlags) => {
      // Loaded on demand: every other command starts in a fraction of the time without the web server.
      const { serve } = await import('../serving.ts');
      return serve(io, flags);
    }),
  );
}

const proxies: Allowed<readonly string[]> = {
  allowed: 'addresses or ranges such as 10.0.0.5,10.1.0.0/16, or the word loopback',
  parse: (text) => {
    const given = text.split(',').map((one) => one.trim());
    return given.every(isProxy) ? given : undefined;
  },
};

function isProxy(text: string) {
  if (text === 'loopback' || text === 'uniquelocal') return true;
  const [, address = '', bits = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  return isIP(address) !== 0 && Number(bits) <= (isIP(address) === 4 ? 32 : 128);
}
