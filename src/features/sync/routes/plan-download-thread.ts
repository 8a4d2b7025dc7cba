import { serve } from '../../../platform/threads.ts';
import { planPieces } from '../plan/plan-pieces.ts';
import type { PlanDownloadThread } from './plan-download.ts';

serve<PlanDownloadThread>({ plan: planPieces });
