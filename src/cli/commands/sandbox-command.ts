import { join } from 'node:path';
import { Command, Option } from 'commander';
import { byRegion, REGIONS } from '../../chat/service/regions.ts';
import { badUsage, messageOf } from '../../errors/rollcall-error.ts';
import type { Allowed } from '../../platform/allowed-values.ts';
import { temporaryFolder } from '../../platform/files.ts';
import { firstSignal } from '../../platform/lifecycle.ts';
import { type Behaviour, parseBehaviour, SWITCHES } from '../../sandbox/behaviour.ts';
import { FAULT_KINDS } from '../../sandbox/injected-faults.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { readSeed } from '../../sandbox/seed.ts';
import { shellWord } from '../../text/terminal-text.ts';
import { type Action, EXIT } from '../exit-codes.ts';
import { faultList, portFlag, repeatable, secret, valueOfFlag, wholeNumber } from '../flags/flags.ts';
import { type Io, printJson } from '../screen/io.ts';

/** Made unless something else is asked for; a seed file is something else. */
const DEFAULT_USERS = 1000;
const DEFAULT_GROUPS = 20;

const FAULT_SYNTAX = '[region:]kind[=when], several by commas; when is 5%, 0.05 or a count; slow=400ms[@when]';

const FAULTS_HELP = Object.entries(FAULT_KINDS).map(([kind, effect]) => `  ${kind.padEnd(14)}${effect}`);
const BEHAVIOUR_HELP = Object.entries(SWITCHES).map(
  ([name, allowed]) =>
    `  ${name.padEnd(20)}${typeof allowed === 'number' ? `number (${allowed})` : allowed.join(', ')}`,
);

interface Flags {
  readonly port: number;
  readonly users?: number;
  readonly groups?: number;
  readonly seed?: string;
  readonly open?: true;
  readonly callsPerMinute: number;
  readonly latency?: readonly [number, number];
  readonly faults?: string;
  readonly behaviour?: Partial<Behaviour>;
  readonly randomSeed?: number;
  readonly caFile?: string;
  readonly listen: string;
  readonly host: string;
  readonly key?: string;
  readonly json?: true;
}

/** `rollcall sandbox`: runs the chat service on this machine until Ctrl-C or SIGTERM. */
export function sandboxCommand(action: Action) {
  return new Command('sandbox')
    .option('--listen <address>', 'address to listen on; 0.0.0.0 opens it to other machines', '127.0.0.1')
    .option('--host <name>', 'host name in its addresses; its subdomains must resolve to this machine', 'localhost')
    .option(
      '--key <key>',
      'API key of every app, for setups that must know it in advance (default: random)',
      secret((text: string) => text),
    )
    .addOption(portFlag(0))
    .option(
      '--users <n>',
      `create user-1 to user-N in every region (default: ${DEFAULT_USERS})`,
      wholeNumber(0, 10_000_000),
    )
    .option(
      '--groups <n>',
      `create group-1 to group-N in every region (default: ${DEFAULT_GROUPS})`,
      wholeNumber(0, 1_000_000),
    )
    .option('--seed <file>', 'create the users, groups and members of a JSON file; others only with --users, --groups')
    .addOption(new Option('--open', 'every user and group exists').conflicts(['users', 'groups']))
    .option('--calls-per-minute <n>', 'rate limit of each app', wholeNumber(1, 100_000_000), 10_000)
    .option('--latency <ms>', 'latency of every call in ms, as MS or MIN-MAX (default: 0)', valueOfFlag(latencyRange))
    .option('--faults <list>', `faults: ${FAULT_SYNTAX}`, faultList)
    .option(
      '--behaviour <name=value,...>',
      'what it does where the behaviour of the real service is not certain; see below',
      repeatable(behaviour),
    )
    .option('--random-seed <n>', 'repeat the faults of an earlier run', wholeNumber(0, 2 ** 31 - 1))
    .option('--ca-file <path>', 'where to write the CA certificate to trust (default: a temporary file)')
    .option('--json', 'print one line of JSON once it is listening')
    .addHelpText(
      'after',
      ['', 'Faults:', ...FAULTS_HELP, '', 'Behaviour (the first value is the default):', ...BEHAVIOUR_HELP].join('\n'),
    )
    .action(action(run));
}

/** The users and groups that exist at the start. */
interface Population {
  readonly users: number | 'any';
  readonly groups: number | 'any';
}

