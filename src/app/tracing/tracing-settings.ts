import { type Allowed, oneOf } from '../../platform/allowed-values.ts';
import { environmentVariable } from '../../platform/config.ts';
import { present, readSetting } from '../../platform/given-values.ts';

/** Variables of OpenTelemetry that its own packages do not read. */
export type TracingSettings = NonNullable<ReturnType<typeof tracingSettings>>;

const SAMPLERS = [
  ...['always_on', 'always_off', 'traceidratio'],
  ...['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
];
const ratio: Allowed<number> = {
  allowed: 'a number from 0 to 1',
  parse: (text) => (Number(text) >= 0 && Number(text) <= 1 ? Number(text) : undefined),
};

/** Undefined where no traces are wanted. @throws BAD_SETTING */
export function tracingSettings(variable: (name: string) => string | undefined = environmentVariable) {
  const given = (...names: readonly string[]) =>
    names.map((name) => ({ name, value: present(variable(name)) ?? '' })).find(({ value }) => value !== '');
  const read = <Value>(allowed: Allowed<Value>, ...names: readonly string[]) => {
    const setting = given(...names);
    return setting && readSetting(allowed, setting);
  };
  if (given('OTEL_SDK_DISABLED')?.value.toLowerCase() === 'true') return undefined;
  const exporter = read(oneOf(['otlp', 'none']), 'OTEL_TRACES_EXPORTER');
  const endpoint = given('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT');
  if (exporter === 'none' || (exporter ?? endpoint) === undefined) return undefined;
  const sampler = read(oneOf(SAMPLERS), 'OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const protocols = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];
  return {
    protocol: read(oneOf(['http/protobuf', 'http/json']), ...protocols) ?? 'http/protobuf',
    sampler,
    /** The share of traces that a sampler by ratio takes. */
    ratio: sampler.endsWith('traceidratio') ? (read(ratio, 'OTEL_TRACES_SAMPLER_ARG') ?? 1) : 1,
  };
}
