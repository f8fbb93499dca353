import { dirname } from 'node:path';
import { resolvePath } from '../../config/expand-path.js';
import type { ServeSetup } from '../service.js';

/** Where the health listener listens. */
export interface HealthSettings {
  readonly host: string;
  readonly port: number;
  /** Absolute paths of PEM files; undefined serves plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Addresses whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

/**
 * Where a configuration wants it: on `gateway`, or where `gateway.admin` says. A listener of its own is
 * for those inside and speaks plain HTTP.
 */
export function healthSettings({ context, loaded }: ServeSetup): HealthSettings {
  const { host, port, tls, admin, trustedProxies } = loaded.resolved.gateway;
  if (admin?.host !== undefined || admin?.port !== undefined) {
    return { host: admin.host ?? host, port: admin.port ?? port, tls: undefined, trustedProxies };
  }
  const { cert, key } = tls ?? {};
  if (cert === undefined || key === undefined)
    return { host, port, tls: undefined, trustedProxies };
  const base = loaded.file === undefined ? context.cwd : dirname(loaded.file);
  const absolute = (path: string): string => resolvePath(path, base, context.homeDir);
  return { host, port, tls: { cert: absolute(cert), key: absolute(key) }, trustedProxies };
}
