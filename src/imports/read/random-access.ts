const ZIP = ['PK\x03\x04', 'PK\x05\x06'];
/** The second is one whose footer is encrypted. */
const PARQUET = ['PAR1', 'PARE'];

/** Whether a file begins as ZIP archives do, and so workbooks. The second is an archive without entries. */
function isZip(head: Uint8Array): boolean {
  return ZIP.includes(start(head));
}

export function isParquet(head: Uint8Array): boolean {
  return PARQUET.includes(start(head));
}

/** Whether a file is read at random places, and so must be there as a whole: an archive, a workbook or a Parquet file. */
export function isReadAtRandom(head: Uint8Array): boolean {
  return isZip(head) || isParquet(head);
}

function start(head: Uint8Array): string {
  return String.fromCharCode(...head.subarray(0, 4));
}
