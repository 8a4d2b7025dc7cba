import { serve } from '../../platform/threads.ts';
import { type RepairThread, work } from './repair-tasks.ts';

serve<RepairThread>({ work });
