/** Buttons that put a text on the clipboard. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { h } from './element.js';
import { announce } from './frame.js';

/** How long a button says that it has copied. */
const SAID_MS = 2000;

/**
 * Copies `text`, which may be made when it is asked for. It says so on its face and aloud.
 * @param {object} properties
 * @param {string | (() => Promise<string>)} properties.text
 * @param {string} properties.what is copied, such as "the UID anna": for those who do not see what it belongs to
 * @param {string} [properties.label]
 */
export function CopyButton({ text, what, label = 'Copy' }) {
  const said = useSignal('');
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    try {
      await copyText(typeof text === 'string' ? text : await text());
      said.value = 'Copied';
      announce(`Copied ${what}.`);
    } catch {
      said.value = 'Not copied';
      announce(`${what} could not be copied: the browser refused it.`);
    }
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      said.value = '';
    }, SAID_MS);
  };
  return h(
    'button',
    { type: 'button', class: 'copy small-button', 'aria-label': `${label} ${what}`, onClick: () => void copy() },
    said.value === '' ? label : said.value,
  );
}

/**
 * Without https, and away from this machine, browsers have no clipboard for pages: there a hidden field is selected.
 * @param {string} text
 * @throws {Error} when the browser does not allow it
 */
async function copyText(text) {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  // A dialog that is open takes the focus from everything outside it.
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isCopied) throw new Error('the browser does not allow it');
}
