/** A notification as it is sent (docs/webhook.md). @param type such as `import.completed` @param at ms since 1970 */
export function noteText(type: string, at: number, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/** What of a notification is shown to people. */
export interface Note {
  readonly type: string;
  readonly data: {
    readonly id?: string;
    readonly file?: string;
    readonly reason?: string;
    readonly rows?: Readonly<Record<string, number>>;
  };
}

/** @param text of `noteText` */
export function readNote(text: string): Note {
  return JSON.parse(text) as Note;
}
