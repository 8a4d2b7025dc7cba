import type { Api } from './context.ts';

/** Interval between two looks for connections that are done, in ms. */
const LOOK_MS = 50;

/** Takes nothing new, ends event streams and uploads, and lets downloads continue for at most `deadlineMs`. */
export async function stopServer(app: Api, deadlineMs: number): Promise<void> {
  const end = setTimeout(() => app.server.closeAllConnections(), deadlineMs);
  // A connection whose last answer has been given stays open for the next request, which will not come.
  const leave = setInterval(() => app.server.closeIdleConnections(), LOOK_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(end);
    clearInterval(leave);
  }
}
