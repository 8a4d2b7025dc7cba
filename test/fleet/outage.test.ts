import { describe } from 'vitest';
import { describeOutage } from './outage-suite.ts';
import { REDIS } from './places.ts';

describe('an import on Redis', () => describeOutage(REDIS));
