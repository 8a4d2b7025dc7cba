import { serve } from '../../platform/threads.ts';
import { type CorrectionThread, work } from './correction-tasks.ts';

serve<CorrectionThread>({ work });
