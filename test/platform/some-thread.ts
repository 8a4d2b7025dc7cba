import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { damagedFile } from '../../src/platform/database-errors.ts';
import { serve, tellOpener } from '../../src/platform/threads.ts';

export type SomeThread = {
  double: (number: number) => Promise<number>;
  refuse: (how: 'refused' | 'ledger' | 'plain') => never;
  count: (to: number) => Generator<string>;
  untilAborted: (input: null, signal: AbortSignal) => Promise<string>;
  block: (flag: SharedArrayBuffer) => void;
  exit: (code: number) => void;
};

const NO_ROOM = Object.assign(new Error('no room'), { code: 'ENOSPC', close: () => {} });

serve<SomeThread>(
  {
    double: async (number) => number * 2,
    refuse: (how) => {
      if (how === 'refused') {
        const facts = { what: 'nothing is there', remedy: 'Look elsewhere', path: 'x', lines: [1, 2] };
        throw new RollcallError<string>('CANNOT_CHECK', facts, { cause: NO_ROOM });
      }
      throw how === 'ledger' ? damagedFile('l.sqlite', NO_ROOM) : NO_ROOM;
    },
    count: function* (to) {
      try {
        for (let number = 1; number <= to; number += 1) {
          tellOpener(number);
          yield `${number}\n`;
        }
      } finally {
        tellOpener('ended');
      }
    },
    untilAborted: (_, signal) =>
      new Promise((resolve) => {
        tellOpener('begun');
        signal.addEventListener('abort', () => {
          tellOpener('aborted');
          resolve('too late');
        });
      }),
    block: (flag) => {
      tellOpener('begun');
      Atomics.wait(new Int32Array(flag), 0, 0);
    },
    exit: (code) => process.exit(code),
  },
  () => tellOpener('left'),
);
