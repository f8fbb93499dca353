import { dirname } from 'node:path';
import { resolvePath } from './expand-path.js';
import type { LoadedConfig } from './load.js';

/** Where something listens, and for whom. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Absolute paths of PEM files; undefined serves plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Addresses whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

/** What relative paths are relative to. */
interface Place {
  readonly cwd: string;
  readonly homeDir: string;
}

/** `gateway`: where requests from outside arrive. */
export function gatewayAddress({ file, resolved }: LoadedConfig, place: Place): ListenAddress {
  const { host, port, tls, trustedProxies } = resolved.gateway;
  const { cert, key } = tls ?? {};
  if (cert === undefined || key === undefined) {
    return { host, port, tls: undefined, trustedProxies };
  }
  const base = file === undefined ? place.cwd : dirname(file);
  const absolute = (path: string): string => resolvePath(path, base, place.homeDir);
  return { host, port, tls: { cert: absolute(cert), key: absolute(key) }, trustedProxies };
}

/**
 * `gateway.admin`: a listener of its own for health and metrics; undefined when there is none. It is
 * for those inside and speaks plain HTTP.
 */
export function adminAddress({ resolved }: LoadedConfig): ListenAddress | undefined {
  const { host, port, admin, trustedProxies } = resolved.gateway;
  if (admin?.host === undefined && admin?.port === undefined) return undefined;
  return { host: admin.host ?? host, port: admin.port ?? port, tls: undefined, trustedProxies };
}
