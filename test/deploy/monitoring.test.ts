import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { callMetrics } from '../../src/app/call-metrics.ts';
import { workerHealth } from '../../src/cli/worker-health.ts';
import { openReceiver } from '../../src/features/notify/open-receiver.ts';
import { IMPORT_STATES } from '../../src/membership/import-state.ts';
import { OUTCOMES } from '../../src/membership/outcome.ts';
import { SYNC_STATES } from '../../src/membership/sync-state.ts';
import { startTestServer, type TestServer } from '../server/test-server.ts';

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const rules: readonly Rule[] = parse(text('deploy/prometheus/alerts.yml')).groups.flatMap(
  ({ rules: some }: { rules: Rule[] }) => some,
);
interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const panels: readonly Panel[] = JSON.parse(text('deploy/grafana/dashboards/rollcall.json')).panels;

let server: TestServer;
let known: Set<string>;
beforeAll(async () => {
  const registry = new Registry();
  callMetrics(registry);
  const receiver = await openReceiver({ address: 'https://hooks.example' });
  server = await startTestServer({ receiver, registry });
  const worker = await workerHealth(0, '127.0.0.1').serve([]);
  const ofWorker = await fetch(`http://127.0.0.1:${worker.port}/metrics`);
  const exposed = `${await (await server.fetch('/metrics')).text()}\n${await ofWorker.text()}`;
  await worker.close();
  known = namesIn(exposed);
});
afterAll(() => server.close());

/** Names of time series in the format of Prometheus. */
function namesIn(exposed: string): Set<string> {
  const types = exposed.matchAll(/^# TYPE (\S+) (\S+)$/gm);
  return new Set(
    [...types].flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
    ),
  );
}

/**
 * Returns the names in a PromQL expression: metrics, and values that labels must have. Throws where it cannot be
 * parsed.
 */
function namedIn(expr: string) {
  const metrics = new Set<string>();
  const labels: (readonly [label: string, value: string])[] = [];
  parser.parse(expr).iterate({
    enter: ({ name, from, to, node }) => {
      if (node.type.isError) throw new Error(`${expr}: cannot be parsed at ${from}`);
      if (name === 'Identifier') metrics.add(expr.slice(from, to));
      if (name !== 'UnquotedLabelMatcher') return;
      const { firstChild: label, lastChild: value } = node;
      if (label && value) labels.push([expr.slice(label.from, label.to), expr.slice(value.from + 1, value.to - 1)]);
    },
  });
  return { metrics, labels };
}

const expressions = () => [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

test('alerts and dashboard ask for metrics that a server or a worker tells', () => {
  expect(expressions().length).toBeGreaterThan(40);
  const unknown = expressions().flatMap(([where, expr]) =>
    [...namedIn(expr).metrics].filter((name) => !known.has(name) && name !== 'up').map((name) => `${where}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('states and outcomes that they name are those of rollcall', () => {
  const words: Record<string, readonly string[]> = {
    state: [...IMPORT_STATES, ...SYNC_STATES, 'waiting', 'delayed', 'active'],
    outcome: [...OUTCOMES, 'pending'],
    result: ['delivered', 'failed', 'given-up'],
  };
  const wrong = expressions().flatMap(([where, expr]) =>
    namedIn(expr).labels.flatMap(([label, value]) =>
      value
        .split('|')
        .filter((word) => words[label] !== undefined && !words[label].includes(word))
        .map((word) => `${where}: ${label}="${word}"`),
    ),
  );
  expect(wrong).toEqual([]);
});

test('every metric of rollcall is on the dashboard or in an alert', () => {
  const used = new Set(expressions().flatMap(([, expr]) => [...namedIn(expr).metrics]));
  const base = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
  const unused = [...known].filter(
    (name) => name.startsWith('rollcall_') && ![...used].some((one) => base(one) === base(name)),
  );
  expect(unused).toEqual([]);
});

test.each(['rollcall_service_away', 'rollcall_region_stopped'])(
  '%s, which makes rows wait, is on the dashboard',
  (name) => {
    const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(shown.filter((expr) => namedIn(expr).metrics.has(name))).toHaveLength(1);
  },
);

describe('alerts', () => {
  test.each(rules)('$alert says what it is, what to do, and how urgent it is', ({ labels, annotations }) => {
    expect(labels['severity']).toMatch(/^(page|ticket)$/);
    expect(annotations['summary']).toBeTruthy();
    expect(annotations['description']).toBeTruthy();
  });

  test('have names of their own, each in docs/observability.md', () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    const documented = new Set(text('docs/observability.md').match(/\bRollcall[A-Z]\w+/g));
    expect([...documented].toSorted()).toEqual(names.toSorted());
  });

  test('the metrics of rollcall are all in docs/observability.md, and no others', () => {
    const documented = new Set(text('docs/observability.md').match(/\brollcall_[a-z_]+/g));
    const base = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
    const exposed = new Set([...known].filter((name) => name.startsWith('rollcall_')).map(base));
    expect([...documented].toSorted()).toEqual([...exposed].toSorted());
  });
});
