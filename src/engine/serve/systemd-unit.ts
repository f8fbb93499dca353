import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { childEnvironment } from '../child/program.js';
import { messageOf } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';
import { pathFolders } from '../support/paths.js';
import { commandLine, ENVIRONMENT_FILE, escaped, quoted } from '../support/systemd.js';

interface SystemdUnitOptions {
  /** The words that start svc, with absolute paths. */
  readonly program: readonly string[];
  /** The arguments of `svc serve`. */
  readonly args: readonly string[];
  readonly user: string;
  readonly homeDir: string;
  /** Variables that are set now and decide where state is stored. */
  readonly env: Readonly<Record<string, string>>;
  /** `gateway.drainSeconds`. */
  readonly drainSeconds: number;
  /** Whether systemd-notify is available. */
  readonly notifies: boolean;
}

/** On top of the time to drain, before systemd kills the process. */
const STOP_MARGIN_SECONDS = 10;

/**
 * The text of a systemd unit for this installation, for `/etc/systemd/system/svc.service`; see
 * systemd.service(5) and systemd.exec(5).
 */
export function systemdUnit(options: SystemdUnitOptions): string {
  const { program, args, user, homeDir, env, drainSeconds, notifies } = options;
  const command = commandLine([...program, 'serve', '--plain', ...args]);
  const lines = [
    '[Unit]',
    'Description=svc: keeps the memory of agents fresh',
    'Documentation=man:systemd.service(5)',
    'After=network-online.target',
    'Wants=network-online.target',
    '',
    '[Service]',
    ...(notifies
      ? ['Type=notify', '# Sent by systemd-notify, a child of svc.', 'NotifyAccess=all']
      : ['Type=exec']),
    `User=${user}`,
    `WorkingDirectory=${escaped(homeDir)}`,
    ...Object.entries(env).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    ...ENVIRONMENT_FILE,
    `ExecStart=${command}`,
    'ExecReload=/bin/kill -HUP $MAINPID',
    'Restart=on-failure',
    'RestartSec=2',
    '# An invalid configuration or command line does not fix itself.',
    'RestartPreventExitStatus=2',
    'KillMode=mixed',
    `TimeoutStopSec=${drainSeconds + STOP_MARGIN_SECONDS}`,
    'LimitNOFILE=65536',
    'UMask=0077',
    'NoNewPrivileges=yes',
    'ProtectSystem=full',
    'ProtectKernelTunables=yes',
    'ProtectControlGroups=yes',
    'RestrictSUIDSGID=yes',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ];
  return `${lines.join('\n')}\n`;
}

/** Node.js cannot open the Unix datagram socket for READY=1 itself. */
const PROGRAM = 'systemd-notify';

/** Whether this machine has systemd-notify. */
export function canNotifySystemd(env: EngineContext['env']): boolean {
  return pathFolders(env).some((folder) => existsSync(join(folder, PROGRAM)));
}

/**
 * Sends READY=1 to the systemd that started this process as a service of `Type=notify`; does nothing
 * otherwise. The message comes from a child, so that the unit needs `NotifyAccess=all`; other children do not
 * get the socket.
 */
export function notifySystemdReady(
  env: EngineContext['env'],
  onFailure: (why: string) => void,
): void {
  const socket = env['NOTIFY_SOCKET'];
  if (socket === undefined || socket === '') return;
  const child = spawn(PROGRAM, ['--ready'], {
    env: childEnvironment(env, { NOTIFY_SOCKET: socket }),
    stdio: 'ignore',
  });
  child.once('error', (error) => onFailure(messageOf(error)));
  child.once('exit', (code) => {
    if (code !== 0) onFailure(`${PROGRAM} exited with ${code ?? 'a signal'}`);
  });
}
