import { createRequire } from 'node:module';
import type { ImportView, Staging } from '../../api/imports.ts';
import type { CircuitStatus, RegionStatus } from '../../api/region-status.ts';
import { isFinal } from '../../membership/import-state.ts';
import { REGIONS, type Region } from '../../membership/membership.ts';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { addressAdvice, noAnswerSince } from '../../text/no-answer.ts';
import { bansAsked, limitWords, REGION_REFUSED, rateLimitWait, wholeSeconds } from '../../text/pace-words.ts';
import { cut } from '../../text/terminal-text.ts';
import { counted, duration, grouped, shareText, utcTime } from '../../text/wording.ts';
import { type Io, keepDrawing } from './io.ts';

export interface Progress {
  /** Draws the last state and stops. */
  stop(): void;
}

const load = createRequire(import.meta.url);

/** Loaded where something is redrawn: it takes 25 ms of processor time, and no pipe needs it. */
function drawingOn(stream: NodeJS.WriteStream) {
  const { createLogUpdate } = load('log-update') as typeof import('log-update');
  return createLogUpdate(stream);
}

/** On a terminal: redrawn in place. In a pipe: a line now and then. */
const LIVE_MS = 200;
const LINE_MS = 5_000;
/** A line that does not change comes again after this time. */
const REPEAT_MS = 60_000;
/** Time that a rate is averaged over, in ms. */
const RATE_MS = 10_000;
/** A standstill shorter than this, in ms, is not worth a word. */
const NOTABLE_STANDSTILL_MS = 10_000;
/** A wait for the rate limit shorter than this is ordinary pacing. */
const NOTABLE_WAIT_MS = 1_500;
const MAX_BAR_LENGTH = 24;
const MIN_BAR = 6;
/** A region's name and the space after it. */
const REGION_COLUMNS = 4;

/**
 * Redraws lines in place; in a pipe writes them as one line when it has changed, or is a minute old: systems that run jobs
 * end those that are silent. @param linesNow asked whether times that are left are shown, which change each second
 */
export function redraw(io: Io, linesNow: (countsDown: boolean) => readonly string[]): Progress {
  const draw = io.live ? drawingOn(io.err as NodeJS.WriteStream) : undefined;
  let last = { line: '', at: performance.now() };
  const typed = (countsDown: boolean) => {
    try {
      return linesNow(countsDown).map((line) => io.typed?.(line) ?? line);
    } catch {
      // Values that cannot be read at the moment, for example for want of a file handle, are drawn next time.
      return [];
    }
  };
  const tick = () => {
    const lines = typed(draw !== undefined);
    if (lines.length === 0) return;
    if (draw !== undefined) return draw(lines.join('\n'));
    const line = lines.join('   ');
    const now = performance.now();
    if (line === last.line && now - last.at < REPEAT_MS) return;
    last = { line, at: now };
    io.err.write(`${typed(true).join('   ')}\n`);
  };
  const timer = setInterval(tick, io.live ? LIVE_MS : LINE_MS);
  if (draw !== undefined) keepDrawing(io, { clear: draw.clear, draw: tick });
  let isStopped = false;
  return {
    stop: () => {
      if (isStopped) return;
      isStopped = true;
      clearInterval(timer);
      if (draw === undefined) return;
      tick();
      draw.done();
      keepDrawing(io, undefined);
    },
  };
}

/** An import that is followed, read a few times a second. */
interface ShownImport {
  /** Undefined before the first look. */
  view(): Pick<ImportView, 'state' | 'staging' | 'regions'> | undefined;
  /** Undefined where no process runs it. */
  regions(): Promise<readonly RegionStatus[] | undefined>;
  /** Returns the reason why there is nothing to show at the moment. */
  trouble?(): string | undefined;
}

/** Progress of an import: reading its file, then a line for each region. */
export function showProgress(io: Io, { view, regions: ask, trouble }: ShownImport): Progress {
  const pace = paceMeter();
  const look = lookAtRegions(ask);
  const begun = performance.now();
  return redraw(io, (countsDown) => {
    const { regions, asking } = look();
    const why = trouble?.();
    if (why !== undefined) return [why];
    const shown = view();
    if (shown !== undefined && shown.state !== 'staging') {
      return [...runningLines(io, shown, regions, pace, countsDown), ...queueLines(asking)];
    }
    if (shown?.staging) return [stagingLine(shown.staging)];
    return isNotable(begun) ? [waitingLine(begun, 'the file to be read')] : [];
  });
}

interface StepsOptions {
  /** The event that it waits for while there are no steps: "the check to begin". */
  readonly begins: string;
  /** Asked while no step is taken. Default: none is waited for. */
  readonly regions?: ShownImport['regions'];
}

