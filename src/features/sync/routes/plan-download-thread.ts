import { parentPort, workerData } from 'node:worker_threads';
import { planCsv } from '../plan/plan-csv.ts';
import { planJson } from '../plan/plan-json.ts';
import { openPlanReader } from '../plan/plan-reading.ts';
import { planText } from '../plan/plan-text.ts';
import type { PlanDownload } from './plan-download.ts';

/** A thread that writes one plan: a chunk whenever it is asked for one, null at the end. */

const { path, format, text }: PlanDownload = workerData;
const encoder = new TextEncoder();
const plan = openPlanReader(path);
const chunks = { csv: () => planCsv(plan), json: () => planJson(plan), text: asText }[format]();

parentPort?.on('message', () => {
  const next = chunks.next();
  if (next.done === true) return parentPort?.postMessage(null);
  const bytes = encoder.encode(next.value);
  parentPort?.postMessage(bytes, [bytes.buffer]);
});

function* asText(): Generator<string> {
  yield planText(plan, text);
}
