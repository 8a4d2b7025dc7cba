import { IntakeError } from '../../imports/read/intake-error.ts';
import { HEAP_MB } from '../../imports/report/ledger-threads.ts';
import { ThreadQueue } from '../../platform/thread-queue.ts';
import type { InspectRequest } from './inspect-head.ts';
import type { PreviewRequest } from './preview.ts';

/** The thread that looks at the beginnings of files. */
export type InspectThread = {
  /** Reads the beginning of a file: returns a `Preview` as JSON text in UTF-8. */
  preview: (request: PreviewRequest) => Promise<Uint8Array>;
  /** Describes a file, as far as its beginning shows it: returns `FileFacts` as JSON text in UTF-8. */
  inspect: (request: InspectRequest) => Promise<Uint8Array>;
};

export function openInspectThread(): ThreadQueue<InspectThread> {
  return new ThreadQueue({
    thread: [import.meta.url, './inspect-thread'],
    atOnce: 1,
    heapMb: HEAP_MB,
    errors: [IntakeError],
  });
}
