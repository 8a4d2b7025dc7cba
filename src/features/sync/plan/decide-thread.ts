import { workerData } from 'node:worker_threads';
import { type Decision, decideHere } from './decide.ts';
import { openPlanLedger } from './plan-ledger.ts';

/** The thread that makes one big plan. What it throws reaches the one who started it. */
const { path, decision } = workerData as { readonly path: string; readonly decision: Decision };
const plan = openPlanLedger(path);
try {
  decideHere(plan, decision);
} finally {
  plan.close();
}
