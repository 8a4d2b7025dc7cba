import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { serveCommand } from '../../src/cli/commands/serve-command.ts';
import { workerCommand } from '../../src/cli/commands/worker-command.ts';
import { workerHealth } from '../../src/cli/worker-health.ts';
import { BACKLOG } from '../../src/imports/send/fair-queue.ts';
import { REGIONS } from '../../src/membership/membership.ts';
import { STOP_DEADLINE_MS } from '../../src/platform/lifecycle.ts';
import { VERSION } from '../../src/platform/packages.ts';
import { tempDir } from '../temp-dir.ts';
import { CHART, helm, type Manifest, render, template, VALUES, valuesFile } from './helm.ts';
import { objections, unknownFields } from './kubernetes.ts';

interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
  readonly securityContext: unknown;
}

interface Workload {
  readonly replicas?: number;
  readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  readonly template: {
    readonly spec: {
      readonly terminationGracePeriodSeconds: number;
      readonly securityContext: unknown;
      readonly automountServiceAccountToken: boolean;
      readonly enableServiceLinks: boolean;
      readonly containers: readonly Container[];
      readonly volumes?: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[];
    };
  };
}

const ofKind = (manifests: readonly Manifest[], kind: string) => manifests.filter((it) => it.kind === kind);
const spec = <Spec>(manifests: readonly Manifest[], kind: string, name: string) =>
  ofKind(manifests, kind).find(({ metadata }) => metadata.name === name)?.spec as Spec;
const workloads = (manifests: readonly Manifest[]) =>
  [...ofKind(manifests, 'Deployment'), ...ofKind(manifests, 'StatefulSet')].map((it) => it.spec as Workload);
const only = ({ template: { spec: pod } }: Workload) => {
  const [container] = pod.containers;
  if (container === undefined || pod.containers.length > 1) throw new Error('a pod has one container');
  return { pod, container };
};
const worker = (manifests: readonly Manifest[], region: string) =>
  only(spec<Workload>(manifests, 'Deployment', `rollcall-worker-${region}`));
const serve = (manifests: readonly Manifest[]) => only(spec<Workload>(manifests, 'StatefulSet', 'rollcall-serve'));

const rendered = new Map(VALUES.map((name) => [name, render(name)]));
const full = rendered.get('full') ?? [];
const trial = rendered.get('trial') ?? [];

test.each(VALUES)('helm lint has no objection to the chart with %s', (name) => {
  expect(helm('lint', '--strict', CHART, '-f', valuesFile(name))).toMatchObject({ status: 0 });
});

test.each([...rendered])('Kubernetes accepts what is rendered with %s', (_name, manifests) => {
  expect(objections(manifests)).toEqual([]);
});

test('what is rendered has no field that Kubernetes does not know', () => {
  expect(unknownFields(rendered)).toEqual([]);
});

test('these checks object to what is wrong', () => {
  const [deployment] = ofKind(trial, 'Deployment');
  const text = JSON.stringify(deployment);
  const wrong = (from: string, to: string): Manifest[] => [JSON.parse(text.replace(from, to))];
  const misspelt = wrong('terminationGracePeriodSeconds', 'gracePeriod');
  expect(unknownFields(new Map([['misspelt', misspelt]])).join()).toMatch(/gracePeriod/);
  expect(objections(wrong('"replicas":1', '"replicas":"one"')).join()).toMatch(/replicas must be integer/);
  expect(objections(wrong('apps/v1', 'apps/v1beta1'))).toEqual(['apps/v1beta1 Deployment is not known']);
});

test('serve has one replica, and keeps its data on a volume', () => {
  const { replicas, volumeClaimTemplates } = spec<Workload>(full, 'StatefulSet', 'rollcall-serve');
  expect([replicas, volumeClaimTemplates?.map(({ metadata }) => metadata.name)]).toEqual([1, ['data']]);
  expect(serve(full).container.volumeMounts).toContainEqual({ name: 'data', mountPath: '/data' });
  const existing = serve(rendered.get('hpa') ?? []).pod.volumes;
  expect(existing).toContainEqual({ name: 'data', persistentVolumeClaim: { claimName: 'rollcall-data' } });
});

