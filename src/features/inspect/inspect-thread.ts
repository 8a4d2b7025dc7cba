import { serve } from '../../platform/threads.ts';
import { inspectHead } from './inspect-head.ts';
import { preview } from './preview.ts';
import type { InspectThread } from './reading-heads.ts';

const encoder = new TextEncoder();
const json = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value));

serve<InspectThread>({
  preview: async (request) => json(await preview(request)),
  inspect: async (request) => json(await inspectHead(request)),
});
