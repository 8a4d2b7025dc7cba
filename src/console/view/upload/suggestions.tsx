/** Observations about a file, missing values, and buttons that apply a suggestion. */
import type { ComponentChildren } from 'preact';
import { counted, grouped } from '../../../text/wording.ts';
import type { Field, FileFacts, RecipeSettings } from '../../answers.ts';
import { columnLabel } from '../../import-words.ts';
import { foreign } from '../../kit/elements.tsx';
import { type Form, focusField } from '../../kit/form.tsx';
import { withControls } from '../../option-words.ts';
import type { ShownFile } from './file-preview.ts';
import { columnNames, conditionsIn, fieldsOf, TEMPLATE } from './shape-form.ts';

export interface Suggestion {
  key: string;
  /** The column that it is about: it stands below the header of it, if the file has one. */
  column?: string;
  /** The observation. */
  text: ComponentChildren;
  /** The possible changes; the first is part of "apply all". */
  ways: readonly Way[];
}

/** `asks`: it only leads to a field. */
type Way = { label: string; apply: () => void; asks?: boolean };
type Place = { preview: ShownFile; form: Form; isImport: boolean };

export function Suggestions({ preview, form, isImport }: Place) {
  const facts = preview.facts.value;
  const found = suggestionsFor({ preview, form, isImport });
  const sure = found.filter(({ ways: [first] }) => first !== undefined && first.asks !== true);
  const listed = found.filter(({ column }) => column === undefined || !preview.columns.value.includes(column));
  // A recipe says itself what it needs.
  if (facts === undefined || form.get('recipe') !== '') return null;
  if (found.length === 0 && facts.rows.seen === facts.rows.valid) return null;
  return (
    <section class="suggestions" aria-labelledby="seen">
      <div class="about">
        <h3 id="seen">What was seen</h3>
        {facts.rows.seen > 0 && <p class="note">{seenSentence(facts, preview)}</p>}
        {sure.length > 1 && <ApplyAll sure={sure} preview={preview} />}
      </div>
      {listed.length > 0 && (
        <ul class="plain">
          {listed.map(({ key, text, ways }) => (
            <li key={key}>
              <p>{text}</p>
              {ways.length > 0 && <SuggestionButtons of={key} ways={ways} preview={preview} />}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function ApplyAll({ sure, preview }: { sure: readonly Suggestion[]; preview: ShownFile }) {
  const apply = () => {
    for (const { ways } of sure) ways[0]?.apply();
    preview.landing.value = `${sure.length} suggestions were applied.`;
  };
  return (
    <button type="button" onClick={apply}>
      Apply all {sure.length} suggestions
    </button>
  );
}

/** The buttons of a suggestion, which go with it. */
export function SuggestionButtons({ of, ways, preview }: { of: string; ways: readonly Way[]; preview: ShownFile }) {
  const refuse = () => {
    preview.refused.value = new Set([...preview.refused.peek(), of]);
    preview.landing.value = 'Left as it is.';
  };
  return (
    <div class="buttons">
      {ways.map(({ label, apply, asks = false }) => (
        <button
          key={label}
          type="button"
          onClick={() => {
            apply();
            if (!asks) preview.landing.value = `Done: ${label}.`;
          }}
        >
          {label}
        </button>
      ))}
      <button type="button" class="quiet" onClick={refuse}>
        No
      </button>
    </div>
  );
}

function seenSentence({ rows, missing }: FileFacts, { lookups }: ShownFile) {
  const looked = `${counted(rows.seen, 'row')} ${rows.seen === 1 ? 'was' : 'were'} looked at`;
  // The grid says which columns are missing, and what is looked up.
  const isOpen = missing.length + Object.keys(lookups.value).length > 0;
  return isOpen ? `${looked}.` : `${looked}; ${grouped(rows.valid)} of them could be sent with these options.`;
}

export function suggestionsFor(place: Place): Suggestion[] {
  const { preview, form } = place;
  const facts = preview.facts.value;
  if (facts === undefined || form.get('recipe') !== '') return [];
  const all = [...recipeSuggestions(facts, place), ...ownSuggestions(facts, place)];
  return all.filter(({ key }) => !preview.refused.value.has(key));
}

function recipeSuggestions({ recipes: [recipe] }: FileFacts, { form, isImport }: Place): Suggestion[] {
  if (recipe === undefined) return [];
  // A sync has no identity or group file, and recipes may need one.
  if (!isImport && recipe.needs.some(({ what }) => what !== 'guid')) return [];
  const text = ['This looks like: ', <b>{foreign(recipe.title)}</b>, '.'];
  return [{ key: 'recipe', text, ways: [{ label: 'Use this recipe', apply: () => form.set('recipe', recipe.name) }] }];
}

function ownSuggestions(facts: FileFacts, place: Place): Suggestion[] {
  const { steps } = facts;
  const { headerRow, columns } = steps[0]?.settings?.shape ?? {};
  // Other observations count from there: the file is read again.
  const isOfHeader = (headerRow ?? columns) !== undefined;
  return (isOfHeader ? steps.slice(0, 1) : steps).flatMap((step) => suggestionsOf(step, facts, place));
}

function suggestionsOf(step: FileFacts['steps'][number], facts: FileFacts, place: Place): Suggestion[] {
  const { preview, form, isImport } = place;
  const { map, shape = {} } = step.settings ?? {};
  if (map !== undefined) return columnSuggestions(map, place);
  const text = foreign(withControls(step.text));
  const wayOf = (changed: Shape): Way => ({
    label: labelOf(changed),
    apply: () => {
      form.assign(changesOf(changed, form.values.peek()));
      preview.chooseAll(columnsOf(changed));
    },
  });
  if (step.needs === 'identities') {
    if (form.get('uidFrom') !== '' || preview.lookups.value.identities !== undefined) return [];
    const identify = { label: 'Choose an identity file…', apply: () => focusField('identities'), asks: true };
    const ways = [...(isImport ? [identify] : []), ...(step.instead?.shape ? [wayOf(step.instead.shape)] : [])];
    return [{ key: 'identities', text, ways }];
  }
  if (shape.scopeWords === undefined && Object.keys(shape).length > 0) {
    const isDecided = Object.keys(changesOf(shape, form.values.value)).length === 0;
    return isDecided ? [] : [{ key: JSON.stringify(shape), text, ways: [wayOf(shape)] }];
  }
  // Each word of a scope column is listed with a choice of its own.
  const hasWords = facts.columns.find(({ name }) => name === preview.columnOf('scope'))?.words !== undefined;
  const isAsked = step.isOpen === true && !(hasWords && step.text.includes('scopeWords'));
  return isAsked ? [{ key: step.text, text, ways: [] }] : [];
}

function labelOf({ columns, headerRow, split, wide, templates: { uid, guid } = {} }: Shape) {
  if (columns !== undefined) return 'Read it as a row';
  if (headerRow !== undefined) return 'Skip the rows above it';
  if (split !== undefined) return split.guid === undefined ? 'Split the users' : 'Split the groups';
  if (wide !== undefined) return 'Read each as a group';
  if (uid !== undefined) return `Make UIDs with ${uid}`;
  return guid === undefined ? 'Leave out the other rows' : `Make GUIDs with ${guid}`;
}

/** The fields that a shape changes: not those that a person has filled in. Conditions are added to those that are there. */
function changesOf(shape: Shape, values: Readonly<Record<string, string>>) {
  const fields = fieldsOf(shape);
  const before = conditionsIn(values);
  const added = conditionsIn(fields).filter(({ column }) => before.every((one) => one.column !== column));
  if (shape.where !== undefined) return added.length === 0 ? {} : { where: JSON.stringify([...before, ...added]) };
  return Object.keys(fields).every((name) => (values[name] ?? '') !== '') ? {} : fields;
}

/** The columns of a file without a header that its names choose. */
function columnsOf({ columns = [] }: Shape) {
  const names = columnNames(columns.length);
  return Object.fromEntries(columns.flatMap((field, index) => (field === '-' ? [] : [[field, names[index] ?? '']])));
}

function columnSuggestions(map: Readonly<Record<string, string>>, { preview, form }: Place): Suggestion[] {
  return Object.entries(map)
    .filter(([field, column]) => {
      const isMade = form.get(`${field}From`) === TEMPLATE;
      return !isMade && preview.chosen.value[field as Field] !== column;
    })
    .map(([field, given]) => {
      const name = FIELD_NAMES[field] ?? field;
      const column = given || preview.columnOf(field as Field);
      const [seen, label] =
        given === '' ? [' has other values than a ', 'Ignore it as '] : [' looks like the ', 'Use it as the '];
      const text = ['Column ', <code>{foreign(columnLabel(column))}</code>, `${seen}${name}.`];
      return {
        key: field,
        column,
        text,
        ways: [{ label: `${label}${name}`, apply: () => preview.chooseAll({ [field]: given }) }],
      };
    });
}

type Shape = NonNullable<RecipeSettings['shape']>;

const FIELD_NAMES: Readonly<Record<string, string>> = { uid: 'user', guid: 'group' };