test('the service that a StatefulSet names is there, and headless', () => {
  for (const manifests of [full, trial]) {
    for (const { spec: stateful } of ofKind(manifests, 'StatefulSet')) {
      const { serviceName } = stateful as { serviceName: string };
      expect(spec<{ clusterIP?: string }>(manifests, 'Service', serviceName).clusterIP).toBe('None');
    }
  }
});

test('a key is a file in the worker of its region, and nowhere else', () => {
  for (const region of REGIONS) {
    const { pod, container } = worker(full, region);
    const variables = container.env?.filter(({ name }) => name.includes('API_KEY')) ?? [];
    expect(variables.map(({ name }) => name)).toEqual([`ROLLCALL_${region.toUpperCase()}_API_KEY_FILE`]);
    const secrets = pod.volumes?.flatMap(({ secret }) => secret?.secretName ?? []);
    expect(secrets).toEqual([`rollcall-${region}`]);
    // A Secret that is mounted by subPath never changes.
    const mount = container.volumeMounts.find(({ name }) => name === 'key');
    expect(mount).toEqual({ name: 'key', mountPath: '/run/rollcall/key', readOnly: true });
    expect(variables[0]?.value).toBe(`/run/rollcall/key/${region === 'in' ? 'key' : 'api-key'}`);
  }
  expect(serve(full).container.env?.filter(({ name }) => name.includes('API_KEY'))).toEqual([]);
  expect(serve(full).pod.volumes?.filter(({ secret }) => secret !== undefined)).toEqual([]);
});

test('everyone has the same queue, host, apps and rate limit', () => {
  const shared = (container: Container) =>
    container.env?.filter(({ name }) => /_(HOST|QUEUE|APP_ID|CALLS_PER_MINUTE|BUDGET_SHARE|CA_FILE)$/.test(name));
  const expected = shared(serve(full).container);
  expect(expected).toHaveLength(8);
  for (const region of REGIONS) expect(shared(worker(full, region).container)).toEqual(expected);
});

test('commands have flags that exist', () => {
  const command = (make: typeof serveCommand): Command => make(() => async () => {}).exitOverride();
  for (const manifests of rendered.values()) {
    for (const { name, args = [] } of workloads(manifests).map((workload) => only(workload).container)) {
      if (name === 'redis') continue;
      const [verb, ...flags] = args;
      expect(verb).toBe(name);
      const { operands, unknown } = command(name === 'serve' ? serveCommand : workerCommand).parseOptions([...flags]);
      expect({ operands, unknown }).toEqual({ operands: [], unknown: [] });
    }
  }
});

