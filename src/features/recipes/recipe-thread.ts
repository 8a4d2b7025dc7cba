import { serve } from '../../platform/threads.ts';
import { type RecipeThread, useRecipe } from './use-recipe.ts';

serve<RecipeThread>({ useRecipe });
