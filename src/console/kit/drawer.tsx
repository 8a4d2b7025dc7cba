/** Settings that few need, in one closed place that says how many of them differ from the default. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { counted } from '../../text/wording.ts';

interface DrawerProperties {
  title: string;
  /** Settings that differ from the default: with some, it is open at first. */
  changed: number;
  children?: ComponentChildren;
}

export function Drawer({ title, changed, children }: DrawerProperties) {
  const [isOpen] = useState(changed > 0);
  return (
    <details class="drawer" open={isOpen}>
      <summary>
        {title}
        <span class="soft">
          {changed === 0 ? 'all as usual' : `${counted(changed, 'setting')} ${changed === 1 ? 'differs' : 'differ'}`}
        </span>
      </summary>
      <div class="folds">{children}</div>
    </details>
  );
}
