/** Named settings for one kind of file: which are used, what they need, and these as a new one. */
import { useSignal } from '@preact/signals';
import { LOOKUP_NAMES } from '../../../options/lookups.ts';
import type { Recipe } from '../../answers.ts';
import { nameOf } from '../../format.ts';
import { LOOKUP_WORDS } from '../../import-words.ts';
import { Actions } from '../../kit/actions.tsx';
import { foreign } from '../../kit/elements.tsx';
import { Fields, FoldedFields, type Form, focusField } from '../../kit/form.tsx';
import { request } from '../../requests.ts';
import type { FilePreview, ShownFile } from './file-preview.ts';

interface RecipeChoiceProperties {
  preview: ShownFile;
  form: Form;
  known: readonly Recipe[];
  note?: string;
}

export function RecipeChoice({
  preview,
  form,
  known,
  note = 'What you choose yourself wins over the recipe.',
}: RecipeChoiceProperties) {
  const chosen = known.find(({ name }) => name === form.get('recipe'));
  return (
    <div class="recipe">
      <Fields
        form={form}
        fields={{
          recipe: { choices: [['', 'none'], ...known.map(({ name, title }) => [name, title] as const)], note },
        }}
      />
      {chosen !== undefined && <Needs recipe={chosen} form={form} preview={preview} />}
    </div>
  );
}

function Needs({ recipe, form, preview }: Pick<RecipeChoiceProperties, 'form' | 'preview'> & { recipe: Recipe }) {
  const open = recipe.needs.filter(({ what }) =>
    what === 'guid' ? form.get('guid') === '' : preview.lookups.value[what] === undefined,
  );
  return (
    <div class="needs">
      <p class="note">{foreign(recipe.description)}</p>
      {open.length > 0 && (
        <ul class="plain">
          {open.map(({ what, why, optional }) => (
            <li key={what}>
              <p>
                {needed(what)} is {optional ? 'useful' : 'needed'}: {why}.
              </p>
              {/* If no column has the group, the first rows say so and lead there. */}
              {!(what === 'guid' && preview.found.value?.missing.includes('guid')) && (
                <button type="button" onClick={() => focusField(what)}>
                  {what === 'guid' ? 'Enter one group for all rows…' : `Choose ${LOOKUP_WORDS[what].one}…`}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function needed(what: Recipe['needs'][number]['what']) {
  return what === 'guid' ? 'A group' : LOOKUP_WORDS[what].one.replace(/^a/, 'A');
}

const TITLE = {
  recipeTitle: {
    label: 'Name of the recipe',
    note: 'It is suggested for files with the same columns. One of the same name is replaced.',
  },
};

interface SaveRecipeProperties {
  preview: FilePreview;
  form: Form;
  onSaved: () => Promise<void>;
}

export function SaveRecipe({ preview, form, onSaved }: SaveRecipeProperties) {
  const saved = useSignal('');
  const save = async (signal: AbortSignal) => {
    const title = form.read()['recipeTitle'] ?? '';
    const name = nameOf(title);
    saved.value = '';
    if (name === '') {
      form.showError('recipeTitle', 'Enter a name with letters or digits, such as “Members of the choir”.');
      return;
    }
    const json = recipeOf(title, preview);
    await request(`/v1/recipes/${encodeURIComponent(name)}`, { method: 'PUT', json, signal });
    await onSaved();
    saved.value = title;
  };
  return (
    <FoldedFields title="Save this mapping" form={form} fields={TITLE}>
      <Actions list={[{ text: 'Save recipe', act: save }]} />
      <p role="status" class="note">
        {saved.value !== '' && <>Saved: {foreign(saved.value)}.</>}
      </p>
    </FoldedFields>
  );
}

/** The options of the form as a recipe for files with the same header. */
function recipeOf(title: string, preview: FilePreview) {
  const map = preview.chosen.peek();
  const { map: _, shape = '', recipe: __, region: ___, ...options } = preview.options;
  const found = preview.found.peek();
  const columns = found?.columns ?? [];
  const shaped = shape === '' ? {} : JSON.parse(shape);
  const set = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== ''));
  const { files, ...others } = set;
  return {
    title,
    fits: { header: columns },
    needs: LOOKUP_NAMES.flatMap((what) =>
      shaped[what] === undefined
        ? []
        : [{ what, why: `the file has no ${LOOKUP_WORDS[what].ids}; they are looked up in a file that has them` }],
    ),
    settings: {
      ...others,
      ...(files !== undefined && { files: [files] }),
      ...(others['delimiter'] === 'tab' && { delimiter: '\t' }),
      ...(Object.keys(map).length > 0 && { map }),
      ...(shape !== '' && { shape: shaped }),
    },
  };
}
