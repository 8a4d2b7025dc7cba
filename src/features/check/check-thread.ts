import { serve } from '../../platform/threads.ts';
import { type CheckThread, doCheckStep } from './check-work.ts';

serve<CheckThread>({ step: doCheckStep });
