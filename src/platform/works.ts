interface Work<Progress> {
  readonly aborted: AbortController;
  readonly ended: Promise<void>;
  progress: Progress | undefined;
}

/** Does it, until it ends or the signal stops it. */
type Doing<Progress> = (signal: AbortSignal, note: (progress: Progress) => void) => Promise<void>;

/** Keeps what goes on in the background of this process, at most one of each id. One that is stopped can continue later. */
export class Works<Progress> {
  readonly #under = new Map<string, Work<Progress>>();
  readonly #onProgress: (id: string) => void;

  constructor(onProgress: (id: string) => void) {
    this.#onProgress = onProgress;
  }

  /** Begins one at once, unless it is under way. Resolves when it is over or stopped; rejects where it fails. */
  begin(id: string, doing: Doing<Progress>) {
    const known = this.#under.get(id);
    if (known !== undefined) return known.ended;
    const aborted = new AbortController();
    const { signal } = aborted;
    const run = async () => {
      try {
        await doing(signal, (progress) => {
          work.progress = progress;
          this.#onProgress(id);
        });
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        this.#under.delete(id);
      }
    };
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const work: Work<Progress> = { aborted, ended, progress: undefined };
    this.#under.set(id, work);
    resolve(run());
    return ended;
  }

  isUnderWay(id: string) {
    return this.#under.has(id);
  }

  /** Undefined for one that is not under way, or has nothing to show yet. */
  progress(id: string): Progress | undefined {
    return this.#under.get(id)?.progress;
  }

  /** Stops one, and resolves when it has ended. */
  async end(id: string, why: string) {
    const work = this.#under.get(id);
    work?.aborted.abort(new Error(why));
    await work?.ended.catch(() => {});
  }

  async stop() {
    await Promise.all([...this.#under.keys()].map((id) => this.end(id, 'this process stops')));
  }
}
