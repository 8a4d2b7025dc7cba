/** Named settings for one kind of file: which are used, what they need, and these as a new one. */
import { useSignal } from '@preact/signals';
import { request } from '../../api.js';
import { foreign, h } from '../../element.js';
import { focusField, SelectField, TextField } from '../../form.js';
import { nameOf } from '../../format.js';
import { ErrorPlace } from '../../notice.js';
import { useWork, WorkButton } from '../../work.js';

/** @import { Recipe } from '../../answers.d.ts' */
/** @import { Form } from '../../form.js' */
/** @import { FilePreview } from './preview.js' */

/** @param {{ preview: FilePreview, form: Form, known: readonly Recipe[] }} properties `known`: those with a name */
export function RecipeChoice({ preview, form, known }) {
  const fitting = preview.facts.value?.recipes ?? [];
  // How an earlier import read such a file has no name in the list.
  const recipes = [...known, ...fitting.filter((one) => !known.some(({ name }) => name === one.name))];
  const chosen = recipes.find(({ name }) => name === form.get('recipe'));
  return h(
    'div',
    { class: 'recipe' },
    h(RecipeField, { form, recipes }),
    chosen !== undefined && h(Needs, { recipe: chosen, form, preview }),
  );
}

/** @param {{ form: Form, recipes: readonly Pick<Recipe, 'name' | 'title'>[], note?: string }} properties */
export function RecipeField({ form, recipes, note }) {
  return h(SelectField, {
    form,
    name: 'recipe',
    label: 'Recipe',
    choices: [['', 'none'], ...recipes.map(({ name, title }) => /** @type {const} */ ([name, title]))],
    ...(note !== undefined && { note }),
  });
}

/** @param {{ recipe: { needs: readonly { what: string, why: string, optional: boolean }[], description?: string }, form: Form, preview: FilePreview }} properties */
function Needs({ recipe, form, preview }) {
  const open = recipe.needs.filter(({ what }) =>
    what === 'guid' ? form.get('guid') === '' : preview.identities.value === undefined,
  );
  return h(
    'div',
    { class: 'needs' },
    h('p', { class: 'note' }, foreign(recipe.description ?? ''), ' What you choose yourself wins over the recipe.'),
    open.length > 0 &&
      h(
        'ul',
        { class: 'plain' },
        open.map(({ what, why, optional }) =>
          h(
            'li',
            { key: what },
            h(
              'p',
              null,
              `${what === 'guid' ? 'A group' : 'An identity file'} is ${optional ? 'useful' : 'needed'}: ${why}.`,
            ),
            // Where no column has the group, the first rows say so and lead there.
            !(what === 'guid' && preview.found.value?.missing.includes('guid')) &&
              h(
                'button',
                { type: 'button', onClick: () => focusField(what) },
                what === 'guid' ? 'Enter one group for all rows…' : 'Choose an identity file…',
              ),
          ),
        ),
      ),
  );
}

/** @param {{ preview: FilePreview, form: Form, onSaved: () => Promise<void> }} properties */
export function SaveRecipe({ preview, form, onSaved }) {
  const work = useWork();
  const saved = useSignal('');
  const save = () =>
    work.start(async (signal) => {
      const title = form.read()['recipeTitle'] ?? '';
      const name = nameOf(title);
      saved.value = '';
      if (name === '') {
        form.showError('recipeTitle', 'Enter a name with letters or digits, such as “Members of the choir”.');
        return;
      }
      const body = JSON.stringify(recipeOf(title, preview));
      await request(`/v1/recipes/${encodeURIComponent(name)}`, {
        method: 'PUT',
        body,
        type: 'application/json',
        signal,
      });
      await onSaved();
      saved.value = title;
    });
  return h(
    'details',
    null,
    h('summary', null, 'Save this mapping'),
    h(
      'div',
      { class: 'fields' },
      h(TextField, {
        form,
        name: 'recipeTitle',
        label: 'Name of the recipe',
        note: 'It is suggested for files with the same columns. One of the same name is replaced.',
      }),
    ),
    h('div', { class: 'buttons' }, h(WorkButton, { busy: work.busy, onClick: () => void save() }, 'Save recipe')),
    h('p', { role: 'status', class: 'note' }, saved.value !== '' && ['Saved: ', foreign(saved.value), '.']),
    h(ErrorPlace, { error: work.error }),
  );
}

/** The options of the form as a recipe for files with the same header. @param {string} title @param {FilePreview} preview */
function recipeOf(title, preview) {
  const { map: _, shape = '', recipe: __, region: ___, ...options } = preview.options;
  const found = preview.found.peek();
  const columns = found?.columns ?? [];
  const shaped = shape === '' ? {} : JSON.parse(shape);
  const set = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== ''));
  const { files, ...others } = set;
  return {
    title,
    expects: `the columns ${columns.join(', ')}`.slice(0, 500),
    fits: { header: columns },
    needs:
      shaped.identities === undefined
        ? []
        : [{ what: 'identities', why: 'the file has no UIDs; they are looked up in a file that has them' }],
    settings: {
      ...others,
      ...(files !== undefined && { files: [files] }),
      ...(others['delimiter'] === 'tab' && { delimiter: '\t' }),
      ...(Object.keys(preview.chosen.peek()).length > 0 && { map: preview.chosen.peek() }),
      ...(shape !== '' && { shape: shaped }),
    },
  };
}
