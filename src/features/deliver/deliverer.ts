import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliverReports as job, type ReportsPayload } from '../../../jobs/deliver-reports.ts';
import type { OpenBeside } from '../../app/beside-imports.ts';
import { sourceContextOf } from '../../app/ca-file.ts';
import { messageOf } from '../../errors/message-of.ts';
import { UnknownImport } from '../../imports/import-errors.ts';
import { readOptions } from '../../imports/import-options.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { reportPaths, retryFile } from '../../imports/report/report-paths.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { JobQueue } from '../../queue/job-queue.ts';
import type { JobWorker } from '../../queue/job-worker.ts';
import type { SourceContext } from '../../sources/named.ts';
import type { DeliveryBook } from './delivery-book.ts';

/** Imports whose reports are written at the same time. */
const AT_ONCE = 2;
/** Interval in which deliveries that a wiped queue has lost are queued again, in ms. */
const KEEP_MS = 30_000;
/** A delivery that has failed for so long is notified, in ms. */
const LASTING_MS = 300_000;
/** Time that queueing gets when the process stops, in ms. */
const LEAVE_MS = 1_000;

type DelivererParts = Parameters<OpenBeside>[0] & {
  readonly book: DeliveryBook;
  /** Called with each end of an attempt. */
  readonly onAttempt: () => void;
};

interface Opened {
  readonly queue: JobQueue<ReportsPayload>;
  readonly worker: JobWorker;
  readonly keeper: NodeJS.Timeout;
}

/** Delivers what waits, from the moment it is asked to begin. */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #writing = new Set<string>();
  #opened: Opened | undefined;
  /** Deliveries are queued one after another. */
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  /** Begins, and queues what waits. */
  begin(): void {
    this.#work = this.#work.then(() => this.#queueAll()).catch(this.#onError);
  }

  /** Whether files of this import are being written at this moment. */
  isWriting(id: string): boolean {
    return this.#writing.has(id);
  }

  async close(): Promise<void> {
    this.#closed = true;
    // A queue that is down does not answer; what waits is queued at the next start.
    await Promise.race([this.#work, sleep(LEAVE_MS, undefined, { ref: false })]);
    if (this.#opened === undefined) return;
    const { keeper, worker, queue } = this.#opened;
    clearInterval(keeper);
    const ended = worker.close();
    // Files are whole or not there: what is cut off now is written again after the next start.
    worker.abort();
    await ended;
    await queue.close();
  }

  readonly #onError = (error: unknown): void => this.#parts.log.warn({ err: error }, 'reports cannot be delivered now');

  async #queueAll(): Promise<void> {
    const ids = this.#closed ? [] : this.#parts.book.waiting();
    if (ids.length === 0) return;
    this.#opened ??= await this.#open();
    // The same id for the same import: what is queued already is not queued twice.
    await this.#opened.queue.add(ids.map((id) => ({ id: `reports-${id}`, payload: { version: 1, importId: id } })));
  }

  async #open(): Promise<Opened> {
    const { backend } = this.#parts.coordinator;
    const onError = this.#onError;
    const queue = backend.openQueue<ReportsPayload>(`reports-${this.#parts.book.owner}`, job, onError);
    // Left by an earlier process: what is still to be delivered is in the catalog.
    await queue.clear();
    const ports = { deliver: (id: string, signal: AbortSignal) => this.#attempt(id, signal) };
    const worker = backend.startWorker({ queue, definitions: [job], ports, concurrency: AT_ONCE, onError });
    return { queue, worker, keeper: setInterval(() => this.begin(), KEEP_MS).unref() };
  }

  async #attempt(id: string, signal: AbortSignal): Promise<void> {
    const { coordinator, dir, config, log, book, onAttempt } = this.#parts;
    if (book.find(id)?.arrivedAt !== null) return;
    this.#writing.add(id);
    try {
      const context = () => sourceContextOf(config);
      if (await deliverReports({ coordinator, dir, context }, id, signal)) book.arrived(id);
      else book.forget(id);
      log.info({ import: id }, 'the reports were delivered');
    } catch (error) {
      // Its rows of the list went with it.
      if (error instanceof UnknownImport) return;
      signal.throwIfAborted();
      log.warn({ err: error, import: id }, 'the reports were not delivered');
      book.failed(id, messageOf(error));
      if (Date.now() - (book.find(id)?.since ?? Date.now()) >= LASTING_MS) book.lasts(id);
      throw error;
    } finally {
      this.#writing.delete(id);
      onAttempt();
      const record = this.#closed ? undefined : coordinator.lookUp(id);
      if (record !== undefined) coordinator.events.emit('changed', record);
    }
  }
}

/** The files of an import that is over, the summary last: where it is, all are. */
function filesOf(folder: string): string[] {
  const { all, failed, summary } = reportPaths(folder, 'csv');
  return [all, failed, retryFile(folder), summary].filter((path) => path !== undefined && existsSync(path)) as string[];
}

/**
 * Writes the reports of an import where its options say. False where there is nothing to write.
 * @throws SourceError, UnknownImport; the signal's reason when aborted
 */
async function deliverReports(
  { coordinator, dir, context }: { coordinator: Coordinator; dir: DataDir; context: () => SourceContext },
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { reportTo } = readOptions(coordinator.find(id));
  const files = filesOf(dir.folder(id));
  if (reportTo === undefined || files.length === 0) return false;
  // Loaded for those alone who need it.
  const { writeTo } = await import('../../sources/write.ts');
  for (const file of files) await writeTo(reportTo, `${id}/${basename(file)}`, file, context(), signal);
  return true;
}
