/** Reports of an import as files. */
import type { SentFor } from '../../../api/operation.ts';
import type { rowOperations } from '../../../api/rows.ts';
import { completeRetry, NEEDS_ATTENTION, RETRYABLE, sumOfOutcomes } from '../../../membership/outcome.ts';
import { counted } from '../../../text/wording.ts';
import type { ImportView } from '../../answers.ts';
import { WRONG } from '../../import-words.ts';
import { Menu } from '../../kit/actions.tsx';
import { addressOf } from '../../requests.ts';

type ReportAsked = NonNullable<SentFor<typeof rowOperations.report>['query']>;

interface Link {
  text: string;
  href: string;
  /** In a tab of its own, instead of being saved. */
  opens?: boolean;
}

export function ImportDownloads({ view }: { view: ImportView }) {
  if (view.rows.read === 0) return null;
  const { rows, finishedAt, created } = view;
  const report = (query: ReportAsked) => addressOf('GET /v1/imports/:id/report', { id: view.id, query });
  const forms = (query: ReportAsked) =>
    linksOf(['csv', 'xlsx', 'ndjson', 'json'], (format) => report({ format, ...query }));
  const attention = sumOfOutcomes(rows, NEEDS_ATTENTION);
  const again = sumOfOutcomes(rows, RETRYABLE);
  const retry = completeRetry(view);
  return (
    <Menu label="Download report">
      <ul class="downloads plain lined">
        <Download
          name="All rows"
          note={`Take XLSX for a spreadsheet: it would run cells of a CSV file that begin like a formula. ${counted(rows.read, 'row')}${sumOfOutcomes(rows) < rows.read ? ', those without an outcome included' : ''}`}
          links={forms({})}
        />
        {attention > 0 && (
          <Download
            name="What needs attention"
            note={counted(attention, 'row')}
            links={forms({ status: [...(finishedAt === null ? WRONG : NEEDS_ATTENTION)].join(',') })}
          />
        )}
        {again > 0 && (
          <Download
            name="Retry file"
            note={`${counted(again, 'row')} in the columns of your file: ${retry === undefined ? 'fix them and upload it' : `they went out in retry ${retry.id}`}`}
            links={[{ text: 'Download', href: report({ retryable: true }) }]}
          />
        )}
        {created !== undefined && (
          <Download
            name="Created users and groups"
            note="An undo does not delete them: the dashboard of the chat service does"
            links={[{ text: 'CSV', href: addressOf('GET /v1/imports/:id/created', { id: view.id }) }]}
          />
        )}
        <Download
          name="Shareable report (HTML)"
          note="one page"
          links={[{ text: 'Open', href: report({ format: 'html' }), opens: true }]}
        />
      </ul>
    </Menu>
  );
}

/** A link for each format of a file. */
export function linksOf(formats: readonly string[], hrefOf: (format: string) => string): Link[] {
  return formats.map((format) => ({ text: format.toUpperCase(), href: hrefOf(format) }));
}

export function Download({ name, note, links }: { name: string; note?: string; links: readonly Link[] }) {
  return (
    <li>
      <div>
        <b>{name}</b>
        {note !== undefined && <span class="note">{note}</span>}
      </div>
      <div class="links row">
        {links.map(({ text, href, opens = false }) => (
          <a
            key={text}
            href={href}
            // A link named "CSV" says nothing by itself: it is read out with what it is of.
            aria-label={`${name}: ${text}`}
            {...(opens ? { target: '_blank', rel: 'noopener' } : { download: true })}
          >
            {text}
          </a>
        ))}
      </div>
    </li>
  );
}
