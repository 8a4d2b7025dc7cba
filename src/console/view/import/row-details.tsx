/** One row with everything that was done about it: its batch, every call, what the service said. */
import type { ComponentChildren } from 'preact';
import { counted, duration, grouped } from '../../../text/wording.ts';
import type { RowDetail, RowView } from '../../answers.ts';
import { columnLabel, messageWords, outcomeNow } from '../../import-words.ts';
import { CopyButton } from '../../kit/copy.tsx';
import { Coded, Facts, foreign, foreignOrDash, memberHref, OutcomeMark, Pending, Time } from '../../kit/elements.tsx';
import { addressOf } from '../../requests.ts';
import { useAnswer } from '../../use-answer.ts';

type MadeCall = RowDetail['calls'][number];

const KINDS: Readonly<Record<MadeCall['kind'], string>> = {
  answered: 'answered',
  again: 'no usable answer, sent again',
  'slow-down': 'rate-limited, sent again later',
  halve: 'refused as a whole, cut into smaller batches',
  group: 'the whole group was refused',
  'stop-region': 'the region’s key or plan was refused',
  final: 'refused',
};

/** Waits between two calls that are worth a word, in ms. */
const A_WAIT_MS = 100;

interface RowDetailsProperties {
  id: string;
  row: number;
  over: boolean;
  /** Texts that stand above the details already. */
  said?: readonly string[];
}

export function RowDetails({ id, row, ...shown }: RowDetailsProperties) {
  const { data, error } = useAnswer(addressOf('GET /v1/imports/:id/rows/:row', { id, row: String(row) }));
  if (error !== undefined || data === undefined) return <Pending error={error} />;
  return <Detail detail={data} {...shown} />;
}

function Detail({ detail, over, said = [] }: Pick<RowDetailsProperties, 'over' | 'said'> & { detail: RowDetail }) {
  const { row, action, onBehalfOf } = detail;
  const isSaid = said.some((text) => row.message.includes(text));
  return (
    <div class="row-detail gap col">
      <p>
        <OutcomeMark outcome={outcomeNow(row.status, over)} scope={row.scope} />{' '}
        <Coded code={row.code} text={isSaid ? null : foreign(messageWords(row.message))} />
      </p>
      <Facts
        list={[
          ['UID', withCopy(row.uid, 'the UID')],
          ['Group', withCopy(row.guid, 'the group')],
          ['Region', row.region],
          ['Scope', row.scope],
          ['Action', action !== null && action !== 'add' && action],
          ['Acting user', onBehalfOf !== '' && foreign(onBehalfOf)],
          ['Value', row.value !== '' && foreign(row.value)],
          ['Created for it', row.created !== '' && row.created],
          ['Message', row.messageId !== '' && withCopy(row.messageId, 'the id of the message')],
          ['Members after the call', row.members !== null && grouped(row.members)],
        ]}
      />
      <h3>What happened</h3>
      <Story detail={detail} />
      <h3>In the file</h3>
      <Facts list={inputOf(row.original)} />
      {row.uid !== '' && (
        <p>
          <a href={memberHref(row.uid)}>History of this user</a>
        </p>
      )}
    </div>
  );
}

function withCopy(value: string, what: string) {
  return value === '' ? (
    foreignOrDash('')
  ) : (
    <>
      {foreign(value)} <CopyButton text={value} what={`${what} ${value}`} />
    </>
  );
}

function Story({ detail: { row, batch, calls, creations } }: { detail: RowDetail }) {
  const others = (batch?.uids ?? 1) - 1;
  const at = (iso: string | null, text: ComponentChildren) => (
    <>
      <Time iso={iso} seconds /> {text}
    </>
  );
  const steps: ComponentChildren[] = [
    batch === null
      ? 'It was not sent in this import.'
      : `In batch ${grouped(batch.id)}, ${others === 0 ? 'alone' : `with ${counted(others, 'other row')}`}.`,
    batch?.dispatchedAt && at(batch.dispatchedAt, 'put into the queue'),
    batch?.dispatchedAt === null && batch.finishedAt === null && 'It waits for its turn.',
    ...creations.map(({ kind, outcome, code, message, at: iso }) => {
      const said = [code, message].filter((text) => text !== null).join(': ');
      return at(iso, [`${kind}: ${outcome}`, said !== '' && [', ', foreign(said)]]);
    }),
    ...calls.map((call, index) => <Call call={call} number={index + 1} before={calls[index - 1]} />),
    batch?.uncertainty && ['An earlier call may have been carried out: ', foreign(batch.uncertainty)],
    row.finishedAt !== null && at(row.finishedAt, 'outcome recorded'),
  ];
  return <ol class="plain story col">{steps.map((step, index) => step && <li key={index}>{step}</li>)}</ol>;
}

function Call({ call, number, before }: { call: MadeCall; number: number; before: MadeCall | undefined }) {
  const waited = before === undefined ? 0 : Date.parse(call.at) - Date.parse(before.at) - before.ms;
  return (
    <>
      <Time iso={call.at} seconds /> <b>Call {number}</b>
      {waited >= A_WAIT_MS ? ` after a wait of ${duration(waited)}` : ''}: {KINDS[call.kind]},{' '}
      {call.httpStatus === null ? 'no reply' : `HTTP ${call.httpStatus}`}, {duration(call.ms)}
      {(call.code !== '' || call.message !== null) && (
        <span class="said">
          <Coded code={call.code} text={foreign(call.message ?? '')} />
        </span>
      )}
      {call.requestId !== null && (
        <span class="said">
          Request id <code>{foreign(call.requestId)}</code>{' '}
          <CopyButton text={call.requestId} what={`the request id ${call.requestId}`} />
        </span>
      )}
    </>
  );
}

function inputOf(original: RowView['original']): (readonly [string, ComponentChildren])[] {
  return Object.entries(original).map(([column, value]) => [
    columnLabel(column),
    foreignOrDash(typeof value === 'string' ? value : JSON.stringify(value)),
  ]);
}
