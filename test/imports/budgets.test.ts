import { describe } from 'vitest';
import { describeBudgets } from './budgets-suite.ts';
import { QUEUE_PLACES } from './pipeline-harness.ts';

describe.each(QUEUE_PLACES)('on the $name queue', (place) => describeBudgets(place));
