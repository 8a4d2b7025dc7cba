import { serve } from '../../platform/threads.ts';
import type { RecipeThread } from './settled-options.ts';
import { useRecipe } from './use-recipe.ts';

serve<RecipeThread>({ useRecipe });
