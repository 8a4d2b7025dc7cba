import { serve } from '../../../platform/threads.ts';
import { type PlanDownloadThread, planPieces } from './plan-tables.ts';
import { WORK } from './plan-work.ts';

serve<typeof WORK & PlanDownloadThread>({ ...WORK, plan: planPieces });
