import { serve } from '../../../platform/threads.ts';
import { comparePlans } from '../plan/compare.ts';
import type { CompareThread } from './compare.ts';

serve<CompareThread>({ compare: comparePlans });