test('a pod has longer to stop than rollcall takes', () => {
  for (const { template } of workloads(full))
    expect(template.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(STOP_DEADLINE_MS + 2_000);
  expect(template('full', ['--set', 'terminationGracePeriodSeconds=12']).stderr).toMatch(/terminationGracePeriod/);
});

test('pods run without root, without privileges, on a root file system that is read-only', () => {
  for (const manifests of rendered.values()) {
    for (const { pod, container } of workloads(manifests).map(only)) {
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect([pod.automountServiceAccountToken, pod.enableServiceLinks]).toEqual([false, false]);
      expect(container.securityContext).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toContain('/data');
    }
  }
});

test('probes ask addresses that exist', () => {
  const of = ({ container }: { container: object }) =>
    Object.entries(container).flatMap(([name, probe]) => (name.endsWith('Probe') ? [[name, probe.httpGet]] : []));
  expect(Object.fromEntries(of(serve(full)))).toEqual({
    startupProbe: { path: '/healthz', port: 'http' },
    livenessProbe: { path: '/healthz', port: 'http' },
    readinessProbe: { path: '/healthz', port: 'http' },
  });
  expect(Object.fromEntries(of(worker(full, 'us')))).toEqual({
    startupProbe: { path: '/healthz', port: 'health' },
    livenessProbe: { path: '/healthz', port: 'health' },
    readinessProbe: { path: '/readyz', port: 'health' },
  });
});

test('more workers are started by a metric that workers publish, one number for each region', async () => {
  const health = await workerHealth(0, '127.0.0.1').serve([]);
  onTestFinished(() => health.close());
  const published = await (await fetch(`http://127.0.0.1:${health.port}/metrics`)).text();
  type Scaled = { triggers: [{ metadata: { query: string } }]; minReplicaCount: number; fallback: object };
  const scaled = spec<Scaled>(full, 'ScaledObject', 'rollcall-worker-eu');
  const { query } = scaled.triggers[0].metadata;
  expect(query).toBe('max(rollcall_backlog{namespace="chat",region="eu",state="waiting"})');
  expect(published).toContain('# TYPE rollcall_backlog ');
  expect(scaled).toMatchObject({ minReplicaCount: 0, fallback: { replicas: 1 } });
  expect(ofKind(full, 'ScaledObject')).toHaveLength(3);

  const hpa = rendered.get('hpa') ?? [];
  const external = {
    metric: { name: 'rollcall_backlog', selector: { matchLabels: { region: 'us', state: 'waiting' } } },
  };
  expect(spec(hpa, 'HorizontalPodAutoscaler', 'rollcall-worker-us')).toMatchObject({ metrics: [{ external }] });
  // The objects that scale them also count them.
  for (const manifests of [full, hpa])
    for (const { spec: deployment } of ofKind(manifests, 'Deployment'))
      expect(deployment).not.toHaveProperty('replicas');
  expect(spec<Workload>(trial, 'Deployment', 'rollcall-worker-us').replicas).toBe(1);
});

test('a full queue asks for as many workers as there may be', () => {
  const { autoscaling } = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
  const fullQueue = BACKLOG / REGIONS.length;
  expect(Math.ceil(fullQueue / autoscaling.batchesPerWorker)).toBeGreaterThanOrEqual(autoscaling.maxReplicas);
});

test('a drain of nodes takes workers away one by one, and is not stopped by serve', () => {
  expect(ofKind(trial, 'PodDisruptionBudget').map((it) => [it.metadata.name, it.spec])).toEqual([
    ['rollcall-worker-us', expect.objectContaining({ maxUnavailable: 1 })],
  ]);
});

test('only Prometheus reaches the port of workers, and only rollcall reaches the Redis of a trial', () => {
  type Policy = { ingress: { from?: unknown; ports: unknown }[]; policyTypes: string[] };
  const monitoring = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };
  expect(spec<Policy>(full, 'NetworkPolicy', 'rollcall-worker')).toMatchObject({
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [monitoring], ports: [{ port: 'health' }] }],
  });
  const closed = render('trial', '--set', 'networkPolicy.metricsFrom=null');
  expect(spec<Policy>(closed, 'NetworkPolicy', 'rollcall-worker').ingress).toEqual([]);
  expect(spec<Policy>(trial, 'NetworkPolicy', 'rollcall-redis').ingress).toHaveLength(1);
  expect(ofKind(rendered.get('hpa') ?? [], 'NetworkPolicy')).toEqual([]);
});

test('monitors find the services that they read, and rules and dashboard are those of deploy/', () => {
  for (const { metadata, spec: monitor } of ofKind(full, 'ServiceMonitor')) {
    const { selector, endpoints } = monitor as {
      selector: { matchLabels: Record<string, string> };
      endpoints: [{ port: string }];
    };
    const services = ofKind(full, 'Service').filter(({ metadata: { labels = {} } }) =>
      Object.entries(selector.matchLabels).every(([label, value]) => labels[label] === value),
    );
    expect(services.map(({ metadata: { name } }) => name)).toEqual([metadata.name]);
    const offered = services.flatMap((service) => (service.spec as { ports: { name: string }[] }).ports);
    expect(offered.map(({ name }) => name)).toContain(endpoints[0].port);
  }
  expect(ofKind(full, 'ServiceMonitor')).toHaveLength(2);
  const deploy = (path: string) => readFileSync(join(CHART, '../..', path), 'utf8');
  expect(spec(full, 'PrometheusRule', 'rollcall')).toEqual(parse(deploy('prometheus/alerts.yml')));
  const [dashboard] = ofKind(full, 'ConfigMap') as unknown as [{ data: Record<string, string> }];
  expect(dashboard.data['rollcall.json']).toBe(deploy('grafana/dashboards/rollcall.json'));
});

