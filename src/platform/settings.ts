import { badSetting } from '../errors/rollcall-error.ts';
import { REGIONS, type Region } from '../membership/membership.ts';
import { type Allowed, anyText, duration, oneOf, waitTime, wholeNumber } from './allowed-values.ts';
import { appUrl, serverOrigin, serviceHost } from './hosts.ts';
import { sourceList } from './named-sources.ts';

/**
 * Every setting, declared once. The configuration and its type, the flags and their help, the table of docs/settings.md and the check for
 * unknown names come from here. The property's name is the setting's name in `rollcall.config.json`. To add one: an entry
 * here, and `settingFlag('name')` where a command takes its flag; `npm run build` writes its row in docs/settings.md.
 */

export const MAX_CONCURRENCY = 1_000;
/** Enough for 8,000 calls a minute that take 2 s each, with some room. */
const DEFAULT_CONCURRENCY = 300;
/** Members of a call are added one after another, and each changes its group: more calls to one do not end sooner. */
const DEFAULT_PER_GROUP = 20;
/** The limit of a paid plan, used until the service names another one (docs/chat-service.md, 39). */
export const USUAL_CALLS_PER_MINUTE = 10_000;
/** Logins of the app's own users count as calls as well. */
const DEFAULT_BUDGET_SHARE = 80;

/** Whether a group is asked for its members: only if ten pages hold them (`auto`), always or never. */
const ASK_BEFORE_REPEAT = ['auto', 'always', 'never'] as const;
export type AskBeforeRepeat = (typeof ASK_BEFORE_REPEAT)[number];

/** The address of the banned users of a group (docs/chat-service.md, 46). */
const BANNED_LIST = ['auto', 'bannedusers', 'banned_members'] as const;

/** From little to much: `debug` adds every call that was answered, and what the service said about rows. */
const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Printable ASCII, as it can be sent in a header. */
const secretText: Allowed<string> = {
  allowed: 'printable ASCII',
  parse: (text, name) => {
    if (/^[\x21-\x7e]+$/.test(text)) return text;
    throw badSetting(`${name} holds a blank or a letter that is not ASCII: set it to the secret as it was given out`);
  },
};

export interface SettingDeclaration<Value = unknown> extends Allowed<Value> {
  /** The variable of the environment. */
  readonly env: string;
  /** One variable for each region: `env` is the name for `us`, and this one the name in `apps` of the file. */
  readonly perRegion?: 'appId' | 'url' | 'apiKey';
  /** The flag that comes first, as commander writes it: `--keep <time>`. */
  readonly flag?: string;
  /** In Markdown, as the table of docs/settings.md shows it. */
  readonly meaning: string;
  readonly preset?: string | number;
  /** The default as the table shows it, where it is not always the same value. */
  readonly default?: string;
  /** The only place where it can be set: `environment` for secrets that files should not hold, and for the path of the file. */
  readonly only?: 'environment';
  /** `<env>_FILE`, or `<name>File` in the file, may name a file that contains the value instead. */
  readonly orFile?: true;
  /** The name of a profile promises it: no variable may say something else. */
  readonly isPromised?: true;
  /** May hold a key or password: no message repeats the value. */
  readonly secret?: true;
  /** Names a file or folder: the configuration has its whole path. */
  readonly isPath?: true;
  /** The configuration does not have it under its name: `readConfig` makes another value of it. */
  readonly isPart?: true;
}

