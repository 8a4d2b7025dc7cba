import { planCsv } from './plan-csv.ts';
import { planJson } from './plan-json.ts';
import { planMarkdown } from './plan-markdown.ts';
import { openPlanReader } from './plan-reading.ts';
import { type PlanTextOptions, planText } from './plan-text.ts';

export interface PlanDownload {
  /** Path of the plan. */
  readonly path: string;
  readonly format: 'csv' | 'json' | 'markdown' | 'text';
  /** Options of the format text, for a terminal. */
  readonly text: Pick<PlanTextOptions, 'color' | 'width'>;
}

/** A plan as a file, made as its pieces are taken. */
export function* planPieces({ path, format, text }: PlanDownload): Generator<string> {
  const plan = openPlanReader(path);
  try {
    if (format === 'text') yield planText(plan, text);
    else if (format === 'markdown') yield planMarkdown(plan);
    else yield* format === 'csv' ? planCsv(plan) : planJson(plan);
  } finally {
    plan.close();
  }
}
