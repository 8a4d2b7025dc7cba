import { jsonDocument } from '../../../platform/table.ts';
import { openThread } from '../../../platform/threads.ts';
import { isoTime } from '../../../text/wording.ts';
import type { PlanDocument } from '../api.ts';
import { planCsv } from './plan-csv.ts';
import { type PlanTextOptions, planMarkdown, planText } from './plan-print.ts';
import { openPlanReader, type PlanReader } from './plan-reading.ts';
import { planTotals } from './plan-totals.ts';

export interface PlanDownload {
  /** Path of the plan. */
  readonly path: string;
  readonly format: 'csv' | 'json' | 'markdown' | 'text';
  /** Options of the format text, for a terminal. */
  readonly text: Pick<PlanTextOptions, 'color' | 'width'>;
}

/** A plan as a file, made as its pieces are taken. */
export function* planPieces({ path, format, text }: PlanDownload): Generator<string> {
  using plan = openPlanReader(path);
  if (format === 'text') yield planText(plan, text);
  else if (format === 'markdown') yield planMarkdown(plan);
  else yield* format === 'csv' ? planCsv(plan) : planJson(plan);
}

/** The plan as one JSON document (`planDocument`), one group or action a line. */
export function planJson(plan: PlanReader): Generator<string> {
  const { plannedAt, fields: _, notes: __, ...source } = plan.facts();
  const groups = plan.groups();
  const findings = plan.findings();
  const head: Omit<PlanDocument, 'groups' | 'actions'> = {
    ...source,
    plannedAt: isoTime(plannedAt),
    held: findings.length > 0,
    totals: planTotals(groups, plan.creating(), source.invalid),
    findings,
  };
  const actions = plan.actions().map((action) => JSON.stringify(action));
  return jsonDocument(head, { groups: groups.map(({ id: _, ...group }) => JSON.stringify(group)), actions });
}

/** The thread that writes one plan. */
export type PlanDownloadThread = { plan: (download: PlanDownload) => Generator<string> };

/**
 * The bytes of a plan, in chunks of some 64 KB, made as they are taken, by a thread of their own: counting a large plan
 * takes SQLite seconds. A caller that does not take them all must call `return`. Rejects with LEDGER_MISSING, DAMAGED_LEDGER where it is damaged.
 */
export async function* planBytes(download: PlanDownload): AsyncGenerator<Uint8Array> {
  const thread = openThread<PlanDownloadThread>(import.meta.url, './plan-thread');
  try {
    yield* thread.stream('plan', download);
  } finally {
    await thread.end();
  }
}
