import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Ended, LAUNCHER, type Running, type SandboxPlace } from '../cli/workplace.ts';
import { endsWithTests } from '../ends-with-tests.ts';
import { findProgram } from '../servers/needs.ts';
import { type Block, blocksOf, commandsOf, rollcallWords } from './blocks.ts';

/** A reader of a document, who does what its command blocks say, in their order. */

/** A reader's belongings before a command: files of the folder (`null`: not there), and commands that were run. */
export interface Has {
  readonly files?: Readonly<Record<string, string | Buffer | null>>;
  readonly run?: readonly string[];
  /** Stops the commands that stay. */
  readonly stop?: true;
  /** Anything else. */
  readonly act?: (place: SandboxPlace) => void | Promise<void>;
}

export interface Reading {
  /** A reader's belongings from the start. */
  readonly has?: Has;
  /** Further belongings before a command, by the beginning of the command. */
  readonly before?: Readonly<Record<string, Has>>;
  /** Commands that do not end with 0, by how they begin. */
  readonly ends?: Readonly<Record<string, number>>;
  /** Commands that get a process of their own, which has the place as its home. */
  readonly atHome?: RegExp;
  /** The reader's own values in place of an example. */
  readonly own?: Readonly<Record<string, string>>;
}

/** Commands that stay until they are stopped, with what they say when they are there. */
const STAY: Readonly<Record<string, string>> = {
  serve: 'Listening on ',
  worker: 'Stop with Ctrl-C.',
  sandbox: 'ROLLCALL_HOST',
};
const ID = /\b(?:[a-z]+-)?\d{8}-\d{6}-[a-z0-9]{3}\b/g;

/** Reads along; tells of each command that ended otherwise than it should. */
export async function readAlong(document: string, place: SandboxPlace, reading: Reading): Promise<readonly string[]> {
  const { before = {}, ends = {}, own = {}, atHome } = reading;
  const wrong: string[] = [];
  const unused = new Set([...Object.keys(before), ...Object.keys(ends)]);
  const staying: Running[] = [];
  const latest = { id: '', token: '', address: '' };
  /** The import of the block: the first command that names an id decides. */
  let named: string | undefined;
  prepareShell(place);
  await prepare(reading.has);
  for (const block of blocksOf(document)) {
    if (block.language !== 'sh' || block.notRun !== undefined) continue;
    named = undefined;
    for (const command of unitsOf(block)) await follow(block, command);
  }
  for (const start of unused) wrong.push(`no command of ${document} begins with ${JSON.stringify(start)}`);
  return wrong;

  async function prepare(has: Has = {}): Promise<void> {
    if (has.stop) {
      for (const one of staying) one.interrupt();
      await Promise.all(staying.map(({ ended }) => ended));
    }
    for (const [name, content] of Object.entries(has.files ?? {})) {
      if (content === null) rmSync(join(place.root, name), { recursive: true, force: true });
      else place.file(name, content);
    }
    for (const command of has.run ?? []) remember(await run(command));
    if (has.run !== undefined) named = undefined;
    await has.act?.(place);
  }

  async function follow(block: Block, command: string): Promise<void> {
    const bare = command.replace(/^npx /, '');
    const started = (start: string) => {
      if (!bare.startsWith(start)) return false;
      unused.delete(start);
      return true;
    };
    for (const [start, has] of Object.entries(before)) if (started(start)) await prepare(has);
    // The longest start says most.
    const [expected] = Object.keys(ends)
      .filter(started)
      .toSorted((a, b) => b.length - a.length);
    const { code, stdout, stderr } = await run(command);
    remember({ code, stdout, stderr });
    if (code !== (expected === undefined ? 0 : ends[expected]))
      wrong.push(`${block.place}: ${ofReader(command)}\nended with ${code}\n${stdout}${stderr}`);
  }

  function remember({ stdout, stderr }: Ended): void {
    const said = stdout + stderr;
    latest.id = said.match(ID)?.at(-1) ?? latest.id;
    latest.token = said.match(/\brct_[\w-]+/)?.[0] ?? latest.token;
    latest.address =
      said.match(/^Listening on http:\/\/(\S+)/m)?.[1]?.replace('0.0.0.0', '127.0.0.1') ?? latest.address;
  }

  async function run(written: string): Promise<Ended> {
    const command = ofReader(written);
    if (command.startsWith('export ')) return setEnvironment(command);
    const words = rollcallWords(command);
    if (words === undefined) return inShell(place, command);
    const says = STAY[words[0] ?? ''];
    if (says === undefined || words.includes('--help'))
      return atHome?.test(command) ? place.start(words).ended : place.run(words);
    // Two servers of a machine cannot have one port.
    const ports = words[0] === 'sandbox' || words[0] === 'serve' ? ['--port', '0'] : [];
    const running = place.start([...words, ...ports], { stays: true });
    staying.push(running);
    await running.says(says);
    return { code: 0, stdout: running.stdout(), stderr: running.stderr() };
  }

  function ofReader(command: string): string {
    let mine = command;
    for (const [example, value] of Object.entries(own)) mine = mine.replaceAll(example, value);
    return mine
      .replaceAll(/<id>|<import>|\bID\b/g, () => (named ??= latest.id))
      .replaceAll('rct_…', latest.token)
      .replaceAll('127.0.0.1:7700', latest.address)
      .replaceAll('cometchat.io', place.sandbox.host);
  }

  /** The values that a reader fills in (`…`) are set already. */
  async function setEnvironment(command: string): Promise<Ended> {
    const ended = await inShell(place, `${command.replaceAll(/\w+=\S*…\S*/g, '')}; env -0`);
    for (const one of ended.stdout.split('\0')) {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(one) ?? [];
      if (name !== undefined && name !== '_' && value !== undefined) place.env[name] = value;
    }
    return { ...ended, stdout: '' };
  }
}

/** Lines that can be run one by one, or the block as a whole. */
function unitsOf({ text }: Block): readonly string[] {
  const commands = commandsOf(text);
  return commands.every((line) => /^(\w+=\S* )*(npx rollcall|rollcall|export) /.test(line)) ? commands : [text];
}

/** `rollcall` and `npx rollcall` of a shell are this one; npm installs nothing. `curl` and `jq` may have been fetched. */
function prepareShell(place: SandboxPlace): void {
  const bin = join(place.root, 'bin');
  mkdirSync(bin);
  const rollcall = `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(LAUNCHER)}`;
  for (const [name, line] of [
    ['rollcall', `${rollcall} "$@"`],
    ['npx', `shift; ${rollcall} "$@"`],
    ['curl', `exec ${JSON.stringify(findProgram('curl'))} "$@"`],
    ['jq', `exec ${JSON.stringify(findProgram('jq'))} "$@"`],
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  place.env['PATH'] = `${bin}:${place.env['PATH']}`;
}

async function inShell({ root, env }: SandboxPlace, script: string): Promise<Ended> {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Also what it leaves behind, such as a server with `&`, ends with it.
    detached: true,
  });
  endsWithTests(shell);
  const code = new Promise<number | null>((resolve, reject) => shell.on('error', reject).on('exit', resolve));
  const output = Promise.all([text(shell.stdout), text(shell.stderr)]);
  const ended = await code;
  if (shell.pid !== undefined) {
    try {
      process.kill(-shell.pid, 'SIGKILL');
    } catch {
      // Nothing is left of it.
    }
  }
  const [stdout, stderr] = await output;
  return { code: ended, stdout, stderr };
}
