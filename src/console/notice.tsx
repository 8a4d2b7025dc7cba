/** The error, at the place where the user looks, with advice. */
import { ApiError } from './api.ts';
import { Empty } from './element.tsx';

export function ErrorNotice({ error }: { error: unknown }) {
  const problem = error instanceof ApiError ? error.problem : undefined;
  return (
    <div class="notice attention">
      <p>
        <b>{problem?.detail ?? (error instanceof Error ? error.message : String(error))}</b>
      </p>
      {problem?.remedy !== undefined && problem.remedy !== '' && <p>{problem.remedy}</p>}
    </div>
  );
}

/** A place for one error or none (undefined); what is shown in it is read out. */
export function ErrorPlace({ error }: { error: unknown }) {
  return <div role="alert">{error !== undefined && <ErrorNotice error={error} />}</div>;
}

interface ListStateProperties {
  error: unknown;
  items: readonly unknown[] | undefined;
  empty: string;
}

/** Stands in for a list: the error of its reading, a note that it is being read, or that it is empty. */
export function ListState({ error, items, empty }: ListStateProperties) {
  return (
    <div role="status">
      {error !== undefined && <ErrorNotice error={error} />}
      {error === undefined && items === undefined && <Empty>Loading …</Empty>}
      {items?.length === 0 && <Empty>{empty}</Empty>}
    </div>
  );
}
