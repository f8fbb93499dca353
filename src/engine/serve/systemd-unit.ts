import { commandWord, escaped, quoted } from '../systemd-words.js';

/** What the unit is made for. */
export interface SystemdUnitOptions {
  /** Absolute path of node. */
  readonly node: string;
  /** Absolute path of the program's script. */
  readonly script: string;
  /** What follows `svc serve`. */
  readonly args: readonly string[];
  /** Who runs it. */
  readonly user: string;
  readonly homeDir: string;
  /** Variables that decide where state lies, and are set now. */
  readonly env: Readonly<Record<string, string>>;
  /** `gateway.drainSeconds`. */
  readonly drainSeconds: number;
}

/** Beyond the time to drain, before systemd kills: what writing the last lines may take. */
const STOP_MARGIN_SECONDS = 10;

/**
 * The text of a systemd unit for this program as it is installed here, for
 * `/etc/systemd/system/svc.service`. Keys are those of systemd.service(5) and systemd.exec(5).
 */
export function systemdUnit(options: SystemdUnitOptions): string {
  const { node, script, args, user, homeDir, env, drainSeconds } = options;
  const command = [node, script, 'serve', '--plain', ...args].map(commandWord).join(' ');
  const lines = [
    '[Unit]',
    'Description=svc: keeps the memory of agents fresh',
    'Documentation=man:systemd.service(5)',
    'After=network-online.target',
    'Wants=network-online.target',
    '',
    '[Service]',
    'Type=exec',
    `User=${user}`,
    `WorkingDirectory=${escaped(homeDir)}`,
    ...Object.entries(env).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    `ExecStart=${command}`,
    'ExecReload=/bin/kill -HUP $MAINPID',
    'Restart=on-failure',
    'RestartSec=2',
    '# A configuration or command line that is wrong stays wrong.',
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
