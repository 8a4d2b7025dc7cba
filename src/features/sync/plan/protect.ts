import { RollcallError } from '../../../errors/rollcall-error.ts';
import { readIdFile } from '../../../imports/read/id-file.ts';
import { shown } from '../../../imports/read/intake-error.ts';

/**
 * Reads the UIDs of a protect file. Nothing may continue with one that cannot be used, or that names nobody: the users that it
 * should name would not be protected. @param name as the user named it @throws BAD_PROTECT_FILE
 */
export function readProtectFile(path: string, name = path) {
  return readIdFile({
    path,
    name,
    field: 'uid',
    refused: (what, cause) => {
      const remedy = 'write one UID a line, or a CSV file with a column uid';
      return new RollcallError(
        'BAD_PROTECT_FILE',
        { what: `the protect file ${shown(name)} ${what}`, remedy },
        { cause },
      );
    },
  });
}
