import { describe } from 'vitest';
import { QUEUE_PLACES } from './pipeline-harness.ts';
import { describeSharing } from './sharing-suite.ts';

describe.each(QUEUE_PLACES)('on the $name queue', (place) => describeSharing(place));
