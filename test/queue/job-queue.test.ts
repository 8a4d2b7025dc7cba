import { openBackend } from '../../src/queue/open-backend.ts';
import { describeJobQueue } from './job-queue-suite.ts';
import { describeJobWorker } from './job-worker-suite.ts';

describeJobQueue('the embedded backend', openBackend);
describeJobWorker('the embedded backend', openBackend);
