import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { resolvePath } from '../../config/expand-path.js';
import { isLoopback } from '../../config/loopback.js';
import type { DoctorCheck } from '../check.js';
import type { Finding, FindingPlace } from '../finding.js';
import {
  type ConfiguredSecret,
  configuredSecrets,
  isRouteSecret,
  resolveConfigured,
} from '../secrets-in-config.js';
import { isWeak, weakness } from '../weak-secret.js';
import type { ConfiguredWorld } from '../world.js';

const PLUGIN = ['plugins', 'entries', 'webhooks'] as const;

/** Whether the webhook listener could serve its routes. */
export const webhooks: DoctorCheck = {
  name: 'webhooks',
  needs: 'configuration',
  run: async (world) => {
    const { enabled, config } = world.loaded.resolved.plugins.entries.webhooks;
    const served = Object.values(config.routes).filter((route) => route.enabled);
    const findings = [
      ...(enabled && served.length === 0 ? [withoutRoutes(world)] : []),
      ...(await secretFindings(world)),
      ...(enabled ? gatewayFindings(world) : []),
    ];
    const summary = enabled
      ? `${served.length} route${served.length === 1 ? '' : 's'}`
      : 'switched off';
    return { summary, findings, off: !enabled };
  },
};

function at(place: FindingPlace | undefined): { readonly place?: FindingPlace } {
  return place === undefined ? {} : { place };
}

function withoutRoutes({ placeOf }: ConfiguredWorld): Finding {
  return {
    code: 'webhooks-without-routes',
    severity: 'warning',
    message: 'webhooks are switched on, and there is no route that is',
    ...at(placeOf([...PLUGIN, 'enabled'])),
    hint: 'add one to plugins.entries.webhooks.config.routes, or switch webhooks off',
  };
}

async function secretFindings(world: ConfiguredWorld): Promise<readonly Finding[]> {
  const routes = configuredSecrets(world).filter(isRouteSecret);
  const outcomes = await resolveConfigured(routes, world);
  const owners = new Map<string, string>();
  return routes.flatMap((secret, position): readonly Finding[] => {
    const outcome = outcomes[position];
    const id = String(secret.path.at(-2));
    if (outcome === undefined) return [];
    if (!outcome.ok) return [unresolved(secret, id, outcome.error)];
    const { value } = outcome;
    const owner = owners.get(value);
    owners.set(value, owner ?? id);
    return [
      // Of one in plain text the configuration itself is told that it is short.
      ...(isWeak(value) && secret.input.kind === 'reference'
        ? [{ ...weakness(`the secret of route ${id}`), ...at(secret.place) }]
        : []),
      ...(owner === undefined ? [] : [shared(secret, owner, id)]),
    ];
  });
}

function unresolved(
  { place }: ConfiguredSecret,
  id: string,
  error: { readonly message: string; readonly hint?: string | undefined },
): Finding {
  return {
    code: 'secret-unresolved',
    severity: 'fault',
    message: `route ${id} cannot be served: ${error.message}`,
    ...at(place),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}

function shared({ place }: ConfiguredSecret, owner: string, id: string): Finding {
  return {
    code: 'secret-shared',
    severity: 'warning',
    message: `routes ${owner} and ${id} have one secret`,
    cause: 'whoever may call one may call the other',
    ...at(place),
    hint: 'give each route its own: svc webhook secret generate',
  };
}

function gatewayFindings(world: ConfiguredWorld): readonly Finding[] {
  const { host, tls } = world.loaded.resolved.gateway;
  const files = (['cert', 'key'] as const).flatMap((key) => {
    const written = tls?.[key];
    return written === undefined ? [] : missingFile(world, key, written);
  });
  if (isLoopback(host) || tls?.cert !== undefined) return files;
  return [
    ...files,
    {
      code: 'gateway-open',
      severity: 'warning',
      message: `the listener is open to other machines at ${host}, without TLS`,
      cause: 'secrets of routes would go over the network unencrypted',
      ...at(world.placeOf(['gateway', 'host'])),
      hint: 'set gateway.tls, or listen on 127.0.0.1 behind a proxy that has it',
    },
  ];
}

function missingFile(
  { loaded, context, placeOf }: ConfiguredWorld,
  key: 'cert' | 'key',
  written: string,
): readonly Finding[] {
  const base = loaded.file === undefined ? context.cwd : dirname(loaded.file);
  const path = resolvePath(written, base, context.homeDir);
  if (existsSync(path)) return [];
  return [
    {
      code: 'tls-file-missing',
      severity: 'fault',
      message: `there is no file ${path}, which gateway.tls.${key} names`,
      ...at(placeOf(['gateway', 'tls', key])),
      hint: `put it there, or mend gateway.tls.${key}`,
    },
  ];
}
