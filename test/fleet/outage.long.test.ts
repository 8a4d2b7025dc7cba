import { describe } from 'vitest';
import { describeOutage } from './outage-suite.ts';
import { POSTGRES } from './places.ts';

/** Postgres takes its time to be killed and to come back. */
describe('an import on Postgres', () => describeOutage(POSTGRES));
