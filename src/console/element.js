/** What every view is made of. Values become text and attributes, never markup. */
import { createElement } from 'preact';
import { query } from './api.js';

/** @import { ComponentChildren } from 'preact' */

/** An element or a component: `h(tag, attributes, ...children)`. */
export const h = /** @type {import('./h.d.ts').H} */ (/** @type {unknown} */ (createElement));

/**
 * A value from a file or the service: its direction of writing stays its own. Nothing for ''.
 * @param {string} value
 */
export function foreign(value) {
  return value === '' ? null : h('bdi', null, value);
}

/** A value from a file or the service, or a dash where there is none. @param {string} value */
export function foreignOrDash(value) {
  return foreign(value) ?? h('span', { class: 'soft' }, '–');
}

/**
 * A part of the page under its heading.
 * @param {object} properties
 * @param {string} properties.id of the heading, and what a link jumps to
 * @param {string} properties.title
 * @param {ComponentChildren} [properties.children]
 */
export function Card({ id, title, children }) {
  return h('section', { 'aria-labelledby': id, class: 'card' }, h('h2', { id }, title), children);
}

/**
 * What few need, under its heading; closed, it says the most important of it. A link to its id opens it.
 * @param {object} properties
 * @param {string} properties.id what a link jumps to
 * @param {string} properties.title
 * @param {ComponentChildren} [properties.gist]
 * @param {ComponentChildren} [properties.children]
 */
export function Fold({ id, title, gist, children }) {
  return h(
    'details',
    { class: 'fold' },
    h('summary', null, h('h2', { id: `${id}-title` }, title), ' ', h('span', { class: 'soft' }, gist)),
    h('section', { id, 'aria-labelledby': `${id}-title` }, children),
  );
}

/**
 * Names and values; what is `false` or null is left out.
 * @param {{ list: readonly (readonly [name: string, value: ComponentChildren])[], class?: string }} properties
 */
export function Facts({ list, class: kind = 'facts' }) {
  return h(
    'dl',
    { class: kind },
    list.map(([name, value], index) =>
      value === false || value === null
        ? null
        : h('div', { key: `${index} ${name}` }, h('dt', null, foreign(name)), h('dd', null, value)),
    ),
  );
}

/** Where there is nothing to show: why. @param {{ children?: ComponentChildren }} properties */
export function Empty({ children }) {
  return h('p', { class: 'empty' }, children);
}

/** A word beside a name, such as "dry run". @param {{ children?: ComponentChildren }} properties */
export function Tag({ children }) {
  return h('span', { class: 'tag' }, children);
}

/** A state. @param {{ tone: 'busy' | 'still' | 'good' | 'attention', children?: ComponentChildren }} properties */
export function Badge({ tone, children }) {
  return h('span', { class: `badge ${tone}` }, children);
}

/** The address of an import's page. @param {string} id */
export function importHref(id) {
  return `/imports/${encodeURIComponent(id)}`;
}

/** The address at which rows of an import are repaired. @param {string} id */
export function repairHref(id) {
  return `${importHref(id)}/repair`;
}

/** The list of imports with a tag. @param {string} tag */
export function tagHref(tag) {
  return `/imports${query({ tags: tag })}`;
}

/** The address of a sync's page. @param {string} id */
export function syncHref(id) {
  return `/syncs/${encodeURIComponent(id)}`;
}

/** The address of a member's page. @param {string} uid */
export function memberHref(uid) {
  return `/members/${encodeURIComponent(uid)}`;
}