test('the default NetworkPolicy lets out to what the values configure: mail, webhooks and a trace collector', () => {
  type Policy = { egress: { ports: { port: number }[] }[] };
  const ports = (component: string, ...sets: string[]) => {
    const objects = render('trial', ...sets.flatMap((set) => ['--set', set]));
    return spec<Policy>(objects, 'NetworkPolicy', `rollcall-${component}`)
      .egress.at(-1)
      ?.ports.map(({ port }) => port);
  };
  const collector = 'extraEnv[0].name=OTEL_EXPORTER_OTLP_ENDPOINT,extraEnv[0].value=http://otel.example:4318';
  for (const component of ['serve', 'worker']) {
    expect(ports(component)).toEqual([443]);
    expect(ports(component, collector)).toEqual([443, 4318]);
  }
  const mail = 'serve.notify.url=smtp://mail.example:2525?from=a@example.com&to=b@example.com';
  expect([ports('serve', mail), ports('worker', mail)]).toEqual([[443, 2525], [443]]);
  expect(ports('serve', 'serve.notify.url=smtps://mail.example?from=a@b.example&to=c@d.example')).toEqual([443, 465]);
  expect(ports('serve', 'serve.notify.urlSecret.name=mail')).toEqual([443, 587, 465]);
});

test.each([
  'slack+https://hooks.slack.com/services/T/B/x',
  'smtp://mail.example:587?from=rollcall@example.com&to=ops@example.com',
])('serve is told to notify %s, without a secret that signs', (url) => {
  const [inValues, inSecret] = [`serve.notify.url=${url}`, 'serve.notify.urlSecret.name=notify'].map((set) =>
    JSON.stringify(ofKind(render('trial', '--set', set), 'StatefulSet')),
  );
  expect(inValues).toContain(`{"name":"ROLLCALL_NOTIFY","value":${JSON.stringify(url)}}`);
  expect(inSecret).toContain('{"name":"ROLLCALL_NOTIFY","valueFrom":{"secretKeyRef":{"name":"notify","key":"url"}}}');
  expect(`${inValues}${inSecret}`).not.toContain('ROLLCALL_NOTIFY_SECRET');
});

test.each([
  ['sandbox', 'redis.enabled=true', /sandbox: true sends to a sandbox inside serve/],
  ['sandbox', 'sandbox=false', /regions is empty/],
  ['trial', 'host=', /host is empty/],
  ['trial', 'host=https://cometchat.io', /host/],
  ['trial', 'redis.enabled=false', /there is no queue/],
  ['full', 'redis.enabled=true', /keep one/],
  ['full', 'autoscaling.minReplicas=9', /more than autoscaling.maxReplicas/],
  ['full', 'monitoring.serviceMonitor.enabled=false', /needs the server's metrics/],
  ['trial', 'monitoring.prometheusRule.enabled=true', /its alerts say that the server is down/],
  ['full', 'serve.notify.urlSecret.name=other', /are both set/],
  ['full', 'serve.notify.url=ftp://files.example', /url/],
  ['full', 'serve.notify.secret.name=', /needs serve.notify.secret.name/],
  ['trial', 'regions.us.keySecret.name=', /keySecret.name|keySecret\/name/],
  ['trial', 'regions.ap.appId=1', /additional.*ap/i],
  ['trial', 'regions.us.appId=2000001', /appId/],
  ['trial', 'worker.replicas=3', /additional.*replicas/i],
  ['trial', 'serve.keep=soon', /keep/],
])('with %s, %s is refused', (name, wrong, why) => {
  const { status, stderr } = template(name, ['--set', wrong]);
  expect(status).not.toBe(0);
  expect(stderr).toMatch(why);
});

test('the examples of its README render', () => {
  const readme = readFileSync(join(CHART, 'README.md'), 'utf8');
  const [first = '', ...more] = [...readme.matchAll(/```yaml\n(.*?)```/gs)]
    .map(([, example = '']) => example)
    .filter((example) => !example.includes('prometheus-adapter'));
  expect(more.length).toBeGreaterThan(2);
  const values = join(tempDir(), 'values.yaml');
  for (const example of more) {
    writeFileSync(values, first + example);
    expect(helm('template', CHART, '--kube-version', '1.33.0', '-f', values)).toMatchObject({ status: 0 });
  }
});

test('the chart installs this version', () => {
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
  expect(chart).toMatchObject({ version: VERSION, appVersion: VERSION });
});
