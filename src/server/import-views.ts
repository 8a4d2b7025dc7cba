import { existsSync, statSync } from 'node:fs';
import type { ImportTotals } from '../api/import-summary.ts';
import type { FollowUp, ImportView, Staging } from '../api/imports.ts';
import { asParameter } from '../errors/named-options.ts';
import { type ImportRecord, tagsOf } from '../imports/catalog.ts';
import { readOptions } from '../imports/import-options.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { optionsToAgree, reasonFor } from '../imports/reason.ts';
import type { Counters } from '../imports/record/import-ledger.ts';
import { deliveryOf } from '../imports/report/delivery.ts';
import { NEEDS_ATTENTION, writtenReports } from '../imports/report/report-paths.ts';
import { keptTotals, summaryOf, totalsOf } from '../imports/report/summarize.ts';
import { actionsOf } from '../membership/import-actions.ts';
import { kindOf } from '../membership/import-kind.ts';
import { isFinal } from '../membership/import-state.ts';
import { RETRYABLE } from '../membership/outcome.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { Logger } from '../platform/log.ts';
import { quietly } from '../platform/quietly.ts';
import { LedgerError } from '../platform/sqlite.ts';
import type { DataReader } from './data-reader.ts';

/** An import without its follow-ups. */
type OwnView = Omit<ImportView, 'followUps' | 'retryable' | 'repaired'>;

const NO_ROWS: Counters = new Map();

/** Reasons why the rows of an import are not counted. The log names the file. */
const UNCOUNTED: Readonly<Record<LedgerError['code'], string>> = {
  DAMAGED_LEDGER: 'its ledger is damaged, so its rows cannot be counted',
  LEDGER_MISSING: 'its ledger is not there, so its rows cannot be counted',
  NEWER_LEDGER: 'its ledger was written by a newer rollcall, so its rows cannot be counted',
  UNKNOWN_LEDGER: 'its ledger was written by a rollcall from before the first release, so its rows cannot be counted',
};

interface ImportViewsParts {
  readonly coordinator: Coordinator;
  readonly dir: DataDir;
  readonly reading: DataReader;
  readonly log: Logger;
  /** Adds what features know of an import. */
  readonly withFeatures: (record: ImportRecord, own: ImportView) => Promise<ImportView>;
}

export class ImportViews {
  readonly #parts: ImportViewsParts;
  readonly #staging: ReadonlyMap<string, Staging>;
  readonly #uncounted: (error: Error) => void;

  constructor(parts: ImportViewsParts) {
    this.#parts = parts;
    this.#staging = followStaging(parts.coordinator);
    this.#uncounted = quietly((error) => parts.log.error({ err: error }, 'the rows of an import cannot be counted'));
  }

  async of(record: ImportRecord): Promise<ImportView> {
    const own = await this.#ownView(record);
    const followUps = await this.#retriesOf(record.id);
    const view = await this.#parts.withFeatures(record, {
      ...own,
      followUps,
      retryable: retryableLeft(own, followUps),
      repaired: 0,
    });
    return view.retryable > 0 ? view : { ...view, actions: view.actions.filter((action) => action !== 'retry') };
  }

  /** Its rows by outcome. */
  async rows(record: ImportRecord): Promise<ImportView['rows']> {
    return (await this.#ownView(record)).rows;
  }

  staging(id: string): Staging | null {
    return this.#staging.get(id) ?? null;
  }

  /** Ids of imports whose files are being read now; others that are staging wait for their turn. */
  beingRead(): string[] {
    return [...this.#staging.keys()];
  }

  async #ownView(record: ImportRecord): Promise<OwnView> {
    const { id, state, createdAt, createdBy, retryOf } = record;
    const { dryRun, sandbox, shape } = readOptions(record);
    const folder = this.#parts.dir.folder(id);
    const { totals, fault } = await this.#totalsIn(record);
    const summary = summaryOf(record, totals, writtenReports(folder));
    const address = (query: string) => `/v1/imports/${id}/report?${query}`;
    const { all, failed, retry } = summary.reports;
    const delivery = deliveryOf(this.#parts.reading, record);
    return {
      ...summary,
      reports: {
        all: all && address('format=csv'),
        failed: failed && address(`format=csv&status=${[...NEEDS_ATTENTION].join(',')}`),
        retry: retry && address('retryable=true'),
      },
      reason: [reasonFor(record, asParameter), fault].filter((part) => part !== '').join('; '),
      ...optionsToAgree(record),
      ...(shape?.actions !== undefined && { fileOfChanges: true as const }),
      createdAt: new Date(createdAt).toISOString(),
      createdBy,
      kind: kindOf(record),
      tags: tagsOf(record),
      retryOf,
      dryRun,
      sandbox,
      actions: [...actionsOf(state, retry !== null)],
      ...(delivery && { delivery }),
      staging: this.staging(id),
    };
  }

  /** A ledger that cannot be read must not hide the other imports of a list. */
  async #totalsIn(record: ImportRecord): Promise<{ readonly totals: ImportTotals; readonly fault: string }> {
    try {
      return { totals: keptTotals(record) ?? (await this.#counted(record)), fault: '' };
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      this.#uncounted(error);
      return { totals: totalsOf(NO_ROWS, isFinal(record.state)), fault: UNCOUNTED[error.code] };
    }
  }

  /** Counts from its ledger, and keeps the totals if it has ended: those that an older rollcall ended have none. */
  async #counted({ id, state }: ImportRecord): Promise<ImportTotals> {
    const { reading, coordinator } = this.#parts;
    if (!reading.hasRows(id)) return totalsOf(NO_ROWS, isFinal(state));
    const rows = reading.rowsOf(id);
    const totals = totalsOf(await rows.counters(), isFinal(state), await rows.input());
    if (isFinal(state)) coordinator.keepTotals(id, totals);
    return totals;
  }

  #retriesOf(id: string): Promise<FollowUp[]> {
    return Promise.all(
      this.#parts.reading.retries(id).map(async (retry): Promise<FollowUp> => {
        const { state, rows } = await this.#ownView(retry);
        const { repaired, retryOnly } = readOptions(retry);
        const kind = repaired === true ? 'repair' : 'retry';
        return { kind, id: retry.id, state, isOpen: !isFinal(state), rows, isPart: retryOnly !== undefined };
      }),
    );
  }
}

/** Rows that a retry would still send: a full retry takes all that is left. */
function retryableLeft({ rows }: OwnView, retries: readonly FollowUp[]): number {
  if (retries.some(({ kind, isPart, state }) => kind === 'retry' && !isPart && state !== 'rejected')) return 0;
  return [...RETRYABLE].reduce((sum, outcome) => sum + rows[outcome], 0);
}

/** The progress of each file that is being read, by import. */
function followStaging(coordinator: Coordinator): ReadonlyMap<string, Staging> {
  const { events } = coordinator;
  const staging = new Map<string, Staging>();
  events.on('staging', (id, progress) => {
    const totalBytes = staging.get(id)?.totalBytes ?? sizeOf(coordinator.find(id).source);
    staging.set(id, { ...progress, totalBytes });
  });
  events.on('state', ({ id, state }) => {
    if (state !== 'staging') staging.delete(id);
  });
  events.on('removed', (id) => staging.delete(id));
  return staging;
}

function sizeOf(path: string): number | null {
  return existsSync(path) ? statSync(path).size : null;
}
