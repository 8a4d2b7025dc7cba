/** The export of another system, as small as it can be, and the memberships that are right. */
export interface ExportShape {
  readonly what: string;
  readonly file: string;
  readonly content: string;
  /** The file with the UIDs, where users are known by something else. */
  readonly people?: string;
  /**
   * `group user scope`, in lines; the group is `g-1` where the file names none. Open: nothing is certain, and the command
   * refuses to run as it is.
   */
  readonly right: string | 'open';
}

/** Lines without their indentation. */
export function lines(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join('\n');
}
