/** What went wrong, where the user looks, with what to do next. */
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

/**
 * What stands where a list is not yet or not at all: why it could not be read, that it is being read, or that it is
 * empty.
 */
export function ListState({ error, items, empty }: ListStateProperties) {
  return (
    <div role="status">
      {error !== undefined && <ErrorNotice error={error} />}
      {error === undefined && items === undefined && <Empty>Loading …</Empty>}
      {items?.length === 0 && <Empty>{empty}</Empty>}
    </div>
  );
}
