/** The primary result code of an error of SQLite; undefined for other errors. The upper bits would say more. */
export function sqliteCode(error: Error): number | undefined {
  return 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}
