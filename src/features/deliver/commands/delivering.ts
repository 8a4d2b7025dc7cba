import { serviceOpener } from '../../../app/open-service.ts';
import { coordinate } from '../../../cli/coordinate.ts';
import { EXIT } from '../../../cli/exit-codes.ts';
import type { Delivering } from '../../../cli/feature.ts';
import { deliveryLines } from '../../../cli/screen/conclude.ts';
import { say } from '../../../cli/screen/io.ts';
import { localImports } from '../../../cli/target/data-directory.ts';

/** `resume` of an import that is over and whose reports wait: delivers them, and sends nothing. */
export const delivering: Delivering = {
  resume: async (config, io, id) => {
    const imports = localImports(config);
    const howToContinue = () => ['Continue with:', `  ${imports.command('resume', id)}`];
    const openService = serviceOpener(config, { dryRun: true });
    const failure = await coordinate({ config, io, openService, howToContinue }, async ({ beside }) => {
      for (const one of beside) one.expect(id);
    });
    if (failure !== undefined) return EXIT.fatal;
    const found = await imports.find(id);
    say(io, ...deliveryLines(imports, found).slice(1));
    return found.delivery?.arrivedAt === null ? EXIT.stopped : EXIT.ok;
  },
};
