import { serve } from '../../../platform/threads.ts';
import { type PlanDownloadThread, planPieces } from './plan-download.ts';

serve<PlanDownloadThread>({ plan: planPieces });
