import { z } from 'zod';
import { badUsage } from '../errors/rollcall-error.ts';
import { duration, timeText } from '../platform/allowed-values.ts';
import { CHOICES } from './labels.ts';
import { choice, type Given, option, readAsSetting, SWITCH, TEXT } from './option.ts';

/** Names of schedules, and of syncs: they become names of folders, and parts of the names of jobs. */
export const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
export const NAME_FORM = 'up to 64 lower-case letters, digits, - and _, the first a letter or digit';

/** A sync with a name remembers whom it made members. A schedule's runs have that of the schedule. */
export const NAMING = {
  adopt: option({
    schema: z.array(z.string()),
    value: '<import>',
    help: 'a finished import whose additions count as those of the sync, also in later runs',
    parse: (text) => [text],
    print: (ids) => ids,
    repeats: true,
  }),
  syncName: option({
    schema: z.string(),
    ...TEXT,
    parse: (text) => {
      if (NAME.test(text)) return text;
      throw badUsage(NAME_FORM);
    },
    value: '<name>',
    help: 'name under which the sync remembers its runs and whom it makes members; that of a schedule continues what the schedule remembers',
  }),
};

/** Options that decide whom a sync adds, changes and removes. */
export const MODE = {
  mode: option({
    ...choice(CHOICES.mode),
    value: '<mode>',
    help: 'add never removes; mirror also looks at members who are not in the file',
    preset: 'add',
  }),
  missing: option({
    ...choice(CHOICES.missing),
    value: '<what>',
    help: 'with mode mirror: what to do about members who are not in the file',
    preset: 'report',
  }),
  whose: option({
    ...choice(CHOICES.whose),
    value: '<whose>',
    help: 'with missing remove or ban: all members who are not in the file, or ours, whom this sync made members',
    preset: 'all',
  }),
  left: option({
    ...choice(CHOICES.left),
    value: '<what>',
    help: 'users in the file whom this sync made members and who are gone: add them again, keep them out, or hold the plan',
    preset: 're-add',
  }),
  changed: option({
    ...choice(CHOICES.changed),
    value: '<what>',
    help: 'members of this sync whom others have banned or given another scope: do as the file says, or leave them so',
    preset: 'restore',
  }),
  allowDemotion: option({
    ...SWITCH,
    help: 'lower scopes where the file says so; otherwise scopes are only raised',
  }),
};
export type ModeChoices = Given<typeof MODE>;

/** Ids, which may be many. @param kind `uid` or `guid` */
export const idList = (kind: 'uid' | 'guid') =>
  ({
    schema: z.array(z.string()),
    longest: 10_000_000,
    value: `<${kind},...>`,
    parse: (text: string) => {
      const ids = text.split(',').map((part) => part.trim());
      if (ids.includes('')) throw badUsage(`${kind.toUpperCase()}s, separated by commas`);
      return ids;
    },
    print: (ids: string[]) => (ids.length === 0 ? [] : [ids.join(',')]),
    repeats: true,
  }) as const;

export const SCHEDULING = {
  cron: option({
    schema: z.string().max(200),
    ...TEXT,
    value: '<expression>',
    help: 'minute, hour, day of month, month, weekday: "30 2 * * *" is every night at 2:30',
  }),
  tz: option({
    schema: z.string().max(100),
    ...TEXT,
    value: '<zone>',
    help: 'time zone of the expression, such as Europe/Rome',
  }),
};
/** Options of a schedule for runs that would be left out. */
export const RUNNING = {
  repair: option({
    ...SWITCH,
    help: 'check the groups even if the file is unchanged, to reverse changes made by hand',
    without: 'skip runs whose file is unchanged',
  }),
  catchUp: option({
    ...SWITCH,
    help: 'when the server starts, run once if a run was missed',
    without: 'leave out runs that were missed',
  }),
};

/** Exceptions to the protection of members. On the command line, the UIDs to protect are in a file. */
export const PROTECTING = {
  protect: option({ ...idList('uid'), help: 'UIDs to never remove, ban or lower' }),
};
export const REMOVING_BY_NAME = {
  removeNamed: option({
    ...idList('uid'),
    help: 'UIDs that may be removed even if they are owner, admin or protected',
  }),
};

export const APPLYING = {
  apply: option({ ...SWITCH, help: 'carry out the plan at once, unless a guard objects', without: 'only plan' }),
};

/** Memberships that end. */
export const ENDING = {
  within: option({
    schema: z.int().positive(),
    ...readAsSetting(duration, timeText),
    value: '<time>',
    help: 'only those that end within this time, such as 14d, and those that are over',
    preset: 'all',
  }),
};

export const UNDOING = {
  includeUncertain: option({
    ...SWITCH,
    help: 'also reverse what a call without an answer may have done: remove members who were there when it was repeated, or whose row is not confirmed',
  }),
};