function populationOf({ open, users, groups, seed }: Flags): Population {
  if (open) return { users: 'any', groups: 'any' };
  const [defaultUsers, defaultGroups] = seed === undefined ? [DEFAULT_USERS, DEFAULT_GROUPS] : [0, 0];
  return { users: users ?? defaultUsers, groups: groups ?? defaultGroups };
}

async function run(io: Io, flags: Flags) {
  const { key: apiKey } = flags;
  const seed = flags.seed === undefined ? undefined : await readSeed(flags.seed);
  await using caFolder = flags.caFile === undefined ? await temporaryFolder('sandbox') : undefined;
  const caFile = flags.caFile ?? join(caFolder?.path ?? '', 'ca.pem');
  // Before the start, so that a signal during the start is not lost.
  const stopSignal = firstSignal(EXIT.ok);
  try {
    await using sandbox = await startSandbox({
      port: flags.port,
      listenOn: flags.listen,
      domain: flags.host,
      ...(apiKey !== undefined && { apps: byRegion(() => ({ apiKey })) }),
      ...populationOf(flags),
      ...(seed !== undefined && { seed }),
      rateLimit: { calls: flags.callsPerMinute, perMs: 60_000 },
      latencyMs: flags.latency ?? 0,
      faults: flags.faults ?? '',
      // A group that is made on request has no members, so any acting user is allowed.
      behaviour: { ...(flags.open && { actingUser: 'anybody' }), ...flags.behaviour },
      ...(flags.randomSeed !== undefined && { randomSeed: flags.randomSeed }),
      caFile,
    }).catch((error) => {
      // A port in use, a certificate that cannot be written: the user can fix it.
      throw badUsage(messageOf(error));
    });
    if (flags.json) {
      const { url, apps, management, env } = sandbox;
      const all = { url, caFile, apps, managementUrl: managementUrlOf(sandbox), management, env };
      printJson(io, all);
    } else {
      introduce(sandbox, flags, io);
    }
    await stopSignal.arrived;
  } finally {
    stopSignal.ignore();
  }
}

/** For people: stdout has only the `export` lines, so that they can be saved in a file. */
function introduce(sandbox: Sandbox, flags: Flags, io: Io) {
  io.err.write(
    [
      `The sandbox listens on ${sandbox.url}${flags.listen === '127.0.0.1' ? ' (this machine only)' : ''}.`,
      '',
      ...REGIONS.map((region) => `  ${region}  https://${sandbox.apps[region].appId}.api-${region}.${sandbox.host}/v3`),
      '',
      `  In each region: ${usersAndGroups(flags)}.`,
      `  Each app allows ${flags.callsPerMinute.toLocaleString('en-US')} calls a minute.`,
      flags.faults
        ? `  Faults: ${flags.faults}; repeat them with --random-seed ${sandbox.randomSeed}.`
        : '  No faults.',
      '',
      ...REGIONS.map((region) => `  Key of ${region} with the scope authOnly: ${sandbox.apps[region].authOnlyKey}`),
      `  Management: ${managementUrlOf(sandbox)}/apps, key ${sandbox.management.key}, secret ${sandbox.management.secret}`,
      '',
      'To use it from another terminal:',
      '',
      '',
    ].join('\n'),
  );
  for (const [name, value] of Object.entries(sandbox.env)) io.out.write(`export ${name}=${shellWord(value)}\n`);
  io.err.write('\nStop it with Ctrl-C; it stores nothing.\n');
}

function usersAndGroups(flags: Flags) {
  if (flags.open) return 'every user and group exists';
  const { users, groups } = populationOf(flags);
  const numbered = [
    users === 0 ? undefined : `user-1 to user-${users}`,
    groups === 0 ? undefined : `group-1 to group-${groups}`,
    flags.seed === undefined ? undefined : `what ${flags.seed} holds`,
  ];
  return numbered.filter((part) => part !== undefined).join(', ') || 'no users or groups';
}

function managementUrlOf({ host }: Sandbox) {
  return `https://apimgmt.${host}`;
}

function behaviour(text: string, earlier: Partial<Behaviour> = {}) {
  return { ...earlier, ...parseBehaviour(text) };
}

const latencyRange: Allowed<readonly [number, number]> = {
  allowed: 'milliseconds as MS or MIN-MAX, for example 50 or 20-80',
  parse: (text) => {
    const [, from = '', to = from] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
    return from !== '' && Number(from) <= Number(to) ? [Number(from), Number(to)] : undefined;
  },
};
