import { serve } from '../../platform/threads.ts';
import { type InspectThread, inspectHead, preview } from './file-heads.ts';

const encoder = new TextEncoder();
const json = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value));

serve<InspectThread>({
  preview: async (request) => json(await preview(request)),
  inspect: async (request) => json(await inspectHead(request)),
});
