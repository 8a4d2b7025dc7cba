import { statSync } from 'node:fs';

/** A file as the system knows it: another name keeps it, a copy does not. */
export function fileId(path: string) {
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
  // Where the time of its making is not kept, Node gives that of the last change.
  return birthtimeNs === ctimeNs ? `${ino}` : `${ino} ${birthtimeNs}`;
}

/** Whether the file at `path` is the one that had this id. */
export function isSameFile(id: string, path: string) {
  const now = fileId(path);
  return id === now || id === now.split(' ')[0];
}
