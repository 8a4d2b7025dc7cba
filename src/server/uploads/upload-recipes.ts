import type { ImportOptions } from '../../imports/import-options.ts';
import type { Caller } from '../http-answers.ts';

/** Options that name a recipe (`recipe=…`), for the server's uploads. */
export interface Recipes {
  /** Before the file has come. @throws UnknownRecipe, RecipeNeeds */
  check(options: ImportOptions): void;
  /** The options with those of the recipe that they name, for the file that has come. @throws Problem BAD_OPTION */
  settle(
    options: ImportOptions,
    file: { readonly path: string } | { readonly head: Uint8Array },
    name: string,
    caller?: Caller,
  ): Promise<ImportOptions>;
}
