import type { Command } from 'commander';
import type { Commands } from './command-entry.ts';
import type { Action } from './exit-codes.ts';
import { withProfile } from './flags/flags.ts';

/** A command with the flags of all that read settings; undefined for another name. @param action default: it describes itself only */
export async function loadCommand(name: string, action: Action = () => async () => {}): Promise<Command | undefined> {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const command = (await entry?.load())?.[`${name}Command`]?.(action);
  return command === undefined || entry?.settings === false ? command : withProfile(command);
}

const imports = () => import('./commands/imports-commands.ts');
const continuing = () => import('./commands/continue-commands.ts');
const service = () => import('./commands/service-commands.ts');
const syncs = () => import('../features/sync/commands/sync-command.ts');
const recipes = () => import('../features/recipes/commands/recipes-command.ts');
const schedules = () => import('../features/schedule/commands/schedule-command.ts');

/** The commands of rollcall by name, in the order of its help. A command is loaded when it is used. */
export const COMMANDS: Commands = {
  import: {
    usage: '[options] <file>',
    description: 'read a membership file, send it, and account for every row',
    load: () => import('./commands/import-command.ts'),
  },
  inspect: {
    usage: '[options] <file>',
    description: 'show what a file is and how to import it; nothing is imported',
    load: () => import('../features/inspect/commands/inspect-command.ts'),
  },
  recipes: {
    usage: '',
    description: 'list, show and save recipes: settings for the exports of other systems',
    load: recipes,
    names: async () => (await recipes()).recipeNames,
  },
  template: {
    description: 'write an example file to fill in',
    load: () => import('../features/recipes/commands/template-command.ts'),
  },
  check: {
    usage: '[options] [id]',
    description: 'ask the service about an import that was read and not sent: which rows would fail',
    load: () => import('../features/check/commands/check-command.ts'),
  },
  list: {
    description: 'show imports, newest first',
    load: imports,
  },
  tag: {
    usage: '[options] <id> <tags...>',
    description: 'give an import tags, by which `list --tag` finds it',
    load: imports,
  },
  status: {
    usage: '[options] [id]',
    description: 'show the results of an import so far',
    load: imports,
  },
  watch: {
    usage: '[options] [id]',
    description: 'follow an import that runs in another process; exits with the same code as `import`',
    load: imports,
  },
  pause: {
    usage: '[options] [id]',
    description: 'let calls in flight finish, and send no more until `resume`',
    load: imports,
  },
  resume: {
    usage: '[options] [id]',
    description: 'continue an import that was paused, blocked, interrupted or only checked',
    load: continuing,
  },
  cancel: {
    usage: '[options] [id]',
    description: 'end an import; what was not sent is reported as unprocessed',
    load: imports,
  },
  retry: {
    usage: '[options] [id]',
    description: 'send again what failed, was not confirmed or was not sent, as a new import',
    load: continuing,
  },
  report: {
    usage: '[options] [id]',
    description: 'write the outcome of every row',
    load: () => import('./commands/report-command.ts'),
  },
  sync: {
    usage: '[options] <file>',
    description: 'plan the changes that make groups match a file; --apply carries them out',
    load: syncs,
    names: async () => (await syncs()).syncNames,
  },
  export: {
    description: 'write who is in which group now, as a file that `import` and `sync` read back',
    load: () => import('../features/export/commands/export-command.ts'),
  },
  undo: {
    usage: '[options] <import>',
    description: 'plan how to reverse an import; --apply carries it out',
    load: syncs,
  },
  expiring: {
    description: 'show memberships that end, as rows of files have said',
    load: syncs,
  },
  expire: {
    description: 'plan the removal of members whose memberships are over; --apply carries it out',
    load: syncs,
  },
  schedule: {
    usage: '',
    description: 'sync files regularly, from `rollcall serve`',
    load: schedules,
    names: async () => (await schedules()).scheduleNames,
  },
  serve: {
    description: 'run a server that takes imports over HTTP: API, web console, reports',
    load: () => import('./commands/serve-command.ts'),
  },
  notify: {
    usage: '',
    description: 'try the receiver of notifications: `rollcall notify test`',
    load: () => import('../features/notify/commands/notify-command.ts'),
  },
  token: {
    usage: '',
    description: 'create, list and revoke tokens for `rollcall serve`',
    load: () => import('./commands/token-command.ts'),
  },
  worker: {
    description: "send the batches of some regions from this machine; needs the queue and those regions' keys",
    load: () => import('./commands/worker-command.ts'),
  },
  sandbox: {
    description: 'run a local copy of the chat service, to try imports without the real one',
    settings: false,
    load: () => import('./commands/sandbox-command.ts'),
  },
  apps: {
    description: 'list the apps of the account; needs the management key',
    load: service,
  },
  users: {
    usage: '',
    description: 'list the users of an app, and create auth tokens for them',
    load: service,
  },
  message: {
    usage: '[options] <text>',
    description: 'send a text message to a user or group, on behalf of a user',
    load: service,
  },
  doctor: {
    description: 'check the settings, keys, service, queue and disk that this machine uses',
    load: () => import('./commands/doctor-command.ts'),
  },
  sources: {
    usage: '[options] [name...]',
    description: 'list the sources that the settings name, and try each',
    load: () => import('./commands/sources-command.ts'),
  },
  demo: {
    description: 'import a sample into a sandbox, to see how rollcall works',
    load: () => import('./commands/demo-command.ts'),
  },
  version: {
    description: 'show the version, and what rollcall runs on',
    settings: false,
    load: () => import('./commands/version-command.ts'),
  },
  completion: {
    usage: '<shell>',
    description: 'print the completion script of bash, zsh or fish',
    settings: false,
    load: () => import('./commands/completion-command.ts'),
  },
  complete: {
    usage: '[words...]',
    description: 'answer completion scripts',
    settings: false,
    hidden: true,
    load: async () => {
      const { completing } = await import('./commands/completion-command.ts');
      return { completeCommand: (action: Action) => completing(action, COMMANDS, loadCommand) };
    },
  },
};
