/** The second is an archive without entries. */
const BEGINNINGS = ['PK\x03\x04', 'PK\x05\x06'];

/** Whether a file begins as ZIP archives do, and so workbooks: these are read at random places, and must be there as a whole. */
export function isZip(head: Uint8Array): boolean {
  return BEGINNINGS.includes(String.fromCharCode(...head.subarray(0, 4)));
}
