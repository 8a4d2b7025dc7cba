/** The name of a new schedule: a title becomes one. */
import { useEffect } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.js';
import { h } from '../../../console/element.js';
import { TextField } from '../../../console/form.js';
import { nameOf } from '../../../console/format.js';
import { FieldError } from './settings-form.js';

/** @import { Form } from '../../../console/form.js' */
/** @import { Schedule } from '../../../console/sync-answers.d.ts' */

/** @param {{ form: Form }} properties */
export function NameField({ form }) {
  /** @type {import('../../../console/answer.js').Answer<{ schedules: Schedule[] }>} */
  const { data } = useAnswer('/v1/schedules');
  const given = form.get('name');
  const name = scheduleName(given.trim());
  const isTaken = data?.schedules.some((one) => one.name === name) === true;
  useEffect(() => {
    if (isTaken) form.setError('name', `There is a schedule “${name}” already. Take another name.`);
  }, [given, isTaken]);
  return h(TextField, {
    form,
    name: 'name',
    label: 'Name',
    placeholder: 'Nightly roster',
    note: name === '' ? 'A few words, such as “Nightly roster”.' : `It will be called ${name}.`,
  });
}

/** @param {Readonly<Record<string, string>>} values @throws {FieldError} where there is none */
export function nameIn({ name: given = '' }) {
  const name = scheduleName(given);
  if (name === '')
    throw new FieldError('name', 'Give it a name with letters a to z or digits, such as “Nightly roster”.');
  return name;
}

/** "Nightly Roster" → "nightly-roster"; a name stays as it is. @param {string} text */
function scheduleName(text) {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text) ? text : nameOf(text);
}
