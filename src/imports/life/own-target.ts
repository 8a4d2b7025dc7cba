import { isDeepStrictEqual } from 'node:util';
import type { Catalog } from '../catalog.ts';
import { readOptions } from '../import-options.ts';
import type { OpenImport } from '../send/open-imports.ts';
import { type Aimed, isSameTarget, joinedTarget, WrongTarget } from '../target.ts';

interface OwnTargetOptions {
  readonly catalog: Pick<Catalog, 'get' | 'setOptions'>;
  readonly states: { move(...how: Parameters<Catalog['move']>): void };
  /** The target of this process. */
  readonly here: Aimed;
}

/** Keeps imports to the target that they were begun for. */
export function ownTarget({ catalog, states, here }: OwnTargetOptions) {
  return {
    /** An import of another target waits for a process that sends there; a pause or a cancellation stays one. @throws WrongTarget */
    orWait: (id: string): void => {
      const record = catalog.get(id);
      const meant = readOptions(record);
      if (isSameTarget(meant, here)) return;
      const error = new WrongTarget(`import ${id}`, meant, here);
      const { state } = record;
      if (state === 'staging' || state === 'running') states.move(id, 'blocked', error.what, error.code, error.remedy);
      throw error;
    },
    /** A dry run without settings has none, nor has what an older rollcall made; a region may have got its app since. */
    keep: (id: string, opened: Pick<OpenImport, 'options'>): void => {
      const known = joinedTarget(opened.options.target, here.target);
      if (known === undefined || isDeepStrictEqual(known, opened.options.target)) return;
      opened.options = { ...opened.options, target: known };
      catalog.setOptions(id, JSON.stringify(opened.options));
    },
  };
}
