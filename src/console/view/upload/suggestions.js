/** What was seen in a file, what is missing, and buttons that do what would help. */
import { foreign, h } from '../../element.js';
import { focusField } from '../../form.js';
import { counted, grouped } from '../../format.js';
import { columnLabel } from '../../words.js';
import { columnNames, fieldsOf, TEMPLATE } from './shape-form.js';

/** @import { ComponentChildren } from 'preact' */
/** @import { FileFacts, Field, RecipeSettings } from '../../answers.d.ts' */
/** @import { Form } from '../../form.js' */
/** @import { ShownFile } from './preview.js' */

/**
 * @typedef {object} Suggestion
 * @property {string} key
 * @property {ComponentChildren} text what was seen
 * @property {readonly { label: string, apply: () => void }[]} ways what can be done about it; the first is part of "apply all"
 * @property {boolean} [asks] the first way only leads to a field
 */

/** @param {{ preview: ShownFile, form: Form, isImport: boolean }} properties */
export function Suggestions({ preview, form, isImport }) {
  const facts = preview.facts.value;
  // A recipe says itself what it needs.
  if (facts === undefined || form.get('recipe') !== '') return null;
  const found = suggestionsFor(facts, { preview, form, isImport });
  const sure = found.filter(({ asks }) => asks !== true);
  if (found.length === 0 && facts.rows.seen === facts.rows.valid) return null;
  return h(
    'section',
    { class: 'suggestions', 'aria-labelledby': 'seen' },
    h('h3', { id: 'seen' }, 'What was seen'),
    facts.rows.seen > 0 && h('p', { class: 'note' }, seenSentence(facts, preview, isImport)),
    found.length > 0 &&
      h(
        'ul',
        { class: 'plain' },
        found.map(({ key, text, ways }) =>
          h(
            'li',
            { key },
            h('p', null, text),
            h(
              'div',
              { class: 'buttons' },
              ways.map(({ label, apply }) => h('button', { key: label, type: 'button', onClick: apply }, label)),
            ),
          ),
        ),
      ),
    sure.length > 1 &&
      h(
        'div',
        { class: 'buttons' },
        h(
          'button',
          {
            type: 'button',
            class: 'main',
            onClick: () => {
              for (const { ways } of sure) ways[0]?.apply();
              document.getElementById('raw')?.scrollIntoView({ block: 'nearest' });
            },
          },
          `Apply all ${sure.length} suggestions`,
        ),
      ),
  );
}

/** @param {FileFacts} facts @param {ShownFile} preview @param {boolean} isImport */
function seenSentence({ rows, missing }, preview, isImport) {
  const looked = `${counted(rows.seen, 'row')} ${rows.seen === 1 ? 'was' : 'were'} looked at`;
  const names = missing.map((field) => (field === 'uid' ? 'the user (UID)' : 'the group (GUID)'));
  if (preview.identities.value !== undefined) return `${looked}; their UIDs will be looked up.`;
  if (names.length > 0) return `${looked}. No column is known for ${names.join(' and ')}.`;
  const sendable = `${looked}; ${grouped(rows.valid)} of them could be sent with these options.`;
  const isShown = (preview.found.value?.rows ?? []).some(({ problems }) => problems.length > 0);
  if (!isImport || isShown || rows.valid === rows.seen) return sendable;
  return `${sendable} “Check the whole file first” shows what is wrong with the others.`;
}

/**
 * @param {FileFacts} facts
 * @param {{ preview: ShownFile, form: Form, isImport: boolean }} place
 * @returns {Suggestion[]}
 */
