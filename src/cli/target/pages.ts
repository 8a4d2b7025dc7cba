/** The first entries of a server's list, asked for page by page. @param most entries of a page  @param limit default: all */
export async function entriesOf<Entry>(
  page: (size: number, cursor?: string) => Promise<{ entries: readonly Entry[]; nextCursor: string | null }>,
  most: number,
  limit = Number.POSITIVE_INFINITY,
): Promise<Entry[]> {
  const found: Entry[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null && found.length < limit) {
    const { entries, nextCursor } = await page(Math.min(most, limit - found.length), cursor);
    found.push(...entries);
    cursor = nextCursor;
  }
  return found;
}
