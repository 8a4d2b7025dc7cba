import { serve } from '../../../platform/threads.ts';
import { type ExpiryThread, noteRun } from '../expiry/expiry.ts';
import { type MemoryThread, remember } from '../memory/memory.ts';
import { type DecideThread, makePlan } from './make-plan.ts';
import { openPlanLedger } from './plan-ledger.ts';
import { type PlanDownloadThread, planPieces } from './plan-tables.ts';

serve<DecideThread & PlanDownloadThread & MemoryThread & ExpiryThread>({
  plan: planPieces,
  remember,
  noteRun,
  decide: ({ path, decision }) => {
    using plan = openPlanLedger(path);
    makePlan(plan, decision);
  },
});
