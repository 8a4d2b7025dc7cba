/** The only ways in which the console makes elements. Values become text nodes and attributes, never markup. */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {string | number | boolean | null | undefined | ((event: Event) => void)} Attribute */

/**
 * An element. Attributes: `true` sets an empty one, `false`, `null` and `undefined` none; a function under `onclick`
 * listens to `click`.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Readonly<Record<string, Attribute>>} [attributes]
 * @param {...(Child | readonly Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...nodesOf(children));
  return element;
}

/**
 * A value from a file or the service: its direction of writing stays its own. Nothing for ''.
 * @param {string} value
 */
export function foreign(value) {
  return value === '' ? null : h('bdi', {}, value);
}

/**
 * A part of the page under its heading.
 * @param {string} id of the heading, and what a link jumps to
 * @param {string} title
 * @param {...(Child | readonly Child[])} children
 */
export function section(id, title, ...children) {
  return h('section', { 'aria-labelledby': id, class: 'card' }, h('h2', { id }, title), ...children);
}

/**
 * Puts these children into the element, unless it holds equal ones already: what has not changed keeps focus and
 * selection.
 * @param {Element} element
 * @param {...(Child | readonly Child[])} children
 */
export function fill(element, ...children) {
  const nodes = nodesOf(children);
  const same =
    nodes.length === element.childNodes.length &&
    nodes.every((node, index) =>
      typeof node === 'string'
        ? element.childNodes[index]?.nodeType === Node.TEXT_NODE && element.childNodes[index]?.nodeValue === node
        : element.childNodes[index] === node || element.childNodes[index]?.isEqualNode(node),
    );
  // Listeners of an equal element are those of the first: they must not close over what changes.
  if (!same) element.replaceChildren(...nodes);
}

/**
 * Brings the element's children to these, moving only those that are not in their place.
 * @param {Element} parent
 * @param {readonly Element[]} wanted
 */
export function arrange(parent, wanted) {
  const keep = new Set(wanted);
  for (const child of [...parent.children]) if (!keep.has(child)) child.remove();
  wanted.forEach((child, index) => {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
}

/**
 * `update` at most once a frame, with the latest value.
 * @template T
 * @param {(value: T) => void} update
 * @returns {(value: T) => void}
 */
export function perFrame(update) {
  /** @type {{ value: T } | undefined} */
  let latest;
  return (value) => {
    if (latest === undefined) {
      requestAnimationFrame(() => {
        const due = latest;
        latest = undefined;
        if (due !== undefined) update(due.value);
      });
    }
    latest = { value };
  };
}

/**
 * @param {readonly (Child | readonly Child[])[]} children
 * @returns {(Node | string)[]}
 */
function nodesOf(children) {
  /** @type {(Node | string)[]} */
  const nodes = [];
  for (const child of /** @type {Child[]} */ (children.flat())) {
    if (child === null || child === undefined || child === false || child === '') continue;
    nodes.push(child instanceof Node ? child : String(child));
  }
  return nodes;
}
