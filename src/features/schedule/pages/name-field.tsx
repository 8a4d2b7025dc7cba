/** The name of a new schedule: a title becomes one. */
import { useEffect } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.ts';
import { type Form, TextField } from '../../../console/form.tsx';
import { nameOf } from '../../../console/format.ts';
import type { ScheduleView as Schedule } from '../api.ts';
import { FieldError } from './settings-form.ts';

export function NameField({ form }: { form: Form }) {
  const { data } = useAnswer<{ schedules: Schedule[] }>('/v1/schedules');
  const given = form.get('name');
  const name = scheduleName(given.trim());
  const isTaken = data?.schedules.some((one) => one.name === name) === true;
  useEffect(() => {
    if (isTaken) form.setError('name', `There is a schedule “${name}” already. Take another name.`);
  }, [given, isTaken]);
  return (
    <TextField
      form={form}
      name="name"
      label="Name"
      placeholder="Nightly roster"
      note={name === '' ? 'A few words, such as “Nightly roster”.' : `It will be called ${name}.`}
    />
  );
}

/** @throws FieldError where there is none */
export function nameIn({ name: given = '' }: Readonly<Record<string, string>>) {
  const name = scheduleName(given);
  if (name === '')
    throw new FieldError('name', 'Give it a name with letters a to z or digits, such as “Nightly roster”.');
  return name;
}

/** "Nightly Roster" → "nightly-roster"; a name stays as it is. */
function scheduleName(text: string) {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text) ? text : nameOf(text);
}
