import { type CronFields, parseCron } from '../../config/cron.js';
import { commandWord, escaped, quoted } from '../../systemd-words.js';

/** What the units are made for. */
export interface SystemdTimerOptions {
  /** Five fields of crontab(5), checked by the configuration. */
  readonly frequency: string;
  /** An IANA name; undefined means the host's. */
  readonly timeZone: string | undefined;
  /** The program, its script and its words, absolute where they are paths. */
  readonly command: readonly string[];
  /** Who runs it. */
  readonly user: string;
  readonly homeDir: string;
  /** Variables that decide where state lies, and are set now. */
  readonly env: Readonly<Record<string, string>>;
}

/** The texts of two units that belong together. */
export interface SystemdTimer {
  readonly service: string;
  readonly timer: string;
}

/**
 * A timer and what it starts, for `/etc/systemd/system/svc-dream.timer` and `.service`: for those without
 * a long-lived process. Keys are those of systemd.timer(5), systemd.service(5) and systemd.exec(5).
 */
export function systemdTimer(options: SystemdTimerOptions): SystemdTimer {
  const { frequency, timeZone, command, user, homeDir, env } = options;
  const service = [
    '[Unit]',
    'Description=svc: consolidates the memory of agents',
    '',
    '[Service]',
    'Type=oneshot',
    `User=${user}`,
    `WorkingDirectory=${escaped(homeDir)}`,
    ...Object.entries(env).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    `ExecStart=${command.map(commandWord).join(' ')}`,
    'UMask=0077',
    'NoNewPrivileges=yes',
    'ProtectSystem=full',
  ];
  const timer = [
    '[Unit]',
    'Description=svc: when the memory of agents is consolidated',
    '',
    '[Timer]',
    ...calendarEvents(frequency, timeZone).map((event) => `OnCalendar=${event}`),
    '# What was due while the machine slept runs once, when it is up again.',
    'Persistent=true',
    'AccuracySec=1s',
    '',
    '[Install]',
    'WantedBy=timers.target',
  ];
  return { service: `${service.join('\n')}\n`, timer: `${timer.join('\n')}\n` };
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/**
 * A schedule of crontab(5) as calendar events of systemd.time(7); the schedule fires when one of them does.
 *
 * @throws TypeError for an expression that the configuration would not have taken
 */
export function calendarEvents(frequency: string, timeZone: string | undefined): string[] {
  const cron = parseCron(frequency);
  if (!cron.ok) throw new TypeError(cron.reason);
  const { fields } = cron;
  const time = `${listed(fields.hours, 24)}:${listed(fields.minutes, 60)}:00`;
  const zone = timeZone === undefined ? '' : ` ${timeZone}`;
  const months = listed(fields.months, 12);
  return dayChoices(fields).map(({ weekDays, monthDays }) => {
    const week = weekDays === undefined ? '' : `${weekDays} `;
    return `${week}*-${months}-${monthDays} ${time}${zone}`;
  });
}

interface DayChoice {
  readonly weekDays: string | undefined;
  readonly monthDays: string;
}

/** Both fields must match when one of them begins with a star, else either may; see nextRuns. */
function dayChoices(fields: CronFields): readonly DayChoice[] {
  const { daysOfMonth, daysOfWeek, anyDayOfMonth, anyDayOfWeek } = fields;
  const monthDays = listed(daysOfMonth, 31);
  const weekDays = daysOfWeek.size === 7 ? undefined : daysListed(daysOfWeek);
  if (anyDayOfMonth || anyDayOfWeek) return [{ weekDays, monthDays }];
  return [
    { weekDays: undefined, monthDays },
    { weekDays, monthDays: '*' },
  ];
}

function daysListed(days: ReadonlySet<number>): string {
  return DAYS.filter((_, day) => days.has(day)).join(',');
}

/** The values of a field in full: steps and ranges mean other things to systemd. */
function listed(values: ReadonlySet<number>, all: number): string {
  if (values.size === all) return '*';
  return [...values]
    .sort((a, b) => a - b)
    .map((value) => String(value).padStart(2, '0'))
    .join(',');
}