/** Progress of work other than imports, in lines of its own. If they stand still, it names the cause. */
export function showSteps(
  io: Io,
  linesNow: () => readonly string[],
  { begins, regions: ask = async () => undefined }: StepsOptions,
): Progress {
  const look = lookAtRegions(ask);
  let last: string | undefined;
  let since = performance.now();
  return redraw(io, (countsDown) => {
    const lines = linesNow();
    const text = lines.join('\n');
    if (text !== last) [last, since] = [text, performance.now()];
    if (performance.now() - since < NOTABLE_WAIT_MS) return lines;
    const { regions, asking } = look();
    const used = regions.filter(({ waiting, active, delayed }) => waiting + active + delayed > 0);
    const obstacles = used.flatMap((status) => {
      const why = obstacleOf(status, since, countsDown);
      return why === undefined ? [] : `${status.region}  ${why}`;
    });
    const known = [...obstacles, ...queueLines(asking)];
    if (known.length > 0 || !isNotable(since)) return [...lines, ...known];
    return [...lines, lines.length === 0 ? waitingLine(since, begins) : `no progress since ${clockOf(since)}`];
  });
}

/** Asks for the regions, one question at a time. Returns the last answer, and since when one is missing, in ms of `performance`. */
function lookAtRegions(ask: ShownImport['regions']) {
  let regions: readonly RegionStatus[] = [];
  let asking: number | undefined;
  return () => {
    if (asking === undefined) {
      asking = performance.now();
      ask()
        .then((answer = []) => {
          regions = answer;
        })
        .catch(() => {
          // The process that runs it is stopping, or away; the rest is still drawn.
        })
        .finally(() => {
          asking = undefined;
        });
    }
    return { regions, asking };
  };
}

function queueLines(asking: number | undefined) {
  return isNotable(asking) ? [`the queue has not answered since ${clockOf(asking)}`] : [];
}

function waitingLine(since: number, forWhat: string) {
  return `waiting since ${clockOf(since)} for ${forWhat}`;
}

function isNotable(since: number | undefined): since is number {
  return since !== undefined && performance.now() - since >= NOTABLE_STANDSTILL_MS;
}

/** "02:14", in local time. @param moment of `performance`, in ms */
function clockOf(moment: number) {
  return clock(Date.now() - (performance.now() - moment));
}

function stagingLine({ rows, bytes, totalBytes, cutting }: Staging) {
  if (cutting) return `read ${counted(rows, 'row')}; looking for duplicates and making batches`;
  return `reading  ${counted(rows, 'row')}${shareText(bytes, totalBytes)}`;
}

function runningLines(
  io: Io,
  { state, regions }: Pick<ImportView, 'state' | 'regions'>,
  statuses: readonly RegionStatus[],
  pace: ReturnType<typeof paceMeter>,
  countsDown: boolean,
) {
  // In a pipe there are no bars, and all regions share a line.
  const width = io.live ? io.width : undefined;
  const lines = REGIONS.flatMap((region) => {
    const counts = regions[region];
    if (counts === undefined) return [];
    const { rows, calls, banQuestions } = counts;
    const { read } = rows;
    // As long as more may come, rows without an outcome are in none of the counts.
    const left = isFinal(state) ? rows.unprocessed : read - sumOfOutcomes(rows);
    const done = read - left;
    const share = read === 0 ? 1 : done / read;
    const { callsPerMinute, rowsPerMs, since } = pace(region, calls, done, banQuestions?.asked ?? 0);
    const status = statuses.find((one) => one.region === region);
    const failed = rows.failed + rows.unconfirmed;
    const obstacle = left > 0 ? obstacleOf(status, since, countsDown) : undefined;
    // Rows wait until all groups of the region were asked.
    const asking = left > 0 && !status?.stopped ? bansAsked(banQuestions) : '';
    const leftMs = rowsPerMs === 0 ? undefined : left / rowsPerMs;
    const isSending = left > 0 && asking === '' && obstacle === undefined;
    /** @param narrow steps by which it is made shorter: 0 to 2 */
    const textOf = (narrow: number) => {
      const parts = [
        `${Math.floor(share * 100)} %`.padStart(5),
        width === undefined || narrow === 2 ? '' : `${grouped(done)} of ${counted(read, 'row')}`,
        failed > 0 ? `${grouped(failed)} failed` : '',
        asking,
        obstacle ?? '',
        ...(isSending ? paceOf(status, callsPerMinute, leftMs, narrow) : []),
      ];
      return parts.filter((part) => part !== '').join('  ');
    };
    return [{ region, share, textOf }];
  });
  const room = (width ?? Number.POSITIVE_INFINITY) - REGION_COLUMNS - 1;
  const longest = (narrow: number) => Math.max(0, ...lines.map(({ textOf }) => textOf(narrow).length));
  const narrow = [0, 1].find((step) => longest(step) <= room) ?? 2;
  if (width === undefined) return lines.map(({ region, textOf }) => `${region} ${textOf(narrow)}`);
  // The longest line decides how long the bars are; where that leaves too little room, there are none.
  const spare = room - longest(narrow);
  const length = spare < MIN_BAR ? 0 : Math.min(MAX_BAR_LENGTH, spare);
  return lines.map(({ region, share, textOf }) => {
    const bar = '█'.repeat(Math.floor(share * length)).padEnd(length, '░');
    return cut(`${region}  ${bar} ${textOf(narrow)}`, width);
  });
}

