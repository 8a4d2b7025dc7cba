import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as keda from '@kubernetes-models/keda/keda.sh/v1alpha1';
import * as monitoring from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { messageOf } from '../../src/errors/rollcall-error.ts';
import type { Manifest } from './helm.ts';

/** The kinds that the chart may use, by apiVersion: what checks them, and the module of their types. */
const APIS: Readonly<Record<string, { readonly models: object; readonly module: string }>> = {
  v1: { models: core, module: 'kubernetes-models/v1' },
  'apps/v1': { models: apps, module: 'kubernetes-models/apps/v1' },
  'autoscaling/v2': { models: autoscaling, module: 'kubernetes-models/autoscaling/v2' },
  'networking.k8s.io/v1': { models: networking, module: 'kubernetes-models/networking.k8s.io/v1' },
  'policy/v1': { models: policy, module: 'kubernetes-models/policy/v1' },
  'keda.sh/v1alpha1': { models: keda, module: '@kubernetes-models/keda/keda.sh/v1alpha1' },
  'monitoring.coreos.com/v1': {
    models: monitoring,
    module: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
  },
};

type Model = new (manifest: Manifest) => { validate(): void };

/**
 * Returns the objections of the schemas of Kubernetes, KEDA and the Prometheus operator: a missing field, a value of
 * another kind.
 */
export function objections(manifests: readonly Manifest[]): readonly string[] {
  return manifests.flatMap((manifest) => {
    const { apiVersion, kind, metadata } = manifest;
    const models = APIS[apiVersion]?.models as Readonly<Record<string, Model>> | undefined;
    const model = models?.[kind];
    if (model === undefined) return [`${apiVersion} ${kind} is not known`];
    try {
      new model(manifest).validate();
      return [];
    } catch (error) {
      return [`${kind} ${metadata.name}: ${messageOf(error)}`];
    }
  });
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Returns the fields that do not exist, which those schemas leave open. The compiler knows them from the types of the
 * same packages.
 * @param rendered manifests by the name of their values
 */
export function unknownFields(rendered: ReadonlyMap<string, readonly Manifest[]>): readonly string[] {
  // Below the project, so that the compiler finds the types.
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.rendered-'));
  try {
    for (const [name, manifests] of rendered) {
      const typed = manifests.map((manifest, at) => {
        const module = APIS[manifest.apiVersion]?.module ?? '';
        return `export const object${at}: import('${module}').I${manifest.kind} = ${JSON.stringify(manifest)};\n`;
      });
      writeFileSync(join(folder, `${name}.ts`), typed.join(''));
    }
    const compiler = join(ROOT, 'node_modules', '.bin', 'tsc');
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext', '--types', ''];
    const files = [...rendered.keys()].map((name) => `${name}.ts`);
    execFileSync(compiler, [...flags, ...files], { cwd: folder, encoding: 'utf8' });
    return [];
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) return String(error.stdout).trim().split('\n');
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
