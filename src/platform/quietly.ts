/** Time in ms in which one error of a kind is reported once: a broken queue would fill the disk otherwise. */
const QUIET_MS = 10_000;

export function quietly(report: (error: Error) => void): (error: Error) => void {
  const last = new Map<string, number>();
  return (error) => {
    const now = Date.now();
    if (now - (last.get(error.message) ?? 0) < QUIET_MS) return;
    last.set(error.message, now);
    report(error);
  };
}
