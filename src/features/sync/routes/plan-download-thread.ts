import { serve } from '../../../platform/threads.ts';
import { planCsv } from '../plan/plan-csv.ts';
import { planJson } from '../plan/plan-json.ts';
import { openPlanReader } from '../plan/plan-reading.ts';
import { planText } from '../plan/plan-text.ts';
import type { PlanDownloadThread } from './plan-download.ts';

serve<PlanDownloadThread>({
  plan: function* ({ path, format, text }) {
    const plan = openPlanReader(path);
    if (format === 'text') yield planText(plan, text);
    else yield* format === 'csv' ? planCsv(plan) : planJson(plan);
  },
});
