import { once } from 'node:events';
import { type App, openApp } from '../app/app.ts';
import { type OpenedService, openService } from '../app/open-service.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { patienceOf } from '../imports/send/give-up.ts';
import { aimText } from '../imports/target.ts';
import { isFinal } from '../membership/import-state.ts';
import type { Config } from '../platform/config.ts';
import { createLifecycle, firstSignal, type Lifecycle, stopAll } from '../platform/lifecycle.ts';
import { intoOneFile } from '../platform/sqlite.ts';
import { type Imports, importsIn, isAlone, openImports } from './client/imports.ts';
import { ownerClient } from './client/local-client.ts';
import type { Client } from './client/operation-client.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { RunningFlags } from './flags/flags.ts';
import { type Owner, openOwner, ownImports } from './owner.ts';
import { failureWords } from './refusal.ts';
import { conclude } from './screen/conclude.ts';
import { followImport } from './screen/follow.ts';
import { type Io, say } from './screen/io.ts';
import { showSteps } from './screen/show-progress.ts';

/** Settings, screen and place of a command that begins work. */
export interface Running {
  readonly config: Config;
  readonly io: Io;
  /** Those of a server, which does the work then, or of a data directory, which this process owns meanwhile. */
  readonly imports: Imports;
  /** Opens the service that calls of this process go to: before the coordinator; closed after it. */
  readonly openService: () => Promise<OpenedService>;
  /** Whether results are printed for programs. */
  readonly json: boolean;
}

/** The settings and imports that the flags of a command name. @throws as openImports */
export async function openRunning(io: Io, flags: RunningFlags): Promise<Running> {
  const { config, imports } = await openImports(flags);
  return { config, io, imports, openService: () => openService(config, flags), json: flags.json === true };
}

/** Refuses to send to the service what is meant for the sandbox, and the reverse. @throws WRONG_TARGET */
export function checkTarget(command: string, subject: string, isMeant: boolean, sandbox = false) {
  if (isMeant === sandbox) return;
  const what = `${subject} was ${isMeant ? '' : 'not '}meant for the sandbox`;
  throw new RollcallError('WRONG_TARGET', {
    what,
    remedy: isMeant ? `type: ${command} --sandbox` : 'leave out --sandbox, or give the file again with --sandbox',
  });
}

/** This process while it does the work: the owner of the data directory, with its coordinator. */
export interface Here extends Omit<App, 'serveOwner' | 'othersOver' | 'failed' | keyof Owner>, Owner {
  /** Registers what is opened beside the coordinator and must stop before it. */
  readonly onStop: Lifecycle['onStop'];
  /** Aborted by the first Ctrl-C, and when this process cannot continue. */
  readonly signal: AbortSignal;
}

/** The process or server that does the work. */
export interface Doing {
  readonly client: Client;
  /** The imports there, with what happens to those that this process runs. */
  readonly imports: Imports;
  /** Aborted by the first Ctrl-C, and when this process cannot continue. */
  readonly signal: AbortSignal;
  /** Undefined where a server does it. */
  readonly here: Here | undefined;
}

/** Id of the work that was begun, or the exit code where there is none. */
export type Begun = { readonly id: string } | ExitCode;

/** Something that a command begins and follows until it is over: an import, a sync, a check, an export. */
export interface Work {
  /** Opens what does its operations in this process, such as `ownImports` with a feature's handlers too. */
  readonly open: (here: Here) => Client | Promise<Client>;
  readonly begin: (doing: Doing) => Promise<Begun>;
  /** The event that progress says it waits for while `begin` lasts: "the import to begin". */
  readonly begins: string;
  /** Progress of `begin`, in this process. */
  readonly beginLines?: (() => readonly string[]) | undefined;
  /** Its kind and id where it is done elsewhere and Ctrl-C leaves it running: "Import 20…". Default: nothing is said. */
  readonly named?: (id: string) => string;
  /** Shows it until it is over, or until soon after the signal: `left`, where it is not over then. */
  readonly follow: (doing: Doing, id: string) => Promise<'over' | 'left'>;
  /** Lines that lead to it again, after Ctrl-C or a fault: a sentence, and the command. */
  readonly howToContinue: (id: string, sandbox: boolean) => readonly string[];
  /** The same where it goes on elsewhere: `at https://…`. */
  readonly howToFollow: (id: string, where: string) => readonly string[];
  /** Prints its result; this process has left the data directory then. */
  readonly conclude: (ended: Ended) => Promise<ExitCode>;
}

interface Ended {
  readonly id: string;
  readonly client: Client;
}

/** The end of a command whose signal came before there was anything. */
export function sayNothingBegan(io: Io) {
  say(io, 'Stopped before anything began; nothing was sent, and nothing was stored.');
  return EXIT.interrupted;
}

/**
 * Has work done and shows it until it is over, by the server, by the process that owns the data directory, else by this
 * process. Ctrl-C interrupts what this process does; elsewhere it goes on. Returns the exit code of the command.
 */
export async function run(running: Running, work: Work) {
  const { imports, config } = running;
  if (await isAlone(imports)) return runHere(running, work);
  return runThere(running, work, imports.server ?? ownerClient(config.dir));
}

