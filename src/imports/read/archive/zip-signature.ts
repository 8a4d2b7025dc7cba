const SIGNATURES = ['PK\x03\x04', 'PK\x05\x06'];

/** Whether a file begins as ZIP archives do, and so workbooks. The second is an archive without entries. */
export function isZip(head: Buffer): boolean {
  return SIGNATURES.includes(head.toString('latin1', 0, 4));
}
