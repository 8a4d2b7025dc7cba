import { serve } from '../../platform/threads.ts';
import { type Tasks, tasks } from './correction-tasks.ts';

serve<Tasks>(tasks);