/** In the order of the table of docs/settings.md. */
export const SETTINGS = {
  profile: {
    ...anyText,
    env: 'ROLLCALL_PROFILE',
    flag: '--profile <name>',
    isPart: true,
    meaning: 'one of the `profiles` in `rollcall.config.json`, such as `staging`',
    default: 'no profile: the settings beside them',
  },
  host: {
    env: 'ROLLCALL_HOST',
    isPromised: true,
    meaning:
      "`cometchat.io` for the public service; otherwise what follows `api-<region>.` in your service's address, with its port. If you paste a longer address, rollcall corrects it and says so",
    allowed: 'a host',
    parse: (text) => serviceHost(text),
  },
  regionAppId: {
    ...anyText,
    env: 'ROLLCALL_US_APP_ID',
    perRegion: 'appId',
    only: 'environment',
    isPart: true,
    isPromised: true,
    meaning: 'the app of each region',
  },
  regionUrl: {
    ...appUrl,
    env: 'ROLLCALL_US_URL',
    perRegion: 'url',
    only: 'environment',
    isPart: true,
    meaning:
      'the whole base address of its app, such as `https://chat.corp.example/v3`, for a service on your own machines; `ROLLCALL_HOST` is not needed for it then',
  },
  regionApiKey: {
    ...anyText,
    env: 'ROLLCALL_US_API_KEY',
    orFile: true,
    perRegion: 'apiKey',
    only: 'environment',
    isPart: true,
    secret: true,
    meaning: 'its key, with the scope `fullAccess`',
  },
  appId: {
    ...anyText,
    env: 'ROLLCALL_APP_ID',
    isPart: true,
    isPromised: true,
    meaning: 'the same for a single app: its id',
  },
  apiKey: { ...anyText, env: 'ROLLCALL_API_KEY', orFile: true, isPart: true, secret: true, meaning: 'its key' },
  region: {
    ...oneOf(REGIONS),
    env: 'ROLLCALL_REGION',
    isPart: true,
    meaning: 'its region, and the region of rows that do not name one',
    default: 'the only region that has an app, or `us`',
  },
  managementKey: {
    ...secretText,
    env: 'ROLLCALL_MANAGEMENT_KEY',
    orFile: true,
    only: 'environment',
    secret: true,
    isPart: true,
    meaning: 'the management key, for `rollcall apps` and for what `doctor` compares; only from the environment',
  },
  managementSecret: {
    ...secretText,
    env: 'ROLLCALL_MANAGEMENT_SECRET',
    orFile: true,
    only: 'environment',
    secret: true,
    isPart: true,
    meaning: 'its secret',
  },
  envFile: {
    ...anyText,
    env: 'ROLLCALL_ENV_FILE',
    only: 'environment',
    isPart: true,
    meaning: 'a file of `NAME=value` lines; its `ROLLCALL_` settings override those of the environment',
  },
  proxy: {
    ...anyText,
    env: 'HTTPS_PROXY',
    only: 'environment',
    secret: true,
    isPart: true,
    meaning: 'the proxy for calls to the chat service',
  },
  noProxy: {
    ...anyText,
    env: 'NO_PROXY',
    only: 'environment',
    isPart: true,
    meaning: 'the hosts to reach without the proxy',
  },
  caFile: {
    ...anyText,
    env: 'ROLLCALL_CA_FILE',
    isPath: true,
    meaning: 'an additional certificate authority to trust: for the chat service, a `rediss://` queue, a server',
  },
  dataDir: {
    ...anyText,
    env: 'ROLLCALL_DATA_DIR',
    flag: '--data-dir <dir>',
    isPath: true,
    meaning: 'folder in which imports are stored',
    preset: '.rollcall',
  },
  callsPerMinute: {
    ...wholeNumber(1, 10_000_000),
    env: 'ROLLCALL_CALLS_PER_MINUTE',
    flag: '--calls-per-minute <n>',
    meaning: 'calls a minute in each region, exactly',
    default: `${DEFAULT_BUDGET_SHARE}% of what the service allows, ${(USUAL_CALLS_PER_MINUTE * DEFAULT_BUDGET_SHARE) / 100} until it says so`,
  },
  listsPerMinute: {
    ...wholeNumber(1, 10_000_000),
    env: 'ROLLCALL_LISTS_PER_MINUTE',
    meaning:
      'calls a minute in each region that only read, such as lists of members, exactly, in addition to those above',
    default: `${DEFAULT_BUDGET_SHARE}% of what the service allows, where it has a limit of its own for them; otherwise they are part of the calls above`,
  },
  budgetShare: {
    ...wholeNumber(1, 100),
    env: 'ROLLCALL_BUDGET_SHARE',
    meaning: "that share in percent; the rest is left to your users' logins and other calls",
    preset: DEFAULT_BUDGET_SHARE,
  },
  concurrency: {
    ...wholeNumber(1, MAX_CONCURRENCY),
    env: 'ROLLCALL_CONCURRENCY',
    flag: '--concurrency <n>',
    meaning: 'most concurrent calls of this process in each region; how many there are follows what the service takes',
    preset: DEFAULT_CONCURRENCY,
  },
  perGroup: {
    ...wholeNumber(1, MAX_CONCURRENCY),
    env: 'ROLLCALL_PER_GROUP',
    flag: '--per-group <n>',
    meaning:
      'most concurrent calls of this data directory that change one group, where the service adds members one after another: more would wait for each other',
    preset: DEFAULT_PER_GROUP,
  },
  queue: {
    ...anyText,
    env: 'ROLLCALL_QUEUE',
    orFile: true,
    flag: '--queue <url>',
    secret: true,
    meaning: 'server of the job queue: `redis://…`',
    default: 'embedded, in memory',
  },
  askBeforeRepeat: {
    ...oneOf(ASK_BEFORE_REPEAT),
    env: 'ROLLCALL_ASK_BEFORE_REPEAT',
    meaning:
      'whether a group is asked who is a member and who is banned before an addition or ban is repeated that may have been carried out, by its lists or for each user alone, whichever takes fewer calls: `auto` (where the service does not answer for one user, groups of up to 10,000 members only), `always` or `never`',
    preset: 'auto',
  },
  bannedList: {
    ...oneOf(BANNED_LIST),
    env: 'ROLLCALL_BANNED_LIST',
    meaning:
      'the address of the banned users of a group: `bannedusers`, `banned_members`, or `auto`, the one that answers',
    preset: 'auto',
  },
  keep: {
    ...duration,
    env: 'ROLLCALL_KEEP',
    flag: '--keep <time>',
    meaning: 'time that `serve` keeps finished imports and syncs, such as `90d`',
    default: 'until you delete them',
  },
  giveUpAfter: {
    ...waitTime,
    env: 'ROLLCALL_GIVE_UP_AFTER',
    flag: '--give-up-after <time>',
    meaning:
      'maximum wait of an import for a service that answers nothing, such as `30m`; then it is `blocked`, and nothing is lost',
    default: '`1h`; under `serve` as long as it takes',
  },
  sources: {
    ...sourceList,
    env: 'ROLLCALL_SOURCES',
    meaning:
      'folders, addresses (`https://…`, `s3://bucket/prefix`) and named sources (`hr:`), separated by commas: schedules that are made in the console or over the API read files in or below them, and no others; or, in the file, the named sources themselves (docs/addresses.md)',
    default:
      'with `--sandbox` the folder `sources` of the data directory; else none: schedules are made on the command line of the server’s machine only',
  },
  server: {
    ...serverOrigin,
    env: 'ROLLCALL_SERVER',
    flag: '--server <url>',
    secret: true,
    meaning: 'the server that runs imports; its token is in `ROLLCALL_TOKEN`',
    default: 'this process',
  },
  token: {
    ...secretText,
    env: 'ROLLCALL_TOKEN',
    orFile: true,
    only: 'environment',
    secret: true,
    meaning:
      'the token for that server; only from the environment, and sent to other machines only over https, unless `--plain-http` is given',
  },
  notify: {
    ...anyText,
    env: 'ROLLCALL_NOTIFY',
    orFile: true,
    flag: '--notify <url>',
    secret: true,
    meaning:
      'address that `serve` notifies when imports finish or cannot continue without a person: `https://…`, `slack+https://…` or `smtp://…?from=…&to=…`',
    default: 'none',
  },
  notifySecret: {
    ...secretText,
    env: 'ROLLCALL_NOTIFY_SECRET',
    orFile: true,
    only: 'environment',
    secret: true,
    meaning:
      'the secret that signs these notifications, `whsec_…`; only from the environment. Of all names with `_FILE`: a file that contains the value (`apiKeyFile`, `queueFile`, `notifyFile` in the configuration file)',
  },
  logLevel: {
    ...oneOf(LOG_LEVELS),
    env: 'ROLLCALL_LOG_LEVEL',
    flag: '--log-level <level>',
    meaning: 'log level: `error`, `warn`, `info` or `debug`',
    preset: 'info',
  },
  logFile: {
    ...anyText,
    env: 'ROLLCALL_LOG_FILE',
    flag: '--log-file <file>',
    isPath: true,
    meaning: 'the file of the log; `serve` and `worker` also write it to standard output',
    default: '`rollcall.log` in the data directory; a worker has none',
  },
  config: {
    ...anyText,
    env: 'ROLLCALL_CONFIG',
    only: 'environment',
    isPart: true,
    meaning: 'another configuration file',
    default: '`rollcall.config.json`',
  },
} as const satisfies Record<string, SettingDeclaration>;

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;
export type ValueOf<Name extends SettingName> = NonNullable<ReturnType<Settings[Name]['parse']>>;
/** A setting that a flag can give. */
export type FlagName = {
  [Name in SettingName]: Settings[Name] extends { readonly flag: string } ? Name : never;
}[SettingName];
/** A setting that the configuration has under its name. */
export type ConfigName = {
  [Name in SettingName]: Settings[Name] extends { readonly isPart: true } ? never : Name;
}[SettingName];
type Unset<Name extends SettingName> = Settings[Name] extends { readonly preset: unknown } ? never : undefined;
export type SettingValues = { readonly [Name in ConfigName]: ValueOf<Name> | Unset<Name> };
/** The values of flags, times in ms. */
export type Flags = { readonly [Name in FlagName]?: ValueOf<Name> | undefined };

const ALL = Object.entries(SETTINGS) as [SettingName, SettingDeclaration][];

export const CONFIG_NAMES = ALL.flatMap(([name, { isPart }]) => (isPart ? [] : [name])) as readonly ConfigName[];

/** @param env as it is declared, with the name of the first region */
export function variableOf(env: string, region: Region = REGIONS[0]) {
  return env.replace('_US_', `_${region.toUpperCase()}_`);
}

export const VARIABLES: readonly string[] = ALL.flatMap(([, { env, perRegion, orFile }]) =>
  (perRegion ? REGIONS : REGIONS.slice(0, 1)).flatMap((region) => {
    const name = variableOf(env, region);
    return orFile ? [name, `${name}_FILE`] : [name];
  }),
);

/** Variables that name files with keys, passwords or other secrets. */
export const SECRET_FILES = [
  SETTINGS.envFile.env,
  ...VARIABLES.map((name) => `${name}_FILE`).filter((name) => VARIABLES.includes(name)),
];

/** The default in Markdown; '' where there is none. */
export function defaultOf({ preset = '', default: text }: SettingDeclaration) {
  return text ?? (typeof preset === 'number' || preset === '' ? String(preset) : `\`${preset}\``);
}
