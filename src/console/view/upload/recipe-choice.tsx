/** Named settings for one kind of file: which are used, what they need, and these as a new one. */
import { useSignal } from '@preact/signals';
import { LOOKUP_NAMES } from '../../../options/lookups.ts';
import type { Recipe } from '../../answers.ts';
import { nameOf, pairsIn } from '../../format.ts';
import { LOOKUP_WORDS } from '../../import-words.ts';
import { Actions } from '../../kit/actions.tsx';
import { foreign } from '../../kit/elements.tsx';
import { Fields, FoldedFields, focusField } from '../../kit/form.tsx';
import { request } from '../../requests.ts';
import type { FileForm } from './file-form.ts';
import { shapeIn } from './file-options.ts';
import type { UploadEntry } from './upload-entry.ts';

const NOTE = 'What you choose yourself wins over the recipe.';

export function RecipeChoice({
  form,
  known,
  note = NOTE,
}: {
  form: FileForm;
  known: readonly Recipe[];
  note?: string;
}) {
  const chosen = known.find(({ name }) => name === form.get('recipe'));
  return (
    <>
      <Fields
        form={form}
        fields={{
          recipe: { choices: [['', 'none'], ...known.map(({ name, title }) => [name, title] as const)], note },
        }}
      />
      {chosen !== undefined && <Needs recipe={chosen} form={form} />}
    </>
  );
}

function Needs({ recipe, form }: { recipe: Recipe; form: FileForm }) {
  const open = recipe.needs.filter(({ what }) =>
    what === 'guid' ? form.get('guid') === '' : form.lookups.value[what] === undefined,
  );
  return (
    <div class="needs col">
      <p class="note">{foreign(recipe.description)}</p>
      {open.length > 0 && (
        <ul class="plain col">
          {open.map(({ what, why, optional }) => (
            <li key={what} class="col">
              <p>
                {needed(what)} is {optional ? 'useful' : 'needed'}: {why}.
              </p>
              {/* If no column has the group, the first rows say so and lead there. */}
              {!(what === 'guid' && form.found.value?.missing.includes('guid')) && (
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

export function SaveRecipe({ form, onSaved }: { form: UploadEntry; onSaved: () => Promise<void> }) {
  const saved = useSignal('');
  const save = async (signal: AbortSignal) => {
    const title = form.read()['recipeTitle'] ?? '';
    const name = nameOf(title);
    saved.value = '';
    if (name === '') {
      form.showError('recipeTitle', 'Enter a name with letters or digits, such as “Members of the choir”.');
      return;
    }
    const json = recipeOf(title, form);
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
function recipeOf(title: string, form: UploadEntry) {
  const { recipe: _, region: __, ...all } = form.options;
  const set = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  const { files, map, shape: text = '', ...others } = set;
  const shape = shapeIn(text);
  return {
    title,
    fits: { header: form.columns.peek() },
    needs: LOOKUP_NAMES.flatMap((what) =>
      shape?.[what] === undefined
        ? []
        : [{ what, why: `the file has no ${LOOKUP_WORDS[what].ids}; they are looked up in a file that has them` }],
    ),
    settings: {
      ...others,
      ...(files !== undefined && { files: [files] }),
      ...(others['delimiter'] === 'tab' && { delimiter: '\t' }),
      ...(map !== undefined && { map: pairsIn(map) }),
      ...(text !== '' && { shape }),
    },
  };
}
