import { serve } from '../../../platform/threads.ts';
import { comparePlans } from '../plan/compare-plans.ts';
import type { CompareThread } from './plan-routes.ts';

serve<CompareThread>({ compare: comparePlans });
