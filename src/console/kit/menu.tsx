/** A small control with actions behind it that few need, or that are dangerous. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

interface MenuProperties {
  /** Its name; also its text, unless it has a sign. */
  label: string;
  /** Such as ⋯. */
  sign?: string;
  children?: ComponentChildren;
}

/** Closed by a choice, by Escape, and where the focus leaves it. */
export function Menu({ label, sign, children }: MenuProperties) {
  const menu = useRef<HTMLDetailsElement | null>(null);
  const close = () => {
    if (menu.current?.open !== true) return;
    // What a choice opens gives the focus back to where it was.
    if (menu.current.contains(document.activeElement)) menu.current.querySelector('summary')?.focus();
    menu.current.open = false;
  };
  return (
    <details
      class="menu"
      ref={menu}
      onKeyDown={({ key }) => key === 'Escape' && close()}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && menu.current?.contains(relatedTarget) === false) close();
      }}
    >
      <summary class="button" aria-label={sign === undefined ? undefined : label}>
        {sign ?? label}
      </summary>
      <div class="menu-items" onClickCapture={close}>
        {children}
      </div>
    </details>
  );
}
