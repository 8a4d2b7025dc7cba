import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { check, foretellings, type Order, type Verdict } from './checker.ts';
import { APP, type Command, type JournalLine, randomFrom, type ServiceSettings } from './service.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/rollcall.js', import.meta.url));
const SERVICE = fileURLToPath(new URL('service.ts', import.meta.url));
const REGIONS = ['us', 'eu', 'in'];

/** Starts that an import gets beyond those that a blow has made necessary. */
const MAX_HELP = 3;
/** After this long a process is stuck, in ms. */
const STUCK_MS = 300_000;

/** Exit codes of a command that has finished its import: all rows succeeded, or some did not. */
const FINISHED: readonly (number | null)[] = [0, 1];

export interface PlaceOptions {
  readonly rows: number;
  readonly seed: number;
  readonly service?: Partial<Omit<ServiceSettings, 'seed' | 'before' | 'port'>>;
  /** Address of the queue; absent: embedded. */
  readonly queue?: string | undefined;
  /** Whether users act for some of the rows. */
  readonly acting?: boolean;
  /** Size of the file system of the data directory, in kB; absent: no limit of its own. Needs root. */
  readonly diskKb?: number;
}

/** A folder with a file, a service, and the processes that work on it. */
export interface Place {
  readonly folder: string;
  readonly random: () => number;
  /** Share of the file's rows that the service has been sent, 0 to 1 and above where rows are sent again. */
  progress(): number;
  /** Resolves when `progress` has reached the share, or when the import has ended. */
  reaches(share: number): Promise<void>;
  /** Starts `import`, or `resume` where it was started before. */
  coordinate(): Rollcall;
  worker(): Rollcall;
  /** Checks the file and sends nothing: `coordinate` then continues that import. */
  check(): Promise<void>;
  /** Rows of the import that came to something else than the check said, each as a sentence. */
  misled(): Promise<readonly string[]>;
  /** Starts any command. */
  rollcall(args: readonly string[]): Rollcall;
  /** Tells the service to misbehave. */
  tell(command: Command): Promise<void>;
  /** Gives the file system of the data directory another size. */
  enlarge(diskKb: number): void;
  /** Leaves this share of the log of the ledger of the only import, from its beginning; 0: no log at all. */
  cutLog(share: number): void;
  /** Starts `serve`. Resolves when it listens. */
  serve(): Promise<Server>;
  /** Uploads the file in so many pieces, each with all rows of its groups. */
  upload(server: Server, pieces: number): Promise<readonly Upload[]>;
  /** Compares the report of the latest import with the journal, or those of uploads. */
  verdict(uploads?: readonly Upload[]): Promise<Verdict>;
  close(): Promise<void>;
}

export interface Rollcall {
  readonly child: ChildProcess;
  /** Resolves with its exit code; null when it was killed. */
  readonly ended: Promise<number | null>;
  isOver(): boolean;
  /** Everything that it has printed. */
  said(): string;
  kill(): Promise<void>;
}

export interface Server extends Rollcall {
  readonly address: string;
}

/** An import of a part of the file. */
interface Upload {
  readonly id: string;
  readonly orders: readonly Order[];
}

