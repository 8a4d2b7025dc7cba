import { createHash } from 'node:crypto';
import type { AccessStore } from '../access/access-store.ts';
import { Problem } from '../problem.ts';

/** One upload under an Idempotency-Key; `end` must always be called. */
export interface KeyedUpload {
  /** The import that the same upload made before. @throws Problem KEY_REUSED when the file is another one */
  madeBefore(hash: string): string | undefined;
  /** To be called before the import is made: should the process die in between, a repetition makes no second one. */
  keep(hash: string, importId: string): void;
  end(): void;
}

const KEY = /^[\x21-\x7e]{1,200}$/;

const NO_KEY: KeyedUpload = { madeBefore: () => undefined, keep: () => {}, end: () => {} };

/** Keys of uploads: those under way in memory, those of the last day in the access file. */
export function uploadKeys(access: AccessStore, exists: (importId: string) => boolean) {
  const underWay = new Set<string>();
  return {
    /** @param who The token's id: another's keys mean nothing. @throws Problem KEY_IN_USE, KEY_REUSED, BAD_OPTION */
    begin: (who: string, key: string | undefined, chosen: unknown): KeyedUpload => {
      if (key === undefined) return NO_KEY;
      if (!KEY.test(key)) {
        throw new Problem('BAD_OPTION', 'Idempotency-Key must be 1 to 200 visible ASCII characters.', {
          field: 'Idempotency-Key',
        });
      }
      const name = `${who} ${key}`;
      if (underWay.has(name)) {
        throw new Problem('KEY_IN_USE', `An upload with the Idempotency-Key ${JSON.stringify(key)} is in progress.`);
      }
      const options = createHash('sha256').update(JSON.stringify(chosen)).digest('hex');
      const found = access.findUpload(who, key);
      const before = found !== undefined && exists(found.importId) ? found : undefined;
      if (before !== undefined && before.options !== options) throw reused(key, 'with other options');
      underWay.add(name);
      return {
        madeBefore: (hash) => {
          if (before !== undefined && before.body !== hash) throw reused(key, 'for another file');
          return before?.importId;
        },
        keep: (body, importId) => access.keepUpload(who, key, { options, body, importId }),
        end: () => underWay.delete(name),
      };
    },
  };
}

function reused(key: string, how: string): Problem {
  return new Problem('KEY_REUSED', `The Idempotency-Key ${JSON.stringify(key)} was used ${how}.`);
}
