/** 53 bits over the UID in lower case. Equal UIDs have equal hashes; the reverse is checked in SQL. */
export function hashUid(uid: string): number {
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let i = 0; i < uid.length; i++) {
    let code = uid.charCodeAt(i);
    if (code >= 65 && code <= 90) code += 32;
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x5bd1e995);
    low ^= low >>> 13;
  }
  return (high >>> 0) * 0x20_0000 + (low >>> 11);
}
