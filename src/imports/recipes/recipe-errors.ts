import { RollcallError } from '../../errors/rollcall-error.ts';
import { shown, shownPath } from '../read/intake-error.ts';

/** A name that no recipe has. */
export class UnknownRecipe extends RollcallError {
  constructor(name: string, names: readonly string[]) {
    super('UNKNOWN_RECIPE', `no recipe has the name ${shown(name)}; there are ${names.join(', ')}`, {
      remedy: '`rollcall recipes` describes them',
      facts: { name, names },
    });
  }
}

/** A file is not of the kind that a recipe is for. */
export class RecipeMisfit extends RollcallError {
  constructor(name: string, file: string, why: string) {
    super('RECIPE_MISFIT', `${shownPath(file)} does not fit the recipe ${name}: ${why}`, {
      remedy: '`rollcall inspect <file>` shows what it is, and a command that works',
      facts: { name },
    });
  }
}

/** A recipe asks for something that the file does not have. */
export class RecipeNeeds extends RollcallError {
  constructor(name: string, flag: string, why: string) {
    super('RECIPE_NEEDS', `the recipe ${name} needs ${flag}: ${why}`, { facts: { name, flag } });
  }
}

/** A recipe cannot be saved, or was written by hand and cannot be used. */
export class BadRecipe extends RollcallError {
  constructor(what: string, remedy: string) {
    super('BAD_RECIPE', what, { remedy });
  }
}
