import { type Command, InvalidArgumentError, Option } from 'commander';
import { INPUT_KINDS } from '../../api/input-kinds.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import {
  boundList,
  byteSize,
  columnMap,
  delimiterCharacter,
  ERROR_BOUND,
  errorBound,
  MAPPED_COLUMN,
  QUIET_TIME,
  quietTime,
} from '../../imports/parse-options.ts';
import { BOUND_NAMES } from '../../imports/read/bounds.ts';
import { FIELDS } from '../../imports/read/fields.ts';
import { REGIONS, SCOPES } from '../../membership/membership.ts';
import { OUTCOMES, type Outcome } from '../../membership/outcome.ts';
import { wholeNumber as numbersBetween } from '../../platform/setting-values.ts';
import { FaultSyntaxError, parseFaults } from '../../sandbox/faults.ts';
import { type FileFlags, withFiles } from './file-flags.ts';
import { repeatable } from './once.ts';
import { settingFlag, valueOfFlag } from './setting-flag.ts';

/** Flags that several commands share, and the parsers of their values. */

export interface CommonFlags {
  readonly dataDir?: string;
  readonly json?: true;
}

export function withDataDir(command: Command): Command {
  return command.addOption(settingFlag('dataDir'));
}

export interface ServerFlags {
  readonly server?: string;
  readonly plainHttp?: true;
}

/** For commands about imports. */
export function withServer(command: Command): Command {
  return command
    .addOption(settingFlag('server'))
    .option(
      '--plain-http',
      'send the token to another machine even without TLS: anyone on the network path can read it',
    );
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON document on standard output');
}

export interface QueueFlags {
  readonly queue?: string;
}

export function withQueue(command: Command): Command {
  return command.addOption(settingFlag('queue'));
}

export interface WorkersFlags extends QueueFlags {
  readonly withWorkers?: true;
}

/** For commands that run imports. */
export function withWorkers(command: Command): Command {
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

export function withSandbox(command: Command): Command {
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

export interface ReadingFlags extends FileFlags {
  readonly guid?: string;
  readonly scope?: ImportOptions['scope'];
  readonly region?: ImportOptions['region'];
  readonly onBehalfOf?: string;
  readonly map?: ImportOptions['map'];
  readonly format?: ImportOptions['format'];
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly bound?: ImportOptions['bounds'];
  readonly waitForQuiet?: number;
}

/** How an input is read. */
export function withReading(command: Command): Command {
  return withFiles(command)
    .option('--guid <guid>', 'group of rows without one')
    .addOption(new Option('--scope <scope>', 'scope of rows without one (default: participant)').choices(SCOPES))
    .addOption(new Option('--region <region>', 'region of rows without one').choices(REGIONS))
    .option('--on-behalf-of <uid>', 'acting user of rows without one')
    .option(
      '--map <field=column,...>',
      `columns with other names; scope= ignores the scope column; fields: ${FIELDS.join(', ')}`,
      repeatable(mappedColumns),
    )
    .addOption(new Option('--format <format>', 'format of the input').choices(['auto', ...INPUT_KINDS]).default('auto'))
    .option('--encoding <name>', 'encoding of the input, such as utf-16le or windows-1252 (default: UTF-8)')
    .option('--delimiter <character>', 'delimiter of a CSV input (default: detected)', delimiter)
    .option(
      '--bound <name=value,...>',
      `raise a limit on the size of the input; limits: ${BOUND_NAMES.join(', ')}`,
      repeatable(boundFlag),
    )
    .option('--wait-for-quiet <time>', 'wait until the file has not changed for this long, such as 10s', quietFlag);
}

export interface SendingFlags {
  readonly maxErrors?: ImportOptions['maxErrors'];
  /** In ms. */
  readonly giveUpAfter?: number;
  readonly callsPerMinute?: number;
  readonly concurrency?: number;
}

export function withPace(command: Command): Command {
  return command.addOption(settingFlag('callsPerMinute')).addOption(settingFlag('concurrency'));
}

/** Of commands that work through a coordinator in this process. */
export type RunningFlags = CommonFlags & SandboxFlags & SendingFlags & WorkersFlags;

export function withRunning(command: Command): Command {
  return withSandbox(withPace(withWorkers(withDataDir(withJson(command)))));
}

export interface ExpectRowsFlags {
  readonly expectRows?: number;
}

export function withExpectRows(command: Command): Command {
  const about = 'refuse a file with another number of rows, before anything is sent';
  return command.option('--expect-rows <n>', about, wholeNumber(1, 1_000_000_000));
}

export function withMaxErrors(command: Command): Command {
  return command.option(
    '--max-errors <n|n%>',
    'stop when more rows than this failed, are invalid or unconfirmed',
    maxErrors,
  );
}

export function wholeNumber(from: number, to: number): (text: string) => number {
  return valueOfFlag(numbersBetween(from, to));
}

/** `failed,invalid` as a set of outcomes. */
export function outcomeList(text: string): ReadonlySet<Outcome> {
  const outcomes = new Set<Outcome>();
  for (const word of text.split(',').map((part) => part.trim())) {
    const outcome = OUTCOMES.find((one) => one === word);
    if (outcome === undefined) {
      throw new InvalidArgumentError(
        `${JSON.stringify(word)} is not a valid outcome; allowed are ${OUTCOMES.join(', ')}.`,
      );
    }
    outcomes.add(outcome);
  }
  return outcomes;
}

function mappedColumns(text: string, earlier: ImportOptions['map'] = {}): ImportOptions['map'] {
  const { map, unreadable } = columnMap(text);
  if (unreadable === undefined) return { ...earlier, ...map };
  throw new InvalidArgumentError(`${JSON.stringify(unreadable)} is not ${MAPPED_COLUMN}, for example uid=Member ID.`);
}

function boundFlag(text: string, earlier: ImportOptions['bounds'] = {}): ImportOptions['bounds'] {
  const { bounds, wrong } = boundList(text);
  if (wrong === undefined) return { ...earlier, ...bounds };
  throw new InvalidArgumentError(`${wrong}.`);
}

function quietFlag(text: string): number {
  const ms = quietTime(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError(`Expected ${QUIET_TIME}.`);
}

function delimiter(text: string): string {
  const character = delimiterCharacter(text);
  if (character !== undefined) return character;
  throw new InvalidArgumentError('Expected one character, or the word tab.');
}

function maxErrors(text: string): ImportOptions['maxErrors'] {
  const bound = errorBound(text);
  if (bound !== undefined) return bound;
  throw new InvalidArgumentError(`Expected ${ERROR_BOUND}.`);
}

/** Checks the text and keeps it, so that it can be shown as it was written. */
export function faultList(text: string): string {
  try {
    parseFaults(text);
    return text;
  } catch (error) {
    if (error instanceof FaultSyntaxError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** `500mb` in bytes. */
export function byteCount(text: string): number {
  const bytes = byteSize(text);
  if (bytes !== undefined) return bytes;
  throw new InvalidArgumentError('Expected a size such as 500mb or 2gb.');
}
