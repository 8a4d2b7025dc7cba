import { serve } from '../../platform/threads.ts';
import { doTask } from './repair-tasks.ts';
import type { RepairThread } from './repair-work.ts';

serve<RepairThread>({ work: ({ subject, name, given }) => doTask(subject, name, given) });
