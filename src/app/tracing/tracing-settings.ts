import { RollcallError } from '../../errors/rollcall-error.ts';
import { environmentVariable } from '../../platform/config.ts';

type Variable = (name: string) => string | undefined;

/** Variables of OpenTelemetry that its own packages do not read. */
export interface TracingSettings {
  readonly protocol: 'http/json' | 'http/protobuf';
  readonly sampler: string;
  readonly samplerArgument: string | undefined;
}

const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const SAMPLERS = [
  ...['always_on', 'always_off', 'traceidratio'],
  ...['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
] as const;

/** Undefined where no traces are wanted. @throws BAD_SETTING */
export function tracingSettings(variable: Variable = environmentVariable): TracingSettings | undefined {
  const given = (name: string) => variable(name)?.trim() || undefined;
  const exporter = given('OTEL_TRACES_EXPORTER');
  const endpoint = given('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? given('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (given('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || exporter === 'none') return undefined;
  if (exporter === undefined && endpoint === undefined) return undefined;
  if (exporter !== undefined) oneOf('OTEL_TRACES_EXPORTER', exporter, ['otlp', 'none']);
  const protocolName =
    given('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') === undefined
      ? 'OTEL_EXPORTER_OTLP_PROTOCOL'
      : 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL';
  return {
    protocol: oneOf(protocolName, given(protocolName) ?? 'http/protobuf', PROTOCOLS),
    sampler: oneOf('OTEL_TRACES_SAMPLER', given('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on', SAMPLERS),
    samplerArgument: given('OTEL_TRACES_SAMPLER_ARG'),
  };
}

function oneOf<Word extends string>(name: string, value: string, allowed: readonly Word[]): Word {
  const word = allowed.find((one) => one === value);
  if (word !== undefined) return word;
  throw new RollcallError('BAD_SETTING', { name, value, allowed: `are ${allowed.join(', ')}` });
}
