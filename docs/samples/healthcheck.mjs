// The health check of the container: asks /healthz where the configuration has it, by its scheme and port.
import { execFileSync } from 'node:child_process';

const { value: gateway } = JSON.parse(
  execFileSync('svc', ['config', 'get', 'gateway', '--json'], { encoding: 'utf8' }),
);
const isAdmin = gateway.admin?.host !== undefined || gateway.admin?.port !== undefined;
const configured = (isAdmin && gateway.admin.host) || gateway.host;
// An address that means all of this machine is reached by its loopback. Many containers have no ::1.
const host = { '0.0.0.0': '127.0.0.1', '::': 'localhost' }[configured] ?? configured;
const port = (isAdmin ? gateway.admin.port : undefined) ?? gateway.port;
const isTls = !isAdmin && gateway.tls?.cert !== undefined;
// The certificate is for the name that others use, not for this address.
if (isTls) process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const name = host.includes(':') ? `[${host}]` : host;
const answer = await fetch(`${isTls ? 'https' : 'http'}://${name}:${port}/healthz`);
process.exitCode = answer.ok ? 0 : 1;
