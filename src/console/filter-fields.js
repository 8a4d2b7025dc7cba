/** Fields that filter a list while it is shown. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { h } from './element.js';

/** Time after the last key until the server is asked, in ms. */
const TYPED_MS = 300;

/**
 * A text that counts a moment after the last key.
 * @param {{ id: string, label: string, value: string, placeholder?: string, onValue: (value: string) => void }} properties
 */
export function TypedFilter({ id, label, value, placeholder, onValue }) {
  const typed = useSignal(value);
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const latest = useRef(onValue);
  latest.current = onValue;
  // Changed from elsewhere: cleared, or a tag was followed.
  useEffect(() => {
    if (typed.peek().trim() !== value) typed.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    h('input', {
      id,
      type: 'search',
      value: typed.value,
      placeholder,
      spellcheck: false,
      autocapitalize: 'none',
      autocomplete: 'off',
      maxLength: 200,
      onInput: ({ currentTarget }) => {
        typed.value = currentTarget.value;
        clearTimeout(timer.current);
        timer.current = setTimeout(() => latest.current(typed.peek().trim()), TYPED_MS);
      },
    }),
  );
}

/** @param {{ id: string, label: string, value: string, onValue: (value: string) => void }} properties */
export function DayFilter({ id, label, value, onValue }) {
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    h('input', { id, type: 'date', value, onChange: ({ currentTarget }) => onValue(currentTarget.value) }),
  );
}
