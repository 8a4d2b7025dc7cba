import type { Inspecting } from '../../../cli/feature.ts';
import { say } from '../../../cli/screen/io.ts';
import { IntakeError } from '../../../imports/read/intake-error.ts';
import { isAddress } from '../../../text/address-text.ts';
import { factsText, nextLines } from './facts-text.ts';
import { inspectFile } from './inspect-file.ts';

export const inspecting: Inspecting = {
  sayWhatItIs: async (io, config, file, options, lookups) => {
    if (file === '-' || isAddress(file)) return;
    const facts = await inspectFile(config, file, options, lookups).catch((error: unknown) => {
      // The refusal has said it: there is nothing to look at.
      if (error instanceof IntakeError) return undefined;
      throw error;
    });
    if (facts === undefined || facts.refusal === null) return;
    const { format, map, shape } = options;
    const isUsual = format === 'auto' && Object.keys(map).length === 0 && shape === undefined;
    // A command without flags is the one that was refused.
    const command = isUsual && facts.command?.includes(' --') === false ? null : facts.command;
    const next = nextLines({ ...facts, command });
    say(io, '', ...factsText(facts, io.width, false).trimEnd().split('\n'), '', ...next);
  },
};
