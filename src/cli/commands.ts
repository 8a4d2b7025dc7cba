import type { Command } from 'commander';
import type { End } from './exit-codes.ts';
import { withProfile } from './flags/setting-flag.ts';
import type { Io } from './screen/io.ts';
import type { Names } from './suggestions.ts';

/** Makes a command; its action passes its exit code to `end`. */
type CommandMaker = (io: Io, end: End) => Command;

export interface CommandEntry {
  /** Its line in the list of commands. */
  readonly usage: string;
  readonly description: string;
  /** For programs: help does not list it. */
  readonly hidden?: true;
  /** Loads the command, and only what it needs. */
  readonly load: () => Promise<CommandMaker>;
  /** Returns the completions of its arguments, if these are no imports; loaded when they are needed. */
  readonly names?: () => Promise<Names>;
  /** It reads no settings. */
  readonly settings?: false;
}

/** The command itself, with the flags that all commands have which read settings. */
export async function loadCommand({ load, settings }: CommandEntry): Promise<CommandMaker> {
  const make = await load();
  return settings === false ? make : (io, end) => withProfile(make(io, end));
}

/** The commands of rollcall by name, in the order of its help. A command is loaded when it is used. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  import: {
    usage: '[options] <file>',
    description: 'read a membership file, send it, and account for every row',
    load: async () => (await import('./commands/import-command.ts')).importCommand,
  },
  inspect: {
    usage: '[options] <file>',
    description: 'show what a file is and how to import it; nothing is imported',
    load: async () => (await import('../features/inspect/commands/inspect-command.ts')).inspectCommand,
  },
  recipes: {
    usage: '',
    description: 'list, show and save recipes: settings for the exports of other systems',
    load: async () => (await import('../features/recipes/commands/recipes-command.ts')).recipesCommand,
    names: async () => (await import('../features/recipes/commands/recipes-command.ts')).recipeNames,
  },
  template: {
    usage: '[options]',
    description: 'write an example file to fill in',
    load: async () => (await import('../features/recipes/commands/template-command.ts')).templateCommand,
  },
  check: {
    usage: '[options] [id]',
    description: 'ask the service about an import that was read and not sent: which rows would fail',
    load: async () => (await import('../features/check/commands/check-command.ts')).checkCommand,
  },
  list: {
    usage: '[options]',
    description: 'show imports, newest first',
    load: async () => (await import('./commands/imports-commands.ts')).listCommand,
  },
  tag: {
    usage: '[options] <id> <tags...>',
    description: 'give an import tags, by which `list --tag` finds it',
    load: async () => (await import('./commands/imports-commands.ts')).tagCommand,
  },
  status: {
    usage: '[options] [id]',
    description: 'show the results of an import so far',
    load: async () => (await import('./commands/imports-commands.ts')).statusCommand,
  },
  watch: {
    usage: '[options] [id]',
    description: 'follow an import that runs in another process; exits with the same code as `import`',
    load: async () => (await import('./commands/imports-commands.ts')).watchCommand,
  },
  pause: {
    usage: '[options] [id]',
    description: 'let calls in flight finish, and send no more until `resume`',
    load: async () => (await import('./commands/imports-commands.ts')).pauseCommand,
  },
  resume: {
    usage: '[options] [id]',
    description: 'continue an import that was paused, blocked, interrupted or only checked',
    load: async () => (await import('./commands/resume-command.ts')).resumeCommand,
  },
  cancel: {
    usage: '[options] [id]',
    description: 'end an import; what was not sent is reported as unprocessed',
    load: async () => (await import('./commands/imports-commands.ts')).cancelCommand,
  },
  retry: {
    usage: '[options] [id]',
    description: 'send again what failed, was not confirmed or was not sent, as a new import',
    load: async () => (await import('./commands/retry-command.ts')).retryCommand,
  },
  report: {
    usage: '[options] [id]',
    description: 'write the outcome of every row',
    load: async () => (await import('./commands/report-command.ts')).reportCommand,
  },
  sync: {
    usage: '[options] <file>',
    description: 'plan the changes that make groups match a file; --apply carries them out',
    load: async () => (await import('../features/sync/commands/sync-command.ts')).syncCommand,
    names: async () => (await import('../features/sync/commands/sync-list-command.ts')).syncNames,
  },
  export: {
    usage: '[options]',
    description: 'write who is in which group now, as a file that `import` and `sync` read back',
    load: async () => (await import('../features/export/commands/export-command.ts')).exportCommand,
  },
  undo: {
    usage: '[options] <import>',
    description: 'plan how to reverse an import; --apply carries it out',
    load: async () => (await import('../features/sync/commands/undo-command.ts')).undoCommand,
  },
  schedule: {
    usage: '',
    description: 'sync files regularly, from `rollcall serve`',
    load: async () => (await import('../features/schedule/commands/schedule-command.ts')).scheduleCommand,
    names: async () => (await import('../features/schedule/commands/schedule-command.ts')).scheduleNames,
  },
  serve: {
    usage: '[options]',
    description: 'run a server that takes imports over HTTP: API, web console, reports',
    load: async () => (await import('./commands/serve-command.ts')).serveCommand,
  },
  notify: {
    usage: '',
    description: 'try the receiver of notifications: `rollcall notify test`',
    load: async () => (await import('../features/notify/commands/notify-command.ts')).notifyCommand,
  },
  token: {
    usage: '',
    description: 'create, list and revoke tokens for `rollcall serve`',
    load: async () => (await import('./commands/token-command.ts')).tokenCommand,
  },
  worker: {
    usage: '[options]',
    description: "send the batches of some regions from this machine; needs the queue and those regions' keys",
    load: async () => (await import('./commands/worker-command.ts')).workerCommand,
  },
  sandbox: {
    usage: '[options]',
    description: 'run a local copy of the chat service, to try imports without the real one',
    settings: false,
    load: async () => {
      const { sandboxCommand } = await import('./commands/sandbox-command.ts');
      return ({ out, err }) => sandboxCommand({ stdout: out, stderr: err });
    },
  },
  apps: {
    usage: '[options]',
    description: 'list the apps of the account; needs the management key',
    load: async () => (await import('./commands/service-commands.ts')).appsCommand,
  },
  users: {
    usage: '',
    description: 'list the users of an app, and create auth tokens for them',
    load: async () => (await import('./commands/service-commands.ts')).usersCommand,
  },
  message: {
    usage: '[options] <text>',
    description: 'send a text message to a user or group, on behalf of a user',
    load: async () => (await import('./commands/service-commands.ts')).messageCommand,
  },
  doctor: {
    usage: '[options]',
    description: 'check the settings, keys, service, queue and disk that this machine uses',
    load: async () => (await import('./commands/doctor-command.ts')).doctorCommand,
  },
  sources: {
    usage: '[options] [name...]',
    description: 'list the sources that the settings name, and try each',
    load: async () => (await import('./commands/sources-command.ts')).sourcesCommand,
  },
  demo: {
    usage: '[options]',
    description: 'import a sample into a sandbox, to see how rollcall works',
    load: async () => (await import('./commands/demo-command.ts')).demoCommand,
  },
  version: {
    usage: '[options]',
    description: 'show the version, and what rollcall runs on',
    settings: false,
    load: async () => (await import('./commands/version-command.ts')).versionCommand,
  },
  completion: {
    usage: '<shell>',
    description: 'print the completion script of bash, zsh or fish',
    settings: false,
    load: async () => (await import('./commands/completion-command.ts')).completionCommand,
  },
  complete: {
    usage: '[words...]',
    description: 'answer completion scripts',
    settings: false,
    hidden: true,
    load: async () => {
      const [{ completeCommand }, { suggest }, { helpTopics }] = await Promise.all([
        import('./commands/completion-command.ts'),
        import('./suggestions.ts'),
        import('./topics.ts'),
      ]);
      const topics = () => helpTopics().map(({ name, title }) => [name, title] as const);
      const commands = Object.fromEntries(
        Object.entries(COMMANDS).map(([name, entry]) => [name, { ...entry, load: () => loadCommand(entry) }]),
      );
      return (io, end) => completeCommand(io, end, (typed) => suggest({ commands, topics, typed, io }));
    },
  },
};
