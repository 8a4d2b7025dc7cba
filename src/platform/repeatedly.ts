import { asError } from '../errors/rollcall-error.ts';

export type Repeated = ReturnType<typeof repeatedly>;

/**
 * Runs `work` again and again, one run after the other, also after an error. An error of a run that `stop` interrupts is
 * not reported. @param keepsProcess the process does not end before `stop`, though nothing else is going on
 */
export function repeatedly(
  everyMs: number,
  onError: (error: Error) => void,
  work: () => Promise<void>,
  keepsProcess = false,
) {
  let underWay = Promise.resolve();
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  const later = () => {
    timer = setTimeout(() => {
      underWay = work()
        .catch((error: unknown) => {
          if (!stopping) onError(asError(error));
        })
        .finally(() => {
          if (!stopping) later();
        });
    }, everyMs);
    if (!keepsProcess) timer.unref();
  };
  later();
  return {
    /** Resolves when it does nothing more. */
    stop: async () => {
      stopping = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