async function runThere({ io, imports }: Running, work: Work, client: Client) {
  const { server } = imports;
  const at = server === undefined ? 'in the process that uses the data directory' : `at ${server.url}`;
  let code: ExitCode = EXIT.interrupted;
  const { signal, ignore } = firstSignal(
    () => code,
    () => {
      if (code === EXIT.interrupted) say(io, 'Stopped at once.');
    },
  );
  const doing = { client, imports, signal, here: undefined };
  let id: string;
  try {
    const begun = await work.begin(doing);
    if (typeof begun === 'number') return begun;
    ({ id } = begun);
    code = EXIT.stillRunning;
    const runs = server === undefined ? `${at}, with its settings` : `on the server ${at}`;
    if (work.named) say(io, `${work.named(id)} runs ${runs}; Ctrl-C leaves it running.`);
    if ((await work.follow(doing, id)) === 'left') {
      say(io, '', ...work.howToFollow(id, at));
      return code;
    }
  } finally {
    ignore();
  }
  return work.conclude({ id, client });
}

/** Default time that imports wait for a service that does not answer, in ms: someone waits at the terminal, or a script. */
const GIVE_UP_AFTER_MS = 3_600_000;

async function runHere(running: Running, work: Work) {
  const { config, io } = running;
  const lifecycle = createLifecycle();
  let [ended, code]: [Ended | undefined, ExitCode] = [undefined, EXIT.interrupted];
  let failure: Error | undefined;
  let sandbox = false;
  const howToContinue = () => (ended === undefined ? [] : work.howToContinue(ended.id, sandbox));
  const interrupt = firstSignal(EXIT.interrupted, () => say(io, 'Stopped at once.', ...howToContinue()));
  try {
    const { app, doing } = await openHere(running, work, lifecycle, interrupt.signal);
    void app.failed.then((error) => {
      failure = error;
    });
    const { client } = doing;
    ({ sandbox } = app.coordinator.sendsTo);
    const regions = () => app.coordinator.regions.status();
    const beginning = showSteps(io, work.beginLines ?? (() => []), { begins: work.begins, regions });
    const made = await work.begin(doing).finally(beginning.stop);
    if (typeof made !== 'number') {
      const { id } = made;
      ended = { id, client };
      await Promise.race([work.follow(doing, id), app.failed]);
      await app.othersOver(async (other) => {
        if (doing.signal.aborted) return;
        say(io, '', `Import ${other}, which another command began, goes on here until it is over.`);
        await followImport(io, doing.imports, other, doing);
      });
      if (interrupt.signal.aborted) {
        say(io, '', 'Stopping: calls in flight may finish. Press Ctrl-C again to stop at once.');
      }
    } else code = made;
  } finally {
    const leave = () => say(io, 'The queue does not answer; stopped anyway.', ...howToContinue());
    await stopAll(lifecycle, interrupt, EXIT.interrupted, config.queue === undefined ? undefined : leave);
  }
  if (failure !== undefined) {
    say(io, '', `rollcall cannot continue: ${failureWords(failure)}`, 'When it is fixed:', ...howToContinue().slice(1));
    return EXIT.fatal;
  }
  return ended === undefined ? code : work.conclude(ended);
}

/** Owns the data directory, and answers other commands about it. */
async function openHere({ config, io, openService }: Running, work: Work, lifecycle: Lifecycle, first: AbortSignal) {
  const app = await openApp(lifecycle, {
    config: { ...config, ...patienceOf({}, config, GIVE_UP_AFTER_MS) },
    openService,
    show: (sentence) => say(io, sentence),
    reading: io.reading,
    signal: first,
  });
  const { sendsTo } = app.coordinator;
  // With `--sandbox`, that was said.
  const aim = sendsTo.sandbox ? '' : aimText(sendsTo);
  if (aim !== '') say(io, `Service: ${aim}.`);
  const owner = await openOwner(app, lifecycle.onStop);
  const failing = new AbortController();
  void app.failed.then(() => failing.abort());
  const signal = AbortSignal.any([first, failing.signal]);
  const here: Here = { ...app, ...owner, onStop: lifecycle.onStop, signal };
  const client = await work.open(here);
  const doing: Doing = { client, imports: importsIn(config, client), signal, here };
  return { app, doing };
}

export const IMPORT_BEGINS = 'the import to begin';

/**
 * An import that a command begins or continues, and follows to its end.
 * @param sentBefore rows of it that were sent before; null: the command sends none
 */
export function importWork(
  { io, imports, json }: Running,
  importing: Partial<Work> & Pick<Work, 'begin'>,
  sentBefore: number | null = 0,
): Work {
  return {
    open: (here) => ownImports(here),
    begins: IMPORT_BEGINS,
    ...importing,
    named: (id) => `Import ${id}`,
    follow: async ({ imports, signal, here }, id) => {
      const end = await followImport(io, imports, id, { signal, sentBefore });
      if (end === 'left') return 'left';
      // One that ends may still show its state before, while its reports are written.
      const isAborted = signal.aborted || once(signal, 'abort');
      await Promise.race([here?.coordinator.settled(id), here && isAborted]);
      if (here !== undefined && isFinal(here.coordinator.find(id).state)) intoOneFile(here.dir.ledger(id));
      return 'over';
    },
    howToContinue: (id, sandbox) => [
      'Continue with:',
      `  ${imports.command('resume', id)}${sandbox ? ' --sandbox' : ''}`,
    ],
    howToFollow: (id, where) => [
      `Import ${id} continues ${where}. Watch it, or cancel it, with:`,
      `  ${imports.command('watch', id)}`,
      `  ${imports.command('cancel', id)}`,
    ],
    conclude: ({ id }) => conclude(imports, io, id, json),
  };
}
