/** The steps of a task: where a person is, and the way back. */

interface StepsProperties {
  names: readonly string[];
  /** The number of the present one, from 0. */
  at: number;
  /** Addresses of those before it; a missing one cannot be gone back to. */
  hrefs: readonly (string | undefined)[];
}

export function Steps({ names, at, hrefs }: StepsProperties) {
  return (
    <nav class="steps" aria-label="Steps">
      <ol>
        {names.map((name, index) => {
          const href = index < at ? hrefs[index] : undefined;
          return (
            <li key={name} class={index < at ? 'done' : ''} aria-current={index === at ? 'step' : undefined}>
              {href === undefined ? <span>{name}</span> : <a href={href}>{name}</a>}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
