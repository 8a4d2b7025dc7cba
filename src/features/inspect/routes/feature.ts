import type { ThreadQueue } from '../../../platform/thread-queue.ts';
import { callerOf, sendJson } from '../../../server/bounded-answer.ts';
import type { ServerFeature } from '../../../server/context.ts';
import { serve } from '../../../server/serve.ts';
import { takeHead } from '../../../server/uploads/accept.ts';
import { labelOf } from '../../../server/uploads/body.ts';
import { type InspectThread, openInspectThread } from '../reading-heads.ts';
import { inspectRoute } from './inspect.ts';
import { lookRoute } from './look.ts';
import { inspectOperations } from './operations.ts';
import { PREVIEW_BYTES, PREVIEW_ZIP_BYTES, previewWith } from './preview.ts';

declare module '../../../server/context.ts' {
  interface ServerContext {
    /** Reads the beginnings of files. */
    readonly heads: ThreadQueue<InspectThread>;
  }
}

/** Routes that describe a file and preview its rows before it is uploaded. */
export const inspecting: ServerFeature = {
  open: (_, { onStop }) => {
    const heads = openInspectThread();
    onStop(() => heads.close());
    return { heads };
  },
  files: (scope, context, { limits: { idleMs, signal } }) => {
    const limits = { maxBytes: PREVIEW_BYTES, maxZipBytes: PREVIEW_ZIP_BYTES, idleMs, signal };
    inspectRoute(scope, context, limits);
    lookRoute(scope, context, limits);
    serve(scope, inspectOperations.preview, async (request, reply) => {
      const { query } = request;
      const caller = callerOf(reply);
      const { head, type, name } = await takeHead(request, limits);
      const shown = name === undefined ? 'the file' : labelOf(name);
      return sendJson(reply, await previewWith(context, { head, name: shown, type, query }, caller));
    });
  },
};
