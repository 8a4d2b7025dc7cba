import { serve } from '../../../platform/threads.ts';
import { planCsv } from '../plan/plan-csv.ts';
import { planJson } from '../plan/plan-json.ts';
import { planMarkdown } from '../plan/plan-markdown.ts';
import { openPlanReader } from '../plan/plan-reading.ts';
import { planText } from '../plan/plan-text.ts';
import type { PlanDownloadThread } from './plan-download.ts';

serve<PlanDownloadThread>({
  plan: function* ({ path, format, text }) {
    const plan = openPlanReader(path);
    if (format === 'text') yield planText(plan, text);
    else if (format === 'markdown') yield planMarkdown(plan);
    else yield* format === 'csv' ? planCsv(plan) : planJson(plan);
  },
});