export async function openPlace(options: PlaceOptions): Promise<Place> {
  const { rows, seed, queue, diskKb } = options;
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-campaign-'));
  const data = join(folder, 'data');
  if (diskKb !== undefined) {
    mkdirSync(data);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskKb}k`, 'tmpfs', data]);
  }
  const { orders, before } = makeOrders(rows, seed, options.acting ?? false);
  const file = join(folder, 'members.csv');
  writeFileSync(file, csvOf(orders));
  const settings = {
    port: 0,
    seed,
    faults: 0,
    refusesRepeats: true,
    latencyMs: 20,
    crowd: 0,
    ...options.service,
    before,
  };
  const service = spawn(process.execPath, [SERVICE, join(folder, 'service'), JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface(service.stdout)[Symbol.asyncIterator]();
  const port = Number((await answers.next()).value);
  const env = environment(folder, data, port, queue);
  const processes: Rollcall[] = [];
  let last: Rollcall | undefined;

  const rollcall = (args: readonly string[]): Rollcall => {
    const output = join(folder, `output-${processes.length}.log`);
    const started = start(args, folder, env, output);
    processes.push(started);
    return started;
  };
  const journal = (): JournalLine[] => readLines(join(folder, 'service', 'journal.jsonl'));
  const progress = () => countLines(join(folder, 'service', 'journal.jsonl')) / rows;
  return {
    folder,
    random: randomFrom(seed + 1),
    progress,
    reaches: async (share) => {
      while (progress() < share && last?.isOver() !== true) await sleep(25);
    },
    coordinate: () => {
      last = rollcall(existsSync(join(data, 'imports')) ? ['resume'] : ['import', file, '--calls-per-minute', '3000']);
      return last;
    },
    check: async () => {
      const checked = rollcall(['import', file, '--check', '--max-calls', '100000']);
      if (!FINISHED.includes(await checked.ended)) throw new Error(`the check has failed: ${checked.said()}`);
    },
    misled: async () => {
      const [id = ''] = readdirSync(join(data, 'imports'));
      const output = join(folder, 'foretold.csv');
      await rollcall(['report', id, '--format', 'csv', '--output', output]).ended;
      return foretellings(readFileSync(join(data, 'imports', id, 'check.csv'), 'utf8'), readFileSync(output, 'utf8'));
    },
    worker: () => rollcall(['worker', '--region', REGIONS.join(',')]),
    rollcall,
    tell: async (command) => {
      service.stdin.write(`${JSON.stringify(command)}\n`);
      await answers.next();
    },
    enlarge: (size) => execFileSync('mount', ['-o', `remount,size=${size}k`, data]),
    cutLog: (share) => {
      const [id = ''] = readdirSync(join(data, 'imports'));
      const log = join(data, 'imports', id, 'ledger.sqlite-wal');
      // What says how long it was goes with it.
      rmSync(join(data, 'imports', id, 'ledger.sqlite-shm'), { force: true });
      if (share === 0) rmSync(log, { force: true });
      else if (existsSync(log)) truncateSync(log, Math.floor(statSync(log).size * share));
    },
    serve: async () => {
      const started = rollcall(['serve', '--port', '0', '--calls-per-minute', '60']);
      const address = await listening(started);
      last = started;
      return { ...started, address };
    },
    upload: (server, pieces) => {
      const pieceOf = ({ guid }: Order) => Number(/\d+$/.exec(guid)?.[0]) % pieces;
      const all = Array.from({ length: pieces }, (_, nth) => orders.filter((order) => pieceOf(order) === nth));
      return Promise.all(all.map(async (some) => ({ orders: some, id: await send(server, csvOf(some)) })));
    },
    verdict: async (uploads = [{ id: '', orders }]) => {
      const verdicts = [];
      for (const { id, orders: some } of uploads) {
        const output = join(folder, `campaign${id}.csv`);
        const report = rollcall(['report', ...(id === '' ? [] : [id]), '--format', 'csv', '--output', output]);
        if ((await report.ended) !== 0) throw new Error(`there is no report: ${report.said()}`);
        verdicts.push(check(some, readFileSync(output, 'utf8'), journal()));
      }
      return verdicts.reduce(both);
    },
    close: async () => {
      await Promise.all(processes.map((one) => one.kill()));
      const gone = once(service, 'exit');
      service.stdin.end();
      await gone;
      if (diskKb !== undefined) execFileSync('umount', [data]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits for the end of the import, and continues it where a process ended before. Returns how often that was needed. */
export async function finish(place: Place, first = place.coordinate()): Promise<number> {
  let running = first;
  for (let help = 0; ; help += 1) {
    const code = await running.ended;
    if (FINISHED.includes(code)) return help;
    if (help === MAX_HELP) throw new Error(`the import has not finished, exit code ${code}: ${running.said()}`);
    running = place.coordinate();
  }
}

/** Waits until the imports are over, and resumes those that have failed. Returns how often that was needed. */
export async function served(server: Server, uploads: readonly Upload[]): Promise<number> {
  let help = 0;
  for (const { id } of uploads) {
    for (;;) {
      const { state } = (await ask(server, `/v1/imports/${id}`)) as { state: string };
      if (state === 'completed') break;
      if (state === 'failed' && help++ < MAX_HELP * uploads.length) {
        await ask(server, `/v1/imports/${id}/resume`, { method: 'POST' });
      }
      if (server.isOver()) throw new Error(`the server has ended: ${server.said()}`);
      await sleep(100);
    }
  }
  return help;
}

async function ask({ address }: Server, path: string, request: RequestInit = {}): Promise<unknown> {
  const answer = await fetch(`${address}${path}`, request);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function send(server: Server, body: string): Promise<string> {
  const headers = { 'content-type': 'text/csv' };
  return ((await ask(server, '/v1/imports?name=members.csv', { method: 'POST', headers, body })) as { id: string }).id;
}

async function listening(server: Rollcall): Promise<string> {
  for (;;) {
    const address = /Listening on (\S+)/.exec(server.said())?.[1];
    if (address !== undefined) return address;
    if (server.isOver()) throw new Error(`serve has ended: ${server.said()}`);
    await sleep(25);
  }
}

/** Two verdicts on one journal. */
function both(one: Verdict, other: Verdict): Verdict {
  return {
    rows: one.rows + other.rows,
    lost: one.lost + other.lost,
    twice: one.twice + other.twice,
    wrong: [...one.wrong, ...other.wrong],
    givenUp: one.givenUp + other.givenUp,
    unconfirmed: one.unconfirmed + other.unconfirmed,
    duplicateAdds: one.duplicateAdds,
  };
}

function csvOf(orders: readonly Order[]): string {
  const lines = orders.map(({ region, guid, uid, scope, onBehalfOf }) => [region, guid, uid, scope, onBehalfOf].join());
  return `region,guid,uid,scope,on_behalf_of\n${lines.join('\n')}\n`;
}

function environment(folder: string, data: string, port: number, queue: string | undefined): NodeJS.ProcessEnv {
  const apps = REGIONS.flatMap((region) => [
    [`ROLLCALL_${region.toUpperCase()}_APP_ID`, APP],
    [`ROLLCALL_${region.toUpperCase()}_API_KEY`, 'campaign-key'],
  ]);
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return {
    PATH,
    NODE_COMPILE_CACHE,
    HOME: folder,
    ROLLCALL_DATA_DIR: data,
    ...Object.fromEntries(apps),
    ROLLCALL_HOST: `localhost:${port}`,
    ROLLCALL_CA_FILE: join(folder, 'service', 'ca.pem'),
    ...(queue !== undefined && { ROLLCALL_QUEUE: queue }),
  };
}

function start(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv, output: string): Rollcall {
  const fd = openSync(output, 'a');
  const child = spawn(process.execPath, [LAUNCHER, ...args], { cwd, env, stdio: ['ignore', fd, fd] });
  const stuck = setTimeout(() => child.kill('SIGKILL'), STUCK_MS);
  const ended = once(child, 'exit').then(([code]) => {
    clearTimeout(stuck);
    return code as number | null;
  });
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  return {
    child,
    ended,
    isOver,
    said: () => readFileSync(output, 'utf8'),
    kill: async () => {
      if (isOver()) return;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Rows in a random order: every kind that an outcome can come from. */
function makeOrders(rows: number, seed: number, acting: boolean) {
  const random = randomFrom(seed);
  const groups = Math.ceil(rows / 60);
  const before: Record<string, string[]> = {};
  const placed: { order: Order; place: number }[] = [];
  const put = (order: Order) => placed.push({ order, place: random() });
  for (let at = 0; placed.length < rows; at += 1) {
    const region = REGIONS[Math.floor(random() * REGIONS.length)] ?? 'us';
    const common = {
      ...{ region, guid: `g${Math.floor(random() * groups)}`, uid: `u${at}` },
      ...{ scope: 'participant', onBehalfOf: '' },
    };
    const draw = acting && random() < 0.7 ? 1 : random();
    if (draw === 1) put(actedFor(common, random));
    else if (draw < 0.01) put({ ...common, uid: `no id ${at}`, fate: 'invalid' });
    else if (draw < 0.02) put({ ...common, uid: `ghost${at}`, fate: 'refused' });
    else if (draw < 0.03) put({ ...common, guid: `missing${at % 3}`, fate: 'refused' });
    else if (draw < 0.07) {
      put({ ...common, fate: 'member before' });
      const key = `${region}/${common.guid}`;
      before[key] = [...(before[key] ?? []), common.uid];
    } else if (draw < 0.12 && placed.length + 1 < rows) {
      put({ ...common, scope: 'moderator', fate: 'in place' });
      put({ ...common, fate: 'duplicate' });
    } else put({ ...common, scope: draw < 0.2 ? 'ban' : 'participant', fate: 'in place' });
  }
  if (acting) {
    for (const region of REGIONS)
      for (let n = 0; n < groups; n += 1)
        before[`${region}/g${n}`] = [...(before[`${region}/g${n}`] ?? []), 'boss', 'mod', 'pat'];
  }
  placed.sort((a, b) => a.place - b.place);
  return { orders: placed.map(({ order }) => order), before };
}

/** A row on behalf of an admin, a moderator, a participant, a stranger, or of the user itself, who then joins. */
function actedFor(common: Omit<Order, 'fate'>, random: () => number): Order {
  const acting = ['boss', 'boss', 'mod', 'pat', 'stranger', common.uid][Math.floor(random() * 6)] ?? '';
  const scope =
    acting === common.uid ? 'participant' : (['participant', 'moderator', 'ban'][Math.floor(random() * 3)] ?? '');
  const isUnknown = acting !== common.uid && random() < 0.02;
  const isRefused = acting === 'pat' || acting === 'stranger' || (acting === 'mod' && scope === 'moderator');
  const uid = isUnknown ? common.uid.replace('u', 'ghost') : common.uid;
  return { ...common, uid, scope, onBehalfOf: acting, fate: isRefused || isUnknown ? 'refused' : 'in place' };
}

function readLines<Line>(path: string): Line[] {
  if (!existsSync(path)) return [];
  // The last line may be on its way.
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

function countLines(path: string): number {
  return existsSync(path) ? readFileSync(path, 'latin1').split('\n').length - 1 : 0;
}
