import { spawnSync } from 'node:child_process';
import type { TempFolder } from './temp-folder.js';

/** Creates a self-signed certificate for host names. @returns the files, which are named after the first host */
export function createCertificate(
  folder: TempFolder,
  ...hosts: readonly [string, ...string[]]
): { readonly cert: string; readonly key: string } {
  const [name] = hosts;
  const files = { cert: folder.at(`${name}.pem`), key: folder.at(`${name}.key`) };
  const { status, stderr } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', files.key, '-out', files.cert, '-days', '2', '-subj', `/CN=${name}`],
    ...['-addext', `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}`],
  ]);
  if (status !== 0) throw new Error(`openssl cannot create a certificate: ${String(stderr)}`);
  return files;
}
