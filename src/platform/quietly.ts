/** Time in ms in which one error of a kind is reported once: a broken queue would fill the disk otherwise. */
const QUIET_MS = 10_000;

export function quietly(report: (error: Error) => void): (error: Error) => void {
  const last = new Map<string, number>();
  return (error) => {
    const now = Date.now();
    // Messages may name a job: without this, all of them would be kept. The oldest are first.
    for (const [message, at] of last) {
      if (now - at < QUIET_MS) break;
      last.delete(message);
    }
    if (last.has(error.message)) return;
    last.set(error.message, now);
    report(error);
  };
}
