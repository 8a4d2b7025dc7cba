import { RollcallError } from '../../errors/rollcall-error.ts';
import { shown } from '../../imports/read/intake-error.ts';
import type { LookupName } from '../../options/lookups.ts';

/** There is no recipe with this name. */
export class UnknownRecipe extends RollcallError {
  constructor(name: string, names: readonly string[]) {
    super('UNKNOWN_RECIPE', `no recipe has the name ${shown(name)}; there are ${names.join(', ')}`, {
      remedy: '`rollcall recipes` describes them',
      facts: { name, names },
    });
  }
}

/** A recipe asks for something that the file does not have. */
export class RecipeNeeds extends RollcallError {
  constructor(name: string, need: 'guid' | LookupName, why: string) {
    const what = `the recipe ${name} needs --${need}: ${why}`;
    super('RECIPE_NEEDS', what, {
      ...{ message: what, remedy: `add ${need}: ${why}` },
      facts: { name, need, field: need },
    });
  }
}

/** A recipe cannot be saved, or was written by hand and cannot be used. */
export class BadRecipe extends RollcallError {
  /**
   * The reason why a file is no recipe. It may repeat the content of the file, and is only for people on its machine.
   */
  readonly why: string | undefined;

  constructor(what: string, remedy: string, why?: string) {
    super('BAD_RECIPE', `${what}; ${remedy}`);
    this.why = why;
  }
}
