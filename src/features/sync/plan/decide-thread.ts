import { serve } from '../../../platform/threads.ts';
import { type DecideThread, decideInline } from './make-plan.ts';
import { openPlanLedger } from './plan-ledger.ts';

serve<DecideThread>({
  decide: ({ path, decision }) => {
    const plan = openPlanLedger(path);
    try {
      decideInline(plan, decision);
    } finally {
      plan.close();
    }
  },
});
