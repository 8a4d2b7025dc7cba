import { openBackend } from '../../src/queue/open-backend.ts';
import { describeQueueBoard } from './board-suite.ts';
import { describeJobQueue } from './job-queue-suite.ts';
import { describeJobWorker } from './job-worker-suite.ts';

describeJobQueue('the embedded backend', openBackend);
describeJobWorker('the embedded backend', openBackend, { shared: false });
describeQueueBoard('the embedded backend', openBackend);