/** Undefined if nothing keeps it from going on. @param since its last change, in ms of `performance` */
function obstacleOf(status: RegionStatus | undefined, since: number, countsDown: boolean) {
  if (status === undefined) return undefined;
  const { region, workers, stopped, circuit, limitedForMs, active, waiting } = status;
  if (workers === 0) return noWorker(region);
  if (stopped) return REGION_REFUSED;
  const away = serviceAway(circuit, countsDown);
  if (away !== '') return away;
  if (limitedForMs >= NOTABLE_WAIT_MS) return rateLimitWait(status, utcTime, countsDown);
  if (!isNotable(since) || active + waiting === 0) return undefined;
  if (active > 0) return waitingLine(since, `${counted(active, 'call')} to be answered`);
  // The service may say again and again that a second must pass.
  const forWhat = limitedForMs > 0 ? 'the rate limit' : `a worker to take ${counted(waiting, 'call')}`;
  return waitingLine(since, forWhat);
}

function paceOf(
  status: RegionStatus | undefined,
  callsPerMinute: number,
  leftMs: number | undefined,
  narrow: number,
): string[] {
  if (leftMs === undefined) {
    return status !== undefined && status.delayed > 0 && status.active + status.waiting === 0
      ? [`${counted(status.delayed, 'call')} to be retried`]
      : [];
  }
  const left = `${duration(leftMs)} left`;
  if (narrow > 0) return [left];
  return [`${grouped(callsPerMinute)} calls/min`, left, status === undefined ? '' : limitWords(status.pace)];
}

/** Rates over the last seconds, by region, and since when nothing has happened there, in ms of `performance`. */
function paceMeter() {
  type Point = Readonly<Record<'at' | 'calls' | 'done' | 'asked' | 'since', number>>;
  const seen = new Map<Region, Point[]>();
  return (region: Region, calls: number, done: number, asked: number) => {
    const points = seen.get(region) ?? [];
    const last = points.at(-1);
    const at = performance.now();
    const isStill = last?.calls === calls && last.done === done && last.asked === asked;
    const since = isStill ? last.since : at;
    points.push({ at, calls, done, asked, since });
    while (points.length > 2 && at - (points[0]?.at ?? 0) > RATE_MS) points.shift();
    seen.set(region, points);
    const [first = { at, calls, done }] = points;
    // With a single point no time has passed, and both rates are 0.
    const ms = at - first.at || 1;
    return {
      callsPerMinute: Math.round(((calls - first.calls) / ms) * 60_000),
      rowsPerMs: (done - first.done) / ms,
      since,
    };
  };
}

/** The line of a region: the work that it does, and what it waits for. */
export function regionLine(status: RegionStatus) {
  const { region, waiting, active, delayed, setAside, stopped, limitedForMs, workers, key, circuit } = status;
  const { importsPerMinute: inSilence } = status;
  const parts = [
    workers === 0 ? noWorker(region) : '',
    `${counted(active, 'call')} in flight`,
    `${counted(waiting, 'batch')} queued`,
    setAside > 0 ? `${counted(setAside, 'job')} that cannot be read` : '',
    delayed > 0 ? `${counted(delayed, 'call')} to be retried` : '',
    inSilence === null ? '' : `in silence up to ${counted(inSilence, 'call')} a minute`,
    serviceAway(circuit, true),
    stopped ? REGION_REFUSED : '',
    key === null ? '' : `key ${key}`,
    limitedForMs > 1_500 || (limitedForMs > 0 && active === 0 && waiting > 0) ? rateLimitWait(status, utcTime) : '',
    circuit.state === 'closed' && !stopped ? limitWords(status.pace) : '',
  ];
  return `${region}  ${parts.filter((part) => part !== '').join(', ')}`;
}

/** "the service has not answered since 02:14 (CONNECTION_LOST), next try in 30 s"; empty where it answers. */
function serviceAway(circuit: CircuitStatus, countsDown: boolean) {
  const { state, since, nextTryAt } = circuit;
  if (state === 'closed' || since === null) return '';
  const advice = addressAdvice(circuit);
  const leftMs = nextTryAt === null ? 0 : Date.parse(nextTryAt) - Date.now();
  const next = leftMs > 0 ? `, next try in ${wholeSeconds(leftMs)}` : ', trying now';
  return `${noAnswerSince(circuit, clock(since))}${countsDown ? next : ''}${advice === '' ? '' : `; ${advice}`}`;
}

const noWorker = (region: Region) => `no worker: start one with rollcall worker --region ${region}`;

/** "02:14", in local time. @param time ISO 8601, or ms since 1970 */
function clock(time: string | number) {
  return new Date(time).toTimeString().slice(0, 5);
}
