/** A large database that an older rollcall wrote is converted when it is first opened: that takes seconds. */
export interface Conversion {
  readonly path: string;
  readonly bytes: number;
}

/** Undefined: it has ended. */
type Watcher = (conversion: Conversion | undefined) => void;

const watchers = new Set<Watcher>();

/** Notifies of conversions, also of those in other threads where these pass them on. Returns a function that ends it. */
export function watchConversions(watcher: Watcher): () => void {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

export function noteConversion(conversion: Conversion | undefined): void {
  for (const watcher of watchers) watcher(conversion);
}

export function conversionSentence({ path, bytes }: Conversion): string {
  return `Converting ${path} (${Math.round(bytes / 1e6)} MB), which an older rollcall wrote`;
}