function suggestionsFor({ columns, suggestion, recipes }, { preview, form, isImport }) {
  const [recipe] = recipes;
  if (recipe !== undefined) {
    // A sync has no identity file, and recipes of other systems may need one.
    if (!isImport && (!isOfImport(recipe.name) || recipe.needs.some(({ what }) => what === 'identities'))) return [];
    const label = isOfImport(recipe.name) ? 'Read it the same way' : 'Use this recipe';
    const use = { label, apply: () => form.set('recipe', recipe.name) };
    return [{ key: 'recipe', text: ['This looks like: ', h('b', null, foreign(recipe.title)), '.'], ways: [use] }];
  }
  if (suggestion === null) return [];
  const { map = {}, shape = {} } = /** @type {RecipeSettings} */ (suggestion.settings);
  /** @type {Suggestion[]} */
  const found = [];
  /** @param {NonNullable<RecipeSettings['shape']>} part */
  const shapeWith = (part) => () => form.assign(fieldsOf(part));
  if (shape.columns !== undefined) {
    const names = columnNames(shape.columns.length);
    const mapped = shape.columns.flatMap((name, index) => (name === '-' ? [] : [[name, names[index] ?? '']]));
    const apply = () => {
      form.set('header', 'none');
      preview.chooseAll(Object.fromEntries(mapped));
    };
    const text = 'The first line looks like a row, not like a header.';
    return form.get('header') === 'none' ? [] : [{ key: 'header', text, ways: [{ label: 'Read it as a row', apply }] }];
  }
  if (shape.headerRow !== undefined) {
    const row = shape.headerRow;
    // What else is seen counts from there: the file is looked at again.
    const text = `The header seems to be in row ${grouped(row)}.`;
    return [{ key: 'header', text, ways: [{ label: 'Skip the rows above it', apply: shapeWith({ headerRow: row }) }] }];
  }
  for (const [field, column] of Object.entries(map)) {
    if (preview.chosen.value[/** @type {Field} */ (field)] === column) continue;
    const apply = () => preview.chooseAll({ [field]: column });
    const name = FIELD_NAMES[field] ?? field;
    found.push(
      column === ''
        ? {
            key: field,
            text: `The column that is called like the ${name} says something else.`,
            ways: [{ label: `Ignore it as ${name}`, apply }],
          }
        : {
            key: field,
            text: ['Column ', foreignCode(columnLabel(column)), ` looks like the ${name}.`],
            ways: [{ label: `Use it as the ${name}`, apply }],
          },
    );
  }
  const uid = map.uid ?? preview.columnOf('uid');
  const uidFacts = columns.find(({ name }) => name === uid);
  const refused = preview.found.value?.rows.flatMap(({ problems }) => problems).find(({ column }) => column === uid);
  const isSolved = form.get('uidFrom') !== '' || preview.identities.value !== undefined;
  if (suggestion.needs.includes('identities') && uidFacts !== undefined && !isSolved) {
    const template = uidFacts.looksLike === 'email' ? `{${uid}|localpart|slug}` : `{${uid}|slug}`;
    const derive = {
      label: `Make UIDs with ${template}`,
      apply: () => form.assign({ uidFrom: TEMPLATE, uidTemplate: template }),
    };
    const identify = { label: 'Choose an identity file…', apply: () => focusField('identities') };
    found.push({
      key: 'identities',
      text: [
        'Column ',
        foreignCode(uid),
        uidFacts.looksLike === 'email'
          ? ' looks like e-mail addresses; UIDs may not contain @.'
          : refused === undefined
            ? ' has values that are not valid UIDs.'
            : [' has values that are not valid UIDs, such as ', foreignCode(refused.value), '.'],
      ],
      ways: isImport ? [identify, derive] : [derive],
      asks: isImport,
    });
  }
  for (const [field, separator] of Object.entries(shape.split ?? {})) {
    if (form.get(field === 'guid' ? 'splitGuid' : 'splitUid') === separator) continue;
    const what = field === 'guid' ? 'groups' : 'users';
    found.push({
      key: `split ${field}`,
      text: [
        `The cells of the ${FIELD_NAMES[field]} column have several ${what}, separated by `,
        foreignCode(separator),
        '.',
      ],
      ways: [{ label: `Split the ${what}`, apply: shapeWith({ split: { [field]: separator } }) }],
    });
  }
  if (shape.wide !== undefined && form.get('groupsIn') === '') {
    found.push({
      key: 'wide',
      text: [
        `${counted(shape.wide.columns.length, 'column')} have marks in them: `,
        foreignCode(shape.wide.columns.join(', ')),
        '.',
      ],
      ways: [{ label: 'Read each as a group', apply: shapeWith({ wide: shape.wide }) }],
    });
  }
  const guid = shape.templates?.guid;
  if (guid !== undefined && form.get('guidFrom') === '') {
    found.push({
      key: 'guid template',
      text: 'The groups have values that are not valid GUIDs.',
      ways: [{ label: `Make GUIDs with ${guid}`, apply: shapeWith({ templates: { guid } }) }],
    });
  }
  if (shape.scopeWords !== undefined && form.get('scopeWords') === '') {
    const words = Object.entries(shape.scopeWords).map(
      ([word, scope]) => `${word === '*' ? 'any other' : word} → ${scope}`,
    );
    found.push({
      key: 'words',
      text: ['The scope column has words of its own. They could mean: ', foreign(words.join(', ')), '.'],
      ways: [{ label: 'Use these meanings', apply: shapeWith({ scopeWords: shape.scopeWords }) }],
    });
  }
  if (shape.where !== undefined && form.get('where') === '') {
    const words = shape.where.map(({ column, is = [], isNot }) =>
      isNot === undefined ? `${column}: only ${is.join(', ') || 'empty'}` : `${column}: not ${isNot.join(', ')}`,
    );
    found.push({
      key: 'where',
      text: ['Some columns say who is a member: ', foreignCode(words.join('; ')), '.'],
      ways: [{ label: 'Leave out the other rows', apply: shapeWith({ where: shape.where }) }],
    });
  }
  if (suggestion.needs.includes('guid') && form.get('guid') === '') {
    found.push({
      key: 'guid',
      text: 'No column looks like the group.',
      ways: [{ label: 'Enter one group for all rows…', apply: () => focusField('guid') }],
      asks: true,
    });
  }
  return found;
}

/** Whether a recipe says how an earlier import read its file: it has the name of that. @param {string} name */
function isOfImport(name) {
  return /^\d{8}-\d{6}-/.test(name);
}

/** @type {Readonly<Record<string, string>>} */
const FIELD_NAMES = { uid: 'user', guid: 'group', scope: 'scope', region: 'region', onBehalfOf: 'acting user' };

/** @param {string} text */
function foreignCode(text) {
  return h('code', null, foreign(text));
}
