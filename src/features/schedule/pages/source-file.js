/** How the file of a schedule is read: a recipe to begin with, and its first rows, in which the columns are chosen. */
import { useEffect, useRef } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.js';
import { foreign, h } from '../../../console/element.js';
import { useChange } from '../../../console/form.js';
import { FileGrid } from '../../../console/view/upload/file-grid.js';
import { SheetChoice } from '../../../console/view/upload/reading.js';
import { RecipeField } from '../../../console/view/upload/recipe-choice.js';
import { READING, SHAPING } from '../../../console/view/upload/shape-form.js';
import { Suggestions } from '../../../console/view/upload/suggestions.js';
import { WorkButton } from '../../../console/work.js';
import { plainReading, readingFields } from './settings-form.js';

/** @import { Recipe } from '../../../console/answers.d.ts' */
/** @import { Form } from '../../../console/form.js' */
/** @import { SourcePreview } from './source-preview.js' */

/** Who has paused this long has typed a whole value. */
const TYPING_MS = 300;
/** By these the file is read. */
const NAMES = [...Object.keys(READING), ...Object.keys(SHAPING), 'exportOf', 'map', 'shape'];

/**
 * @param {object} properties
 * @param {Form} properties.form
 * @param {SourcePreview} properties.preview
 * @param {string} properties.file path or address, as far as it is known
 * @param {boolean} properties.busy
 * @param {() => void} properties.onLook
 */
export function SourceFile({ form, preview, file, busy, onLook }) {
  const { isShown } = preview;
  const isFetched = /^https?:/.test(file);
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const latest = useRef({ busy, onLook });
  latest.current = { busy, onLook };
  useEffect(() => () => clearTimeout(timer.current), []);
  const lookSoon = () => {
    clearTimeout(timer.current);
    // One look at a time: a later one waits for the answer.
    timer.current = setTimeout(() => {
      if (latest.current.busy) lookSoon();
      else if (preview.isWanted) latest.current.onLook();
    }, TYPING_MS);
  };
  useChange(JSON.stringify([...NAMES.map((name) => form.get(name)), preview.picked.value]), () => {
    // What comes over the network is fetched again only when someone asks for it.
    if (preview.isWanted && !isFetched) lookSoon();
  });
  return [
    h(RecipeFill, { key: 'recipe', form, preview }),
    h(
      'div',
      { key: 'look', class: 'buttons' },
      h(WorkButton, { busy, onClick: onLook }, isShown ? 'Show the file again' : 'Show the file'),
      isShown && isFetched && h('p', { class: 'note' }, 'After a change, show it again: it is fetched each time.'),
    ),
    isShown && h(SheetChoice, { key: 'sheet', preview, form }),
    isShown && h(FileGrid, { key: 'file', preview, form, isImport: false }),
    isShown && h(Suggestions, { key: 'seen', preview, form, isImport: false }),
  ];
}

/** Fills the fields by which a file is read. The schedule keeps them, whatever becomes of the recipe. @param {{ form: Form, preview: SourcePreview }} properties */
function RecipeFill({ form, preview }) {
  /** @type {import('../../../console/answer.js').Answer<{ recipes: readonly Recipe[] }>} */
  const { data } = useAnswer('/v1/recipes');
  // An identity file is named on the command line.
  const recipes = (data?.recipes ?? []).filter(
    ({ needs }) => !needs.some(({ what, optional }) => what === 'identities' && !optional),
  );
  const chosen = recipes.find(({ name }) => name === form.get('recipe'));
  const suggested = recipes.filter(
    ({ name }) => chosen === undefined && preview.facts.value?.recipes.some((recipe) => recipe.name === name),
  );
  useChange(chosen?.name, () =>
    form.assign({ ...plainReading(), ...(chosen !== undefined && readingFields(chosen.settings)) }),
  );
  return h(
    'div',
    { class: 'recipe' },
    h(RecipeField, {
      form,
      recipes,
      note: 'Fills in how the file is read. The schedule keeps that, also when the recipe changes later. Recipes that need an identity file are for schedules made on the command line.',
    }),
    suggested.map(({ name, title }) =>
      h(
        'button',
        { key: name, type: 'button', onClick: () => form.set('recipe', name) },
        'Use the recipe ',
        foreign(title),
      ),
    ),
    chosen !== undefined &&
      h(
        'div',
        { class: 'needs' },
        h('p', { class: 'note' }, foreign(chosen.description)),
        chosen.needs
          .filter(({ what }) => what === 'guid' && form.get('guid') === '')
          .map(({ what, why, optional }) =>
            h('p', { key: what }, `A group is ${optional ? 'useful' : 'needed'}: ${why}.`),
          ),
      ),
  );
}
