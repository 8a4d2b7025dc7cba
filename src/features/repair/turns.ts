/** The running work on the rows of each import: the process that owns the data directory does it one after the other. */
const turns = new Map<string, Promise<unknown>>();

/** Does a piece of work on the rows of an import when those that were asked for before are done. */
export async function inTurn<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
  const before = turns.get(id);
  const { promise, resolve } = Promise.withResolvers<void>();
  const turn = (before ?? Promise.resolve()).then(() => promise);
  turns.set(id, turn);
  try {
    await before;
    return await work();
  } finally {
    resolve();
    if (turns.get(id) === turn) turns.delete(id);
  }
}
