import { type Command, InvalidArgumentError, Option } from 'commander';
import { isError } from '../../errors/rollcall-error.ts';
import { REGIONS, type Region } from '../../membership/membership.ts';
import { byteSize } from '../../options/bounds.ts';
import { wholeNumber as numbersBetween } from '../../platform/allowed-values.ts';
import type { Flags } from '../../platform/settings.ts';
import { parseFaults } from '../../sandbox/injected-faults.ts';
import { settingFlag, valueOfFlag } from './setting-flag.ts';

/** Flags that several commands share, and the parsers of their values. */

/** Flags that settings declare, of which a command has some, and those that stand beside them. */
export interface CommonFlags extends Flags {
  readonly json?: true;
  readonly plainHttp?: true;
}

export function withDataDir(command: Command) {
  return command.addOption(settingFlag('dataDir'));
}

/** For commands about imports: where they are. */
export function withServer(command: Command) {
  return withDataDir(command)
    .addOption(settingFlag('server'))
    .option(
      '--plain-http',
      'send the token to another machine even without TLS: anyone on the network path can read it',
    );
}

/** For commands that send notifications. */
export function withNotify(command: Command) {
  return command
    .addOption(settingFlag('notify'))
    .option('--notify-private', 'allow that address to be on this machine or a private network, and plain http');
}

export function withJson(command: Command) {
  return command.option('--json', 'print one JSON document on standard output');
}

export function withQueue(command: Command) {
  return command.addOption(settingFlag('queue'));
}

/** For commands that run imports. */
export function withWorkers(command: Command) {
  return withQueue(command).option(
    '--with-workers',
    'with --queue: also send from this process, not only from `rollcall worker`',
  );
}

export interface SandboxFlags {
  readonly sandbox?: true;
  readonly sandboxSeed?: string;
  readonly sandboxFaults?: string;
}

export function withSandbox(command: Command) {
  return command
    .option('--sandbox', 'send to a sandbox in this process instead of the service; it knows every group and user')
    .addOption(
      new Option('--sandbox-seed <file>', 'users and groups of the sandbox instead: a JSON file').implies({
        sandbox: true,
      }),
    )
    .addOption(
      new Option('--sandbox-faults <list>', 'faults in the sandbox; `rollcall sandbox --help` lists them')
        .argParser(faultList)
        .implies({ sandbox: true }),
    );
}

export function withPace(command: Command) {
  for (const name of ['callsPerMinute', 'concurrency', 'perGroup'] as const) command.addOption(settingFlag(name));
  return command;
}

/** Flags of commands that work through a coordinator, of this process or a server. */
export interface RunningFlags extends CommonFlags, SandboxFlags {
  readonly withWorkers?: true;
}

export function withRunning(command: Command) {
  return withSandbox(withPace(withWorkers(withServer(withJson(command)))));
}

export function portFlag(preset: number) {
  return new Option('--port <port>', 'port to listen on; 0 picks a free one')
    .argParser(wholeNumber(0, 65_535))
    .default(preset);
}

export function wholeNumber(from: number, to: number): (text: string) => number {
  return valueOfFlag(numbersBetween(from, to));
}

/** Checks the text and keeps it, so that it can be shown as it was written. */
export function faultList(text: string) {
  try {
    parseFaults(text);
    return text;
  } catch (error) {
    if (isError(error, 'BAD_FAULT')) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** `us,eu` */
export function regionList(text: string): readonly Region[] {
  return text.split(',').map((part) => {
    const region = REGIONS.find((one) => one === part.trim().toLowerCase());
    if (region !== undefined) return region;
    throw new InvalidArgumentError(`${JSON.stringify(part)} is not a region; allowed are ${REGIONS.join(', ')}.`);
  });
}

/** `500mb` in bytes. */
export function byteCount(text: string) {
  const bytes = byteSize(text);
  if (bytes !== undefined) return bytes;
  throw new InvalidArgumentError('Expected a size such as 500mb or 2gb.');
}
